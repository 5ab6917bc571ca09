import { styleText } from "node:util";
import { showInstant } from "./instant";
import {
	type Cell,
	moment,
	plain,
	type Report,
	type Section,
	type Severity,
} from "./report";
import { visible } from "./wording";

type Style = Extract<Parameters<typeof styleText>[0], string>;

/** For a terminal. Where nobody wants colour, the finished output is stripped of it. */
export const styled = (style: Style, text: string): string =>
	styleText(style, text, { validateStream: false });

/** The colour of each severity. */
export const STYLES: Readonly<Record<Severity, Style>> = {
	bad: "red",
	odd: "yellow",
	good: "green",
	info: "cyan",
	quiet: "dim",
};

/** A command is there to be copied, so it is not cut where a name would be: a stack's name has up to 100 characters. */
const LONGEST_COMMAND = 400;

/** Rows of a section that a terminal shows before "and N more". */
const MOST_ROWS = 40;

/** The report for a person at a terminal. */
export function reportText(report: Report): string {
	const { verdict, headline } = report;
	const said =
		verdict === undefined
			? styled("bold", plain(headline, 300))
			: `${styled(STYLES[verdict.severity], verdict.text)}: ${headline}.`;
	return [
		said,
		...report.footnotes.map((line) => styled("dim", line)),
		"",
		...report.sections.flatMap(sectionText),
		...report.notes.map((note) => styled("dim", plain(note, 400))),
		...(report.notes.length > 0 ? [""] : []),
	].join("\n");
}

/** Nothing if the section is empty. */
function sectionText(section: Section): string[] {
	const {
		title,
		severity,
		what: description,
		heads,
		rows,
		count = rows.length,
		repair,
	} = section;
	if (rows.length === 0) return [];
	const lines = rows.slice(0, MOST_ROWS).map((row, index) => {
		const goesOn = row[0] === rows[index - 1]?.[0];
		return row.map((cell, column) => (goesOn && column < 2 ? "" : cellText(cell)));
	});
	const more =
		rows.length > MOST_ROWS
			? [`  … and ${rows.length - MOST_ROWS} more; --json lists all.`]
			: [];
	return [
		styled(STYLES[severity], styled("bold", `${title} (${count})`)),
		`  ${styled("dim", description)}`,
		...(repair === undefined ? [] : [`  To repair: ${plain(repair, LONGEST_COMMAND)}`]),
		...tableText(heads, lines),
		...more,
		"",
	];
}

function cellText(cell: Cell): string {
	if (cell.as === "resource") return plain(`${cell.kind} ${cell.name}`, 60);
	if (cell.as === "cron" && cell.meaning !== undefined)
		return plain(`${cell.text}  ${cell.meaning}`, 120);
	return plain(cell.text, cell.as === "words" ? 400 : 80);
}

function tableText(heads: readonly string[], rows: readonly string[][]): string[] {
	const [head = "", ...lines] = columns([
		heads.map((each) => each.toLowerCase()),
		...rows,
	])
		.slice(0, -1)
		.split("\n");
	return [styled("dim", head), ...lines].map((line) => `  ${line}`);
}

// ── Markdown ──

/** The report as a comment on a pull request, or the text of an issue. */
export function reportMarkdown({
	heading,
	headline,
	footnotes,
	sections,
	notes,
}: Report): string {
	return [
		`### ${heading.comment}`,
		"",
		`${asEntities(headline, 300)}.`,
		...footnotes.map((line) => `<br><sub>${asEntities(line)}</sub>`),
		"",
		...sections.flatMap(sectionMarkdown),
		...notes.map((note) => `<sub>${asEntities(note, 400)}</sub>`),
		...(notes.length > 0 ? [""] : []),
	].join("\n");
}

/** A comment on GitHub may have 65,536 characters; eight sections share them. */
const SECTION_LIMIT = 7_500;

/** Nothing if the section is empty. */
function sectionMarkdown(section: Section): string[] {
	const {
		title,
		what: description,
		heads,
		rows,
		count = rows.length,
		spare,
		repair,
	} = section;
	if (rows.length === 0) return [];
	const narrow = <T>(cells: readonly T[]): T[] =>
		cells.filter((_, index) => index !== spare);
	const lines: string[] = [];
	// It may name things, too.
	const intro = asEntities(description, 1_500);
	let room = SECTION_LIMIT - intro.length;
	for (const row of rows) {
		const line = `| ${narrow(row).map(cellMarkdown).join(" | ")} |`;
		room -= line.length + 1;
		if (room < 0) break;
		lines.push(line);
	}
	const left = rows.length - lines.length;
	return [
		`#### ${title} (${count})`,
		"",
		intro,
		...(repair === undefined
			? []
			: ["", `To repair: ${code(repair, LONGEST_COMMAND)}`]),
		"",
		`| ${narrow(heads).join(" | ")} |`,
		`|${"---|".repeat(narrow(heads).length)}`,
		...lines,
		...(left > 0 ? ["", `… and ${left} more rows.`] : []),
		"",
	];
}

function cellMarkdown(cell: Cell): string {
	switch (cell.as) {
		case "resource":
			return `${asEntities(cell.kind)} ${code(cell.name)}`;
		case "name":
			return code(cell.text);
		case "cron":
			return cell.meaning === undefined
				? code(cell.text)
				: `${code(cell.text)}<br>${asEntities(cell.meaning)}`;
		case "words":
			return asEntities(cell.text, 400);
		case "time":
			// What is no moment at all is shown as the server sent it.
			return asEntities(cell.text).replace(/(\d)&#58;(\d)/g, "$1:$2");
	}
}

/**
 * Names come from a server. As entities, no character can start a link, an image, a mention, a table cell or a tag;
 * inside `<code>` nobody is notified either.
 */
function asEntities(text: string, longest = 200): string {
	return plain(text, longest).replace(
		/[^\p{L}\p{N} .,;"-]/gu,
		(char) => `&#${char.codePointAt(0)};`,
	);
}

const code = (text: string, longest = 80): string =>
	`<code>${asEntities(text, longest)}</code>`;

// ── Tables of commands ──

/** Combining marks and invisible characters take no column, East Asian characters and most emoji two. */
const NO_COLUMN = /[\p{Mn}\p{Me}\p{Cf}]/u;
const TWO_COLUMNS =
	/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Nearly all cells are plain, and a list may have a hundred thousand of them. */
const isPlain = (text: string): boolean => text.length <= 200 && !/[^ -~]/.test(text);

/** One line of text, in which nothing that others wrote can move the cursor. */
function oneLine(value: unknown): string {
	const text = String(value ?? "");
	return isPlain(text) ? text : visible(text).replace(/[\n\t]/g, " ");
}

/** How many columns of a terminal, or of an editor, a line takes. */
function columnsOf(text: string): number {
	if (isPlain(text)) return text.length;
	let width = 0;
	for (const character of text) {
		if (!NO_COLUMN.test(character)) width += TWO_COLUMNS.test(character) ? 2 : 1;
	}
	return width;
}

/** Rows with their columns below each other, two spaces apart. */
export function columns(rows: readonly (readonly unknown[])[]): string {
	const padded = Array.from(rows[0] ?? [], (_, column) => {
		const cells = rows.map((row) => oneLine(row[column]));
		const widths = cells.map(columnsOf);
		const widest = widths.reduce((most, width) => Math.max(most, width), 0);
		return cells.map((text, row) =>
			text.padEnd(widest + text.length - (widths[row] ?? 0)),
		);
	});
	const lineOf = (row: number) => padded.map((cells) => cells[row]).join("  ");
	return rows.map((_, row) => `${lineOf(row).trimEnd()}\n`).join("");
}

/** One line for each of them below the heads of the columns, or what to say if there are none. */
export function table<One>(
	all: readonly One[],
	none: string,
	cells: Readonly<Record<string, (one: One) => unknown>>,
): string {
	if (all.length === 0) return `${none}\n`;
	const heads = Object.keys(cells).map((head) => head.toUpperCase());
	return columns([
		heads,
		...all.map((one) => Object.values(cells).map((cell) => shortened(cell(one)))),
	]);
}

/** One long name must not push the columns of every row out of the window. --json has it whole. */
const LONGEST_CELL = 48;

function shortened(value: unknown): string {
	const text = oneLine(value);
	return text.length <= LONGEST_CELL
		? text
		: `${[...text].slice(0, LONGEST_CELL - 1).join("")}…`;
}

/** What is known of one thing: a line for each fact that has a value. */
export const facts = (
	all: readonly (readonly [label: string, value: unknown])[],
): string =>
	columns(
		all.filter(([, value]) => value !== null && value !== undefined && value !== ""),
	);

/** `2026-01-31 03:00`, in UTC. */
export const shortTime = (instant: number | string | null): string =>
	showInstant(instant ?? "")
		.slice(0, 16)
		.replace("T", " ");

/** The same in a sentence; nothing if there is no time. */
export const utc = (instant: string | null): string | null =>
	instant && moment(instant);

/** `2026-01-31 03:00 UTC by ann`, as far as it is known. */
export const created = (one: {
	readonly createdAt: string | null;
	readonly createdBy: string | null;
}): string =>
	`${moment(one.createdAt)}${one.createdBy === null ? "" : ` by ${one.createdBy}`}`;
