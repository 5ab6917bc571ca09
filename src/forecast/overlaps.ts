import type { Overlap } from "./report";
import { iso } from "./window";

/** The usual length of a run: the median of those that are known. */
export function typicalLength(lengths: readonly number[]): number | undefined {
	const sorted = [...lengths].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)];
}

/** Whether a pipeline with these starts, in any order, would still be running when it starts again. */
export function overlapOf(
	which: { readonly team: string; readonly pipeline: string },
	starts: readonly number[],
	lengths: readonly number[],
): Overlap | undefined {
	const typical = typicalLength(lengths);
	if (typical === undefined) return undefined;
	const sorted = Float64Array.from(starts).sort();
	const gaps = sorted.subarray(1).map((at, index) => at - (sorted[index] ?? 0));
	const first = gaps.findIndex((gap) => gap < typical);
	if (first < 0) return undefined;
	return {
		...which,
		typicalSeconds: Math.round(typical / 1_000),
		seen: lengths.length,
		shortestGapSeconds: Math.round(gaps.reduce((a, b) => Math.min(a, b)) / 1_000),
		times: gaps.filter((gap) => gap < typical).length,
		firstAt: iso(sorted[first + 1] ?? 0),
	};
}
