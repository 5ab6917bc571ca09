import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { dirname } from "node:path";

/** In the order in which one round runs them. */
export const variantNames = ["ours", "floor", "idle"] as const;
export type VariantName = (typeof variantNames)[number];

/** These make no request: no delay changes them, and the server sees none of their writes. */
export const isSilent = (variant: VariantName): boolean => variant !== "ours";

/** In the order in which one deployment runs them; the value is how the table calls it. */
export const stepTitles = {
	up: "up",
	"no-op": "no-op up",
	preview: "preview",
	update: "update all",
	refresh: "refresh",
	"preview-refresh": "preview --refresh",
	drift: "drift",
	destroy: "destroy",
} as const;
export type StepName = keyof typeof stepTitles;
export const stepNames = Object.keys(stepTitles) as StepName[];

/** What one step of one deployment cost; undefined where a variant has no such thing. */
export interface Cost {
	readonly wallMs: number;
	/** User and system time of the whole process tree. */
	readonly cpuMs?: number | undefined;
	/** Most memory the provider process ever held. */
	readonly memoryBytes?: number | undefined;
	/** State a resource, measured after the first up. */
	readonly stateBytes?: number | undefined;
	/** The same without the SDK's stack traces. */
	readonly bareStateBytes?: number | undefined;
}

/** One deployment to be measured from up to destroy. */
export interface Round {
	readonly variant: VariantName;
	readonly n: number;
	readonly delayMs: number;
	readonly repetition: number;
}

export interface Sample extends Cost, Round {
	readonly step: StepName;
	readonly checkpoints: boolean;
	readonly requests: number;
	readonly maxInFlight: number;
}

/** What a run leaves behind: every sample, so that other tables can be made of it. */
export interface Results {
	readonly machine: ReturnType<typeof thisMachine>;
	readonly program: "ts" | "js";
	readonly samples: readonly Sample[];
}

export const thisMachine = (engine: string) => ({
	platform: `${process.platform} ${process.arch}`,
	node: process.version,
	engine,
	cores: cpus().length,
	memoryGb: Math.round(totalmem() / 1e9),
	/** Of the minute before the first step: others at work make every figure worthless. */
	load: Number((loadavg()[0] ?? 0).toFixed(2)),
});

export function writeResults(file: string, results: Results): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, `${JSON.stringify(results, undefined, "\t")}\n`);
}

export function readSamples(file: string): readonly Sample[] {
	const { samples }: Partial<Results> = JSON.parse(readFileSync(file, "utf8"));
	if (samples === undefined) throw new Error(`${file} holds no results of this bench.`);
	return samples;
}
