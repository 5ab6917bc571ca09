import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EngineUnavailableError, ensureEngine } from "../engine";
import { packForAll } from "../pack/tarball";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";
import { attach, type Collect } from "./attach";
import { type Counts, countReport } from "./count";

export interface Step {
	readonly name: string;
	/** Preparation is no check: it counts only when it fails. */
	readonly prepares?: readonly string[];
	/** Shows what its tools print as it comes, or hands it over. */
	run(collect?: Collect): Promise<Counts>;
}

/** Steps that run side by side. */
export type Stage = readonly Step[];

const minute = 60_000;
const bin = (...path: string[]) => join(repository, "node_modules", ...path);
const tsNode = bin("ts-node", "dist", "bin.js");

/** Tools that pass or fail as a whole; each runs, also where one before it has failed. */
function check(
	name: string,
	limitMinutes: number,
	...commands: readonly (readonly string[])[]
): Step {
	return {
		name,
		run: async (collect) => {
			let passed = true;
			for (const command of commands) {
				passed =
					(await attach(command, limitMinutes * minute, collect)) === 0 && passed;
			}
			return { passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 };
		},
	};
}

function preparation(
	name: string,
	prepares: readonly string[],
	work: () => Promise<boolean>,
): Step {
	return {
		name,
		prepares,
		run: async () => ({ passed: 0, failed: (await work()) ? 0 : 1, skipped: 0 }),
	};
}

/**
 * Two workers, where tests keep the cores busy; more, where they start other processes and wait for them.
 * Suites with real processes and browsers try a failed test again, and the end of the run names it.
 */
function suite(
	name: string,
	limitMinutes: number,
	{ workers = 2, retry = 0 } = {},
): Step {
	const limits = [`--maxWorkers=${workers}`, `--retry=${retry}`];
	const args = [
		"run",
		"--project",
		name,
		...limits,
		"--reporter=default",
		"--reporter=json",
	];
	return {
		name,
		run: async (collect) => {
			const folder = tempFolder("pulumi-datachain-report-");
			const report = join(folder.path, "report.json");
			const vitest = [
				bin("vitest", "vitest.mjs"),
				...args,
				`--outputFile.json=${report}`,
			];
			try {
				const code = await attach(vitest, limitMinutes * minute, collect);
				// A run that died before it could write a report counts as a failure.
				return countReport(
					existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined,
					code,
				);
			} finally {
				folder.remove();
			}
		},
	};
}

/** The fault bench, which tries to lose, duplicate and leak things. */
const faultBench = (limitMinutes: number, ...args: readonly string[]): Step =>
	check("faults", limitMinutes, [tsNode, join("bench", "faults", "main.ts"), ...args]);

async function haveEngine(): Promise<boolean> {
	try {
		const engine = await ensureEngine();
		console.log(`Pulumi ${engine.version} (${engine.source})`);
		return true;
	} catch (error) {
		if (!(error instanceof EngineUnavailableError)) throw error;
		console.error(error.message);
		return false;
	}
}

/** Without the engine each of their tests would spend minutes on finding out the same again. */
export const NEED_ENGINE: readonly string[] = ["e2e", "nightly", "matrix", "faults"];

const build = preparation(
	"build",
	["types", "unit", "contract", "model", "package", "e2e", "nightly", "faults"],
	async () =>
		(await attach([tsNode, join("tools", "build", "main.ts")], 10 * minute)) === 0,
);
const pack = preparation("pack", ["package", "e2e", "nightly"], async () => {
	await packForAll();
	return true;
});
const engine = preparation("engine", NEED_ENGINE, haveEngine);

const lint = check(
	"lint",
	10,
	[bin("@biomejs", "biome", "bin", "biome"), "check", "."],
	[
		bin("dependency-cruiser", "bin", "dependency-cruise.mjs"),
		"src",
		"tools",
		"test",
		"bench",
		"examples",
	],
	[bin("markdownlint-cli2", "markdownlint-cli2-bin.mjs")],
	[bin("cspell", "bin.mjs"), "--no-progress", "--no-summary"],
	[tsNode, "--transpileOnly", join("tools", "wording", "words.ts")],
);
const types = check(
	"types",
	10,
	[bin("typescript", "bin", "tsc"), "-p", "tsconfig.check.json"],
	[bin("typescript", "bin", "tsc"), "-p", "src/board/page"],
);

/** In order; a preparation runs when one of the steps that need it does. Side by side is what uses one core each. */
export const steps: readonly Stage[] = [
	[build],
	[lint, types, pack],
	[suite("unit", 20)],
	[suite("contract", 40, { workers: 6, retry: 1 })],
	[suite("model", 10)],
	[engine],
	// The seed is fixed, so that a red run can be repeated as it was. The suites try the other rows on a smaller scale; a job of
	// the workflow for every change runs all of them.
	[
		suite("package", 40, { retry: 1 }),
		faultBench(40, "--scale=quick", "--seed=1", "--rows=4"),
	],
	[suite("e2e", 60, { workers: 6, retry: 1 })],
];

/** `npm run test:nightly`: what takes too long for every change. The fault bench draws another seed each time, and prints it. */
export const nightly: readonly Stage[] = [
	[build],
	[pack],
	[engine],
	[suite("nightly", 120, { workers: 1 })],
	[check("matrix", 180, [tsNode, join("tools", "matrix", "main.ts"), "--full"])],
	[faultBench(14 * 60, "--scale=full")],
];
