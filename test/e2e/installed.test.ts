import { it } from "vitest";
import { diagonal } from "../../tools/matrix/cells";
import { runCell } from "../../tools/matrix/run-cell";
import { packTarball } from "../../tools/pack/tarball";
import { tempFolder } from "../../tools/process/temp-folder";
import { testEngine } from "../helpers/engine";

/** The pair that differs most from this checkout; the commands of an installed package have a suite of their own. */
const cell = diagonal.find(({ manager, modules }) => manager === "pnpm" && modules === "ESM");

it("the packed package, installed with pnpm, deploys a program in ESM, refreshes and destroys", async () => {
	if (cell === undefined) throw new Error("The diagonal has no such cell.");
	const folder = tempFolder("packed-");
	try {
		const { file } = await packTarball(folder);
		await runCell(cell, file, await testEngine());
	} finally {
		folder.remove();
	}
});
