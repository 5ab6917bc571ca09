import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";

/** In the order in which one round runs them. */
export const VARIANTS = ["ours", "plugin", "other", "naive", "idle", "floor"] as const;
export type Variant = (typeof VARIANTS)[number];

/** In the order in which one deployment runs them. */
export const STEPS = [
	"up",
	"no-op",
	"preview",
	"update",
	"refresh",
	"preview-refresh",
	"drift",
	"destroy",
] as const;
export type Step = (typeof STEPS)[number];

/** What one step of one deployment cost; undefined where a variant has no such thing. */
export interface Cost {
	readonly wallMs: number;
	/** User and system time of the whole process tree. */
	readonly cpuMs?: number | undefined;
	/** Most memory the provider process ever held. */
	readonly memoryBytes?: number | undefined;
	/** State a resource, measured after the first up. */
	readonly stateBytes?: number | undefined;
}

/** One deployment to be measured from up to destroy. */
export interface Round {
	readonly variant: Variant;
	readonly n: number;
	readonly delayMs: number;
	readonly repetition: number;
}

export interface Sample extends Cost, Round {
	readonly step: Step;
	readonly checkpoints: boolean;
	readonly requests: number;
	readonly maxInFlight: number;
	/** Of the machine in the minute before the step; older results have none. */
	readonly load?: number;
}

/** Of the minute before the first step: others at work make every figure worthless. */
export const load = (): number => Number((loadavg()[0] ?? 0).toFixed(2));

/** Every sample, so that other tables can be made of them. */
export function writeSamples(
	file: string,
	engine: string,
	load: number,
	samples: readonly Sample[],
): void {
	const machine = {
		platform: `${process.platform} ${process.arch}`,
		node: process.version,
		engine,
		cores: cpus().length,
		memoryGb: Math.round(totalmem() / 1e9),
		load,
	};
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify({ machine, samples }, undefined, "\t")}\n`);
}

export function readSamples(file: string): readonly Sample[] {
	const { samples }: { samples?: readonly Sample[] } = JSON.parse(
		readFileSync(file, "utf8"),
	);
	if (samples === undefined) throw new Error(`${file} holds no results of this bench.`);
	return samples;
}
