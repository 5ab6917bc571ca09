import { test } from "vitest";
import { diagonal, nameOf } from "../../tools/matrix/cells";
import { runCell } from "../../tools/matrix/run-cell";
import { packTarball } from "../../tools/pack/tarball";
import { tempFolder } from "../../tools/process/temp-folder";

/** Every combination, on the engine as well, is `npm run test:matrix`; the installed commands deploy in e2e. */
test.concurrent.each(diagonal.map((cell) => [nameOf(cell), cell] as const))(
	"a program with every class is installed, compiled and run: %s",
	async (_, cell) => {
		const folder = tempFolder("packed-");
		try {
			await runCell(cell, (await packTarball(folder)).file);
		} finally {
			folder.remove();
		}
	},
);
