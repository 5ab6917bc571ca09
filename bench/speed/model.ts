/** In the order in which one round runs them. */
export const variantNames = ["ours", "floor", "idle", "naive"] as const;
export type VariantName = (typeof variantNames)[number];

/** These make no request: no delay changes them, and the server sees none of their writes. */
export const isSilent = (variant: VariantName): boolean => variant === "floor" || variant === "idle";

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
	lookups: "lookups",
} as const;
export type StepName = keyof typeof stepTitles;
export const stepNames = Object.keys(stepTitles) as StepName[];

/** What one step of one deployment cost; undefined where a variant has no such thing. */
export interface Cost {
	readonly wallMs: number;
	/** User and system time of the whole process tree. */
	readonly cpuMs: number | undefined;
	/** Most memory the provider process ever held. */
	readonly memoryBytes: number | undefined;
	/** State a resource, measured after the first up. */
	readonly stateBytes: number | undefined;
	/** The same without the SDK's stack traces. */
	readonly bareStateBytes: number | undefined;
}

export interface Sample extends Cost {
	readonly variant: VariantName;
	readonly step: StepName;
	readonly n: number;
	readonly delayMs: number;
	readonly repetition: number;
	readonly checkpoints: boolean;
	readonly requests: number;
	readonly maxInFlight: number;
}

/** N schedules in one variant's hands. */
export interface Deployment {
	/** Undefined for a step that the variant does not have. */
	run(step: StepName): Promise<Cost> | undefined;
	dispose(): void;
}
