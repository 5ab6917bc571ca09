import Table, { type Cell } from "cli-table3";
import type { Outcome } from "./row";

/** 102 columns and 8 borders: readable at 110. */
const WIDTHS = [4, 13, 27, 31, 12, 10, 5];

const shown = (value: number | string): string =>
	typeof value === "number" ? value.toLocaleString("en-US") : value;

/** All rows in one table: each figure on a line of its own, and what it is compared with below. */
export function table(outcomes: readonly Outcome[]): string {
	const head = ["#", "row", "load", "figure", "reached", "wanted", "ok"];
	const lines = new Table({ head, colWidths: WIDTHS, wordWrap: true, style: { head: [], border: [] } });
	for (const { number, name, load, figures, seconds } of outcomes) {
		const cells = figures.map(({ what, reached, wanted, ok }): Cell[] => {
			return [what, shown(reached), shown(wanted), ok ? "yes" : "NO"];
		});
		const rowSpan = cells.length;
		const titles = [String(number), `${name}\n${seconds.toFixed(1)} s`, load];
		const [first = [], ...rest] = cells;
		lines.push([...titles.map((content) => ({ content, rowSpan })), ...first], ...rest);
	}
	return lines.toString();
}

/** What to look at where a figure was missed. */
export function missed(outcomes: readonly Outcome[]): string[] {
	return outcomes.flatMap(({ number, name, figures }) =>
		figures
			.filter(({ ok }) => !ok)
			.map(({ what, reached, wanted, detail = "no detail was given" }) => {
				const title = `Row ${number} (${name}), ${what}: reached ${reached}, wanted ${wanted}`;
				return `${title}\n${detail.replace(/^/gm, "  ")}`;
			}),
	);
}

export function countFigures(outcomes: readonly Outcome[]): { passed: number; failed: number } {
	const figures = outcomes.flatMap((outcome) => outcome.figures);
	const passed = figures.filter(({ ok }) => ok).length;
	return { passed, failed: figures.length - passed };
}
