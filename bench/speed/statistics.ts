import type { Sample, StepName, VariantName } from "./model";

export interface Spread {
	readonly median: number;
	readonly min: number;
	readonly max: number;
}

/** One line of the table: the same step of the same variant, over all repetitions. */
export interface Row {
	readonly variant: VariantName;
	readonly step: StepName;
	readonly n: number;
	readonly delayMs: number;
	readonly checkpoints: boolean;
	readonly repetitions: number;
	readonly wallMs: Spread;
	readonly cpuMs: number | undefined;
	/** The most of all repetitions, as are the two below: a limit must hold every time. */
	readonly requests: number;
	readonly maxInFlight: number;
	readonly memoryBytes: number | undefined;
	readonly stateBytes: number | undefined;
	readonly bareStateBytes: number | undefined;
}

export function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const upper = sorted[Math.floor(middle)];
	const lower = sorted[Math.ceil(middle) - 1];
	if (upper === undefined || lower === undefined) throw new Error("There is no median of no values.");
	return (upper + lower) / 2;
}

/** The rows of the samples, in the order in which each first appears. */
export function summarize(samples: readonly Sample[]): Row[] {
	const groups = new Map<string, Sample[]>();
	for (const sample of samples) {
		const key = [sample.checkpoints, sample.n, sample.delayMs, sample.step, sample.variant].join(" ");
		groups.set(key, [...(groups.get(key) ?? []), sample]);
	}
	return [...groups.values()].flatMap(rowOf);
}

function rowOf(samples: readonly Sample[]): Row[] {
	const [first] = samples;
	if (first === undefined) return [];
	const { variant, step, n, delayMs, checkpoints } = first;
	const walls = samples.map(({ wallMs }) => wallMs);
	const row: Row = {
		variant,
		step,
		n,
		delayMs,
		checkpoints,
		repetitions: samples.length,
		wallMs: { median: median(walls), min: Math.min(...walls), max: Math.max(...walls) },
		cpuMs: ofKnown(samples, "cpuMs", median),
		requests: Math.max(...samples.map(({ requests }) => requests)),
		maxInFlight: Math.max(...samples.map(({ maxInFlight }) => maxInFlight)),
		memoryBytes: ofKnown(samples, "memoryBytes", (values) => Math.max(...values)),
		stateBytes: ofKnown(samples, "stateBytes", median),
		bareStateBytes: ofKnown(samples, "bareStateBytes", median),
	};
	return [row];
}

function ofKnown(
	samples: readonly Sample[],
	key: "cpuMs" | "memoryBytes" | "stateBytes" | "bareStateBytes",
	combine: (values: readonly number[]) => number,
): number | undefined {
	const known = samples.flatMap((sample) => sample[key] ?? []);
	return known.length === 0 ? undefined : combine(known);
}

export type RowFilter = Partial<Pick<Row, "variant" | "step" | "n" | "delayMs" | "checkpoints">>;

export function findRow(rows: readonly Row[], filter: RowFilter): Row | undefined {
	const wanted = Object.entries(filter) as [keyof RowFilter, unknown][];
	return rows.find((row) => wanted.every(([key, value]) => row[key] === value));
}

/** The floor makes no request, so one measurement of it stands beside every delay. */
export function floorOf(rows: readonly Row[], { step, n, checkpoints }: Row): Row | undefined {
	return findRow(rows, { variant: "floor", step, n, checkpoints });
}
