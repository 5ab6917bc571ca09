import type { Counts } from "./count";

export interface Outcome {
	readonly name: string;
	readonly counts: Counts;
	readonly seconds: number;
	/** Why it did not run. */
	readonly note?: string;
}

/** A table with a line for each step. */
export function table(outcomes: readonly Outcome[]): string {
	const rows = outcomes.map(({ name, counts, seconds, note }) => [
		name,
		String(counts.passed),
		String(counts.failed),
		String(counts.skipped),
		`${seconds.toFixed(1)} s`,
		note ?? "",
	]);
	const all = [["", "passed", "failed", "skipped", "time", ""], ...rows];
	const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
	return all
		.map((row) =>
			row
				.map((cell, column) =>
					column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
				)
				.join("  ")
				.trimEnd(),
		)
		.join("\n");
}
