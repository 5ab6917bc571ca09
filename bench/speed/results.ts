import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";
import { z } from "zod";
import { type Sample, type StepName, stepNames, variantNames } from "./model";

const count = z.number().int().nonnegative();

const sampleSchema = z.strictObject({
	variant: z.enum(variantNames),
	step: z.enum(stepNames as [StepName, ...StepName[]]),
	n: count,
	delayMs: count,
	repetition: count,
	checkpoints: z.boolean(),
	wallMs: z.number(),
	cpuMs: z.number().optional(),
	requests: count,
	maxInFlight: count,
	stateBytes: z.number().optional(),
	bareStateBytes: z.number().optional(),
	memoryBytes: z.number().optional(),
});

const resultsSchema = z.strictObject({
	machine: z.strictObject({
		platform: z.string(),
		node: z.string(),
		engine: z.string(),
		cores: z.number(),
		memoryGb: z.number(),
		/** Of the minute before the first step: others at work make every figure worthless. */
		load: z.number(),
	}),
	program: z.enum(["ts", "js"]),
	samples: z.array(sampleSchema),
});

/** What a run leaves behind: every sample, so that other tables can be made of it. */
export type Results = z.infer<typeof resultsSchema>;

export function thisMachine(engine: string): Results["machine"] {
	return {
		platform: `${process.platform} ${process.arch}`,
		node: process.version,
		engine,
		cores: cpus().length,
		memoryGb: Math.round(totalmem() / 1e9),
		load: Number((loadavg()[0] ?? 0).toFixed(2)),
	};
}

export function writeResults(file: string, results: Results): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify(results, undefined, "\t")}\n`);
}

export function readSamples(file: string): Sample[] {
	const parsed = resultsSchema.safeParse(JSON.parse(readFileSync(file, "utf8")));
	if (!parsed.success) {
		throw new Error(`${file} holds no results of this bench: ${z.prettifyError(parsed.error)}`);
	}
	return parsed.data.samples.map((sample) => ({
		...sample,
		cpuMs: sample.cpuMs,
		memoryBytes: sample.memoryBytes,
		stateBytes: sample.stateBytes,
		bareStateBytes: sample.bareStateBytes,
	}));
}
