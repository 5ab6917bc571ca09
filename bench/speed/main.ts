import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { type LocalServer, startServer } from "../../src/server";
import { type Engine, EngineUnavailableError, ensureEngine } from "../../tools/engine";
import { go, goTool } from "../../tools/engine/build";
import { keep } from "../../tools/engine/cache";
import { executable } from "../../tools/engine/environment";
import { hashOf } from "../../tools/engine/hosts";
import { repository } from "../../tools/repository";
import { type BenchOptions, parseArguments } from "./arguments";
import { type Deployment, deploy } from "./deployment";
import {
	isSilent,
	type Round,
	readSamples,
	type Sample,
	type StepName,
	stepTitles,
	thisMachine,
	writeResults,
} from "./model";
import { renderReport } from "./report";

async function main(): Promise<void> {
	const options = parseArguments(process.argv.slice(2));
	const samples = options.from.length > 0 ? options.from.flatMap(readSamples) : await measure(options);
	console.log(`\n${renderReport(samples)}`);
}

interface Bench {
	readonly options: BenchOptions;
	readonly engine: Engine;
	readonly pluginFolder: string | undefined;
	readonly onSample: (sample: Sample) => void;
}

async function measure(options: BenchOptions): Promise<Sample[]> {
	if (!existsSync(join(repository, "dist", "index.js"))) {
		throw new Error("The package is not built. Run `npm run build`, then this again.");
	}
	const engine = await ensureEngine();
	const pluginFolder = options.variants.includes("floor") ? await buildFloor() : undefined;
	const machine = thisMachine(engine.version);
	if (machine.load > machine.cores / 4) {
		console.error(`The machine is busy (load ${machine.load}): do not trust these figures.`);
	}
	const samples: Sample[] = [];
	const onSample = (sample: Sample) => {
		samples.push(sample);
		// After each, so that a long run that is interrupted is not lost.
		writeResults(options.json, { machine, program: options.program, samples });
		console.error(line(sample, options.reps));
	};
	const bench = { options, engine, pluginFolder, onSample };
	for (const round of plan(options)) await runRound(bench, round);
	console.error(`Results are in ${options.json}`);
	return samples;
}

function line({ variant, step, n, delayMs, repetition, wallMs, requests }: Sample, reps: number): string {
	const what = `${variant} ${stepTitles[step]} of ${n}, ${delayMs} ms, ${repetition}/${reps}`;
	return `${what}: ${(wallMs / 1000).toFixed(2)} s, ${requests} requests`;
}

/** Variants and delays take turns within a repetition, so that a busy minute of the machine hits all of them. */
function plan(options: BenchOptions): Round[] {
	const repetitions = Array.from({ length: options.reps }, (_, index) => index + 1);
	return options.n.flatMap((n) =>
		repetitions.flatMap((repetition) =>
			options.delay.flatMap((delayMs, index) =>
				options.variants
					.filter((variant) => !isSilent(variant) || index === 0)
					.map((variant) => ({ variant, n, delayMs, repetition })),
			),
		),
	);
}

/** A server and a stack of its own for each; the server's work is this process's, which is not measured. */
async function runRound(bench: Bench, round: Round): Promise<void> {
	const { engine, pluginFolder, options } = bench;
	const { skipCheckpoints, steps, program: language } = options;
	const server = await startServer({ faults: true });
	if (round.delayMs > 0) server.faults.add({ kind: "delay", ms: round.delayMs });
	const { environment } = server;
	const context = { n: round.n, engine, environment, skipCheckpoints, language, pluginFolder };
	const deployment = await deploy(round.variant, context);
	try {
		// The other steps need something deployed.
		if (!steps.includes("up")) await deployment.run("up");
		for (const step of steps) await runStep(bench, round, { server, deployment, step });
	} finally {
		deployment.dispose();
		await server.close();
	}
}

/** Each schedule must really be made, changed and deleted, or the figure is of something else. */
const writes: Partial<Record<StepName, EndpointName>> = {
	up: "createSchedule",
	update: "updateSchedule",
	destroy: "deleteSchedule",
};

interface Turn {
	readonly server: LocalServer;
	readonly deployment: Deployment;
	readonly step: StepName;
}

async function runStep(
	{ options, onSample }: Bench,
	round: Round,
	{ server: { requests }, deployment, step }: Turn,
): Promise<void> {
	requests.clear();
	const cost = await deployment.run(step);
	if (cost === undefined) return;
	const endpoint = isSilent(round.variant) ? undefined : writes[step];
	const made = endpoint && requests.count({ endpoint });
	if (made !== undefined && made !== round.n) {
		throw new Error(
			`${step} of ${round.n} schedules (${round.variant}) made ${made} requests to ${endpoint}. ` +
				"It must make one for each; what was measured is not that step.",
		);
	}
	const { entries, maxInFlight } = requests;
	const checkpoints = !options.skipCheckpoints;
	onSample({ ...round, step, checkpoints, ...cost, requests: entries.length, maxInFlight });
}

const floorSources = join(__dirname, "floor", "go");
const floorPlugin = executable("pulumi-resource-schedulefloor");

/** Compiles the native plugin once for these sources, into the cache, and answers with its folder. */
function buildFloor(): Promise<string> {
	return keep({
		shelf: "bench-floor",
		key: `${hashOf(floorSources)}-${process.platform}-${process.arch}`,
		title: "the native floor",
		isComplete: (folder) => existsSync(join(folder, floorPlugin)),
		make: async (folder) => {
			console.error("Building the native floor with Go: once, it is kept for later runs.");
			const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-o", join(folder, floorPlugin)];
			await go(goTool({ env: process.env, say: console.error }), floorSources, ["build", ...flags, "."]);
		},
	});
}

main().catch((error: unknown) => {
	const known = error instanceof EngineUnavailableError;
	console.error(known || !(error instanceof Error) ? String(error) : error.message);
	process.exitCode = 1;
});
