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
	let [times, firstAt, shortest] = [0, 0, Number.POSITIVE_INFINITY];
	for (let index = 1; index < sorted.length; index += 1) {
		const at = sorted[index] ?? 0;
		const gap = at - (sorted[index - 1] ?? 0);
		shortest = Math.min(shortest, gap);
		if (gap >= typical) continue;
		times += 1;
		if (times === 1) firstAt = at;
	}
	if (times === 0) return undefined;
	return {
		...which,
		typicalSeconds: Math.round(typical / 1_000),
		seen: lengths.length,
		shortestGapSeconds: Math.round(shortest / 1_000),
		times,
		firstAt: iso(firstAt),
	};
}
