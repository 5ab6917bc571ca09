import { createColors } from "picocolors";
import { type Cell, plain, type Report, type Section, type Severity } from "./report";
import { columns } from "./table";

export type Colors = ReturnType<typeof createColors>;

export interface TextOptions {
	readonly color: boolean;
	/** Rows of a section that are shown before "and N more". */
	readonly most?: number;
	/** Lines between the headline and the tables. */
	readonly figure?: (colors: Colors) => readonly string[];
}

/** The report for a person at a terminal. */
export function reportText(report: Report, { color, most = 40, figure = () => [] }: TextOptions): string {
	const colors = createColors(color);
	const { verdict, headline } = report;
	const said =
		verdict === undefined
			? colors.bold(plain(headline, 300))
			: `${paintOf(colors, verdict.severity)(verdict.text)}: ${headline}.`;
	return [
		said,
		...report.footnotes.map((line) => colors.dim(line)),
		"",
		...figure(colors),
		...report.sections.flatMap((section) => sectionText(section, colors, most)),
		...report.notes.map((note) => colors.dim(plain(note, 400))),
		...(report.notes.length > 0 ? [""] : []),
	].join("\n");
}

/** The colour of a severity. */
export const paintOf = (colors: Colors, severity: Severity) =>
	({ bad: colors.red, odd: colors.yellow, good: colors.green, info: colors.cyan, quiet: colors.dim })[
		severity
	];

/** Nothing if the section is empty. */
function sectionText(section: Section, colors: Colors, most: number): string[] {
	const { title, severity, what, heads, rows, count = rows.length, repair } = section;
	if (rows.length === 0) return [];
	const lines = rows.slice(0, most).map((row, index) => {
		const goesOn = row[0] === rows[index - 1]?.[0];
		return row.map((cell, column) => (goesOn && column < 2 ? "" : shown(cell)));
	});
	const more = rows.length > most ? [`  … and ${rows.length - most} more; --json lists all.`] : [];
	return [
		paintOf(colors, severity)(colors.bold(`${title} (${count})`)),
		`  ${colors.dim(what)}`,
		...(repair === undefined ? [] : [`  To repair: ${plain(repair)}`]),
		...table(colors, heads, lines),
		...more,
		"",
	];
}

function shown(cell: Cell): string {
	if (cell.as === "resource") return plain(`${cell.kind} ${cell.name}`, 60);
	if (cell.as === "cron" && cell.meaning !== undefined) return plain(`${cell.text}  ${cell.meaning}`, 120);
	return plain(cell.text, cell.as === "words" ? 400 : 80);
}

function table(colors: Colors, heads: readonly string[], rows: readonly string[][]): string[] {
	const [head = "", ...lines] = columns([heads.map((each) => each.toLowerCase()), ...rows])
		.slice(0, -1)
		.split("\n");
	return [colors.dim(head), ...lines].map((line) => `  ${line}`);
}
