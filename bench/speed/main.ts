import { existsSync } from "node:fs";
import { join } from "node:path";
import { EngineUnavailableError, ensureEngine } from "../../tools/engine";
import { repository } from "../../tools/repository";
import { type BenchOptions, parseArguments } from "./arguments";
import { buildFloor } from "./floor-plugin";
import { type Sample, stepTitles } from "./model";
import { renderReport } from "./report";
import { readSamples, thisMachine, writeResults } from "./results";
import { type Bench, plan, runLookups, runRound } from "./rounds";
import { benchServer } from "./server";

async function main(): Promise<void> {
	const options = parseArguments(process.argv.slice(2));
	const samples = options.from.length > 0 ? options.from.flatMap(readSamples) : await measure(options);
	console.log(`\n${renderReport(samples)}`);
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
	const server = benchServer();
	const bench: Bench = { options, server, context: { engine, pluginFolder }, onSample };
	try {
		for (const round of plan(options)) await runRound(bench, round);
		if (options.steps.includes("lookups") && options.variants.includes("ours")) await runLookups(bench);
	} finally {
		server.end();
	}
	console.error(`Results are in ${options.json}`);
	return samples;
}

function line({ variant, step, n, delayMs, repetition, wallMs, requests }: Sample, reps: number): string {
	const what = `${variant} ${stepTitles[step]} of ${n}, ${delayMs} ms, ${repetition}/${reps}`;
	return `${what}: ${(wallMs / 1000).toFixed(2)} s, ${requests} requests`;
}

main().catch((error: unknown) => {
	const known = error instanceof EngineUnavailableError;
	console.error(known || !(error instanceof Error) ? String(error) : error.message);
	process.exitCode = 1;
});
