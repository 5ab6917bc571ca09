import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureEngine } from "../engine";
import { packTarball } from "../pack/tarball";
import { exitWith } from "../process/exit-with";
import { must } from "../process/must";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";
import { allCells, bunCells, type Cell, coveringCells, nameOf } from "./cells";
import { runCell } from "./run-cell";
import { type Outcome, shortTable, withTable } from "./table";

/**
 * `npm run test:matrix` tries the packed package with each pair of package manager, module system, TypeScript, SDK and
 * Node.js, and writes the table of docs/configuration.md. With `--full` it tries all combinations, and only prints.
 */
async function main(args: readonly string[]): Promise<number> {
	const full = args.includes("--full");
	const newest = await newestSdk();
	const cells = [
		...(full ? allCells(newest) : coveringCells(newest)),
		...bunCells(newest),
	];
	const folder = tempFolder("matrix-pack-");
	try {
		const { file } = await packTarball(folder);
		const outcomes: Outcome[] = [];
		for (const [index, cell] of cells.entries()) {
			const outcome = await attempt(cell, file);
			console.error(
				`[${index + 1}/${cells.length}] ${nameOf(cell)}: ${outcome.problem ?? "ok"}`,
			);
			outcomes.push(outcome);
		}
		report(outcomes, !full);
		return outcomes.every(({ problem }) => problem === undefined) ? 0 : 1;
	} finally {
		folder.remove();
	}
}

/** The registry's, so that a release of the SDK which breaks something is noticed. */
const newestSdk = async (): Promise<string> =>
	(await must("npm", ["view", "@pulumi/pulumi", "version"])).trim();

async function attempt(cell: Cell, tarball: string): Promise<Outcome> {
	const deployed = cell.runtime !== "bun";
	try {
		await runCell(cell, tarball, deployed ? await ensureEngine() : undefined);
		return { cell, deployed };
	} catch (error) {
		return {
			cell,
			deployed,
			problem: error instanceof Error ? error.message : String(error),
		};
	}
}

function report(outcomes: readonly Outcome[], intoPage: boolean): void {
	const table = shortTable(outcomes);
	console.log(table);
	const file = join(repository, "docs", "configuration.md");
	const text = intoPage ? withTable(readFileSync(file, "utf8"), table) : undefined;
	if (text !== undefined) writeFileSync(file, text);
}

exitWith(main(process.argv.slice(2)));
