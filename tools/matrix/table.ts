import type { Cell } from "./cells";

export interface Outcome {
	readonly cell: Cell;
	/** Deployed by the engine, or only built with its mocks. */
	readonly deployed: boolean;
	readonly problem?: string | undefined;
}

const HEADER = ["Runtime", "`@pulumi/pulumi`", "TypeScript", "Modules", "Installed with", "Result"];

/** The outcomes as a Markdown table, in the order of runtime and SDK. */
export function markdownTable(outcomes: readonly Outcome[]): string {
	const rows = outcomes.map(rowOf).sort((one, other) => compare(one.join(), other.join()));
	const widths = HEADER.map((title, column) =>
		Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	const line = (cells: readonly string[]) =>
		`| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
	return [HEADER, widths.map((width) => "-".repeat(width)), ...rows].map(line).join("\n");
}

const compare = (one: string, other: string): number => one.localeCompare(other, "en", { numeric: true });

function rowOf({ cell, deployed, problem }: Outcome): string[] {
	const runtime = cell.runtime === "bun" ? "Bun" : `Node ${cell.runtime}`;
	const works = deployed ? "deploys" : "loads and builds";
	return [
		runtime,
		cell.sdk,
		cell.typescript,
		cell.modules,
		cell.manager,
		problem === undefined ? works : "fails",
	];
}

const MARKS = /(<!-- matrix -->)[\s\S]*?(<!-- \/matrix -->)/;

/** The text with the table between its marks; undefined where it has none. */
export function withTable(text: string, table: string): string | undefined {
	return MARKS.test(text) ? text.replace(MARKS, `$1\n\n${table}\n\n$2`) : undefined;
}
