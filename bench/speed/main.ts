import { existsSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { startServer } from "../../src/server";
import { type Engine, ensureEngine } from "../../tools/engine";
import { go, goTool } from "../../tools/engine/build";
import { keep } from "../../tools/engine/cache";
import { executable } from "../../tools/engine/environment";
import { hashOf } from "../../tools/engine/hosts";
import { exitWith } from "../../tools/process/exit-with";
import { deploy } from "./deployment";
import { renderReport } from "./report";
import {
	load,
	type Round,
	readSamples,
	type Sample,
	STEPS,
	type Step,
	VARIANTS,
	type Variant,
	writeSamples,
} from "./samples";

interface Options {
	readonly n: readonly number[];
	readonly delay: readonly number[];
	readonly reps: number;
	readonly variants: readonly Variant[];
	readonly steps: readonly Step[];
	readonly skipCheckpoints: boolean;
	readonly json: string;
	/** Built checkout of another version. */
	readonly other?: string;
	/** Results of earlier runs, to be put into one table instead of a new run. */
	readonly from: readonly string[];
}

const words = (text: string): string[] => text.split(",").map((part) => part.trim());

const numbers = (text: string): number[] =>
	words(text).map((word) => {
		if (/^\d+$/.test(word)) return Number(word);
		throw new InvalidArgumentError("Give whole numbers, with commas between them.");
	});

const someOf =
	(names: readonly string[]) =>
	(text: string): readonly string[] => {
		const unknown = words(text).find((word) => !names.includes(word));
		if (unknown === undefined)
			return names.filter((name) => words(text).includes(name));
		throw new InvalidArgumentError(`"${unknown}" is none of ${names.join(", ")}.`);
	};

const readOptions = (): Options =>
	new Command("npm run bench --")
		.description("measures this provider beside providers that do nothing")
		.option("--n <counts>", "schedules to deploy", numbers, [100])
		.option("--delay <ms>", "delay of every request at the server", numbers, [0])
		.option("--reps <count>", "repetitions; the table has their medians", Number, 3)
		.option(
			"--variants <names>",
			`of ${VARIANTS.join(", ")}`,
			someOf(VARIANTS),
			VARIANTS.filter((variant) => variant !== "other"),
		)
		.option(
			"--other <folder>",
			"built checkout of another version, for the variant other",
		)
		.option(
			"--steps <names>",
			`of ${STEPS.join(", ")}; up always runs`,
			someOf(STEPS),
			STEPS,
		)
		.option("--skip-checkpoints", "with PULUMI_SKIP_CHECKPOINTS=true", false)
		.option("--json <file>", "where the results go", "bench/speed/results/last.json")
		.option("--from <files>", "shows these results instead of measuring", words, [])
		.parse()
		.opts<Options>();

async function main(): Promise<void> {
	const options = readOptions();
	const samples =
		options.from.length > 0
			? options.from.flatMap(readSamples)
			: await measure(options);
	console.log(`\n${renderReport(samples)}`);
}

async function measure(options: Options): Promise<Sample[]> {
	if (options.variants.includes("other") && options.other === undefined)
		throw new Error("The variant other needs --other with the folder of its checkout.");
	const engine = await ensureEngine();
	const pluginFolder = options.variants.includes("floor")
		? await buildFloor()
		: undefined;
	const before = load();
	if (before > cpus().length / 4)
		console.error(`The machine is busy (load ${before}): do not trust these figures.`);
	const samples: Sample[] = [];
	for (const round of plan(options)) {
		for await (const sample of runRound(options, round, engine, pluginFolder)) {
			samples.push(sample);
			// After each, so that a long run that is interrupted is not lost.
			writeSamples(options.json, engine.version, before, samples);
			const {
				variant,
				step,
				n,
				delayMs,
				repetition,
				cpuMs = 0,
				wallMs,
				requests,
				load,
			} = sample;
			const what = `${variant} ${step} of ${n}, ${delayMs} ms, ${repetition}/${options.reps}`;
			const cost = `CPU ${(cpuMs / 1000).toFixed(2)} s, wall ${(wallMs / 1000).toFixed(2)} s`;
			console.error(`${what}: ${cost}, ${requests} requests, load ${load}`);
		}
	}
	return samples;
}

/** Variants and delays take turns within a repetition, so that a busy minute of the machine hits all of them. */
function plan({ n: counts, reps, delay, variants }: Options): Round[] {
	const rounds: Round[] = [];
	for (const n of counts)
		for (let repetition = 1; repetition <= reps; repetition++)
			// No delay changes those that make no request.
			for (const delayMs of delay)
				for (const variant of variants)
					if (sendsRequests(variant) || delayMs === delay[0])
						rounds.push({ variant, n, delayMs, repetition });
	return rounds;
}

const sendsRequests = (variant: Variant): boolean =>
	variant !== "floor" && variant !== "idle";

/** Each schedule must really be made, changed and deleted, or the figure is of something else. */
const WRITES: Partial<Record<Step, EndpointName>> = {
	up: "createSchedule",
	update: "updateSchedule",
	destroy: "deleteSchedule",
};

/** A server and a stack of its own for each; the server's work is this process's, which is not measured. */
async function* runRound(
	{ skipCheckpoints, steps, other }: Options,
	round: Round,
	engine: Engine,
	pluginFolder: string | undefined,
): AsyncGenerator<Sample> {
	const { variant, n, delayMs } = round;
	const server = await startServer({ faults: true });
	if (delayMs > 0) server.faults.add({ kind: "delay", ms: delayMs });
	const environment = {
		...server.environment,
		...(skipCheckpoints && { PULUMI_SKIP_CHECKPOINTS: "true" }),
	};
	const packageFolder = variant === "other" && other ? resolve(other) : undefined;
	const deployment = await deploy(variant, {
		n,
		engine,
		environment,
		pluginFolder,
		packageFolder,
	});
	const { requests } = server;
	try {
		// The other steps need something deployed.
		for (const step of steps.includes("up") ? steps : (["up", ...steps] as const)) {
			requests.clear();
			const loadBefore = load();
			const cost = await deployment.run(step);
			if (cost === undefined || !steps.includes(step)) continue;
			const endpoint = sendsRequests(variant) ? WRITES[step] : undefined;
			const made = endpoint && requests.count({ endpoint });
			if (made !== undefined && made !== n)
				throw new Error(
					`${step} of ${n} schedules made ${made} requests to ${endpoint}, not one for each.`,
				);
			const { maxInFlight } = requests;
			yield {
				...round,
				step,
				checkpoints: !skipCheckpoints,
				...cost,
				requests: requests.count(),
				maxInFlight,
				load: loadBefore,
			};
		}
	} finally {
		deployment.dispose();
		await server.close();
	}
}

/** Compiles the native plugin once for these sources, into the cache, and answers with its folder. */
function buildFloor(): Promise<string> {
	const sources = join(__dirname, "floor", "go");
	const plugin = executable("pulumi-resource-schedulefloor");
	return keep({
		shelf: "bench-floor",
		key: `${hashOf(sources)}-${process.platform}-${process.arch}`,
		title: "the native floor",
		isComplete: (folder) => existsSync(join(folder, plugin)),
		make: async (folder) => {
			const flags = [
				"-mod=readonly",
				"-trimpath",
				"-buildvcs=false",
				"-o",
				join(folder, plugin),
			];
			await go(goTool({ env: process.env, say: console.error }), sources, [
				"build",
				...flags,
				".",
			]);
		},
	});
}

exitWith(main());
