import Table from "cli-table3";
import { createColors } from "picocolors";
import type { DriftReport } from "./report";
import { type Cell, type Section, sectionsOf } from "./sections";
import { counts, footnotes, plain, subject, teamsOf } from "./wording";

export interface TextOptions {
	readonly color: boolean;
	/** Rows of a section shown before "and N more". */
	readonly rows?: number;
}

type Colors = ReturnType<typeof createColors>;

/** The report for a person at a terminal. */
export function renderText(report: DriftReport, { color, rows = 40 }: TextOptions): string {
	const colors = createColors(color);
	return [
		headline(report, colors),
		"",
		...sectionsOf(report).flatMap((section) => sectionLines(section, colors, rows)),
		...footnotes(report).map((line) => colors.dim(line)),
		"",
	].join("\n");
}

function sectionLines({ id, title, what, heads, rows }: Section, colors: Colors, most: number): string[] {
	if (rows.length === 0) return [];
	const lines = rows.slice(0, most).map((row, index) => {
		const goesOn = row[0] === rows[index - 1]?.[0];
		return row.map((cell, column) => (goesOn && column < 2 ? "" : shown(cell)));
	});
	const more = rows.length > most ? [`  … and ${rows.length - most} more; --json lists all.`] : [];
	return [
		paint(colors, id)(colors.bold(title)),
		`  ${colors.dim(what)}`,
		table(colors, heads, lines),
		...more,
		"",
	];
}

function paint(colors: Colors, id: string): Colors["red"] {
	if (id === "missing" || id === "twins" || id === "failed") return colors.red;
	if (id === "changed") return colors.yellow;
	return id === "unmanaged" ? colors.cyan : colors.dim;
}

function shown(cell: Cell): string {
	if (cell.as === "resource") return plain(`${cell.kind} ${cell.name}`, 60);
	return plain(cell.text, cell.as === "words" ? 400 : 80);
}

function headline(report: DriftReport, colors: Colors): string {
	const { changed, missing, twins, unmanaged, failed } = report.summary;
	const where = `${subject(report)} against ${teamsOf(report)}`;
	if (changed + missing + twins > 0) return `${colors.red("Drift")}: ${where}: ${counts(report)}.`;
	if (failed > 0) return `${colors.red("Not everything could be checked")}: ${where}: ${counts(report)}.`;
	if (unmanaged === 0) return `${colors.green("No drift")}: ${where}.`;
	return `${colors.green("No drift in what is managed")}: ${where}: ${counts(report)}.`;
}

function table(colors: Colors, heads: readonly string[], rows: string[][]): string {
	const none = { top: "", "top-mid": "", "top-left": "", "top-right": "" };
	const made = new Table({
		head: heads.map((head) => colors.dim(head.toLowerCase())),
		// The library's own colours would not follow NO_COLOR.
		style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
		chars: {
			...none,
			bottom: "",
			"bottom-mid": "",
			"bottom-left": "",
			"bottom-right": "",
			left: "  ",
			"left-mid": "",
			mid: "",
			"mid-mid": "",
			right: "",
			"right-mid": "",
			middle: "",
		},
	});
	made.push(...rows);
	return made.toString().replace(/[ \t]+$/gm, "");
}
