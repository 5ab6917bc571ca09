import Table, { type Cell } from "cli-table3";
import type { Figure, Outcome } from "./row";

/** 102 columns and 8 borders: readable at 110. */
const WIDTHS = [4, 13, 27, 31, 12, 10, 5];

/** All rows in one table: each figure on a line of its own, and what it is compared with below. */
export function table(outcomes: readonly Outcome[]): string {
	const lines = new Table({
		head: ["#", "row", "load", "figure", "reached", "wanted", "ok"],
		colWidths: WIDTHS,
		wordWrap: true,
		style: { head: [], border: [] },
	});
	for (const outcome of outcomes) lines.push(...linesOf(outcome));
	return lines.toString();
}

function linesOf({ row, load, figures, compared = [], seconds }: Outcome): Cell[][] {
	const height = figures.length + compared.length;
	const [first, ...rest] = figures.map(figureCells);
	const head: Cell[] = [
		{ content: String(row.number), rowSpan: height },
		{ content: `${row.name}\n${seconds.toFixed(1)} s`, rowSpan: height },
		{ content: load, rowSpan: height },
	];
	const beside = compared.map(({ who, outcome }): Cell[] => [
		{ content: `beside it, ${who}: ${outcome}`, colSpan: 4 },
	]);
	return [[...head, ...(first ?? [])], ...rest, ...beside];
}

const figureCells = ({ what, reached, wanted, ok }: Figure): Cell[] => [
	what,
	number(reached),
	number(wanted),
	ok ? "yes" : "NO",
];

const number = (value: number | string): string =>
	typeof value === "number" ? value.toLocaleString("en-US") : value;

/** What to look at where a figure was missed. */
export function missed(outcomes: readonly Outcome[]): string[] {
	return outcomes.flatMap(({ row, figures }) =>
		figures
			.filter(({ ok }) => !ok)
			.map(({ what, reached, wanted, detail = "no detail was given" }) => {
				const title = `Row ${row.number} (${row.name}), ${what}: reached ${reached}, wanted ${wanted}`;
				return `${title}\n${detail.replace(/^/gm, "  ")}`;
			}),
	);
}

export function countFigures(outcomes: readonly Outcome[]): { passed: number; failed: number } {
	const figures = outcomes.flatMap((outcome) => outcome.figures);
	const passed = figures.filter(({ ok }) => ok).length;
	return { passed, failed: figures.length - passed };
}
