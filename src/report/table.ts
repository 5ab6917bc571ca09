import { showInstant } from "../schemas/instant";
import { printable } from "./report";

/** Combining marks and invisible characters take no column, East Asian characters and most emoji two. */
const NO_COLUMN = /[\p{Mn}\p{Me}\p{Cf}]/u;
const TWO_COLUMNS =
	/[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Nearly all cells are plain, and a list may have a hundred thousand of them. */
const isPlain = (text: string): boolean => text.length <= 200 && !/[^ -~]/.test(text);

/** One line of text, in which nothing that others wrote can move the cursor. */
function cellText(value: unknown): string {
	const text = String(value ?? "");
	return isPlain(text) ? text : printable(text).replace(/[\n\t]/g, " ");
}

function widthOf(text: string): number {
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
		const cells = rows.map((row) => cellText(row[column]));
		const widths = cells.map(widthOf);
		const widest = widths.reduce((most, width) => Math.max(most, width), 0);
		return cells.map((text, row) => text.padEnd(widest + text.length - (widths[row] ?? 0)));
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
	return columns([heads, ...all.map((one) => Object.values(cells).map((cell) => cell(one)))]);
}

/** What is known of one thing: a line for each fact that has a value. */
export const facts = (all: readonly (readonly [label: string, value: unknown])[]): string =>
	columns(all.filter(([, value]) => value !== null && value !== undefined && value !== ""));

/** `2026-01-31 03:00`, in UTC. */
export const shortTime = (instant: number | string | null): string =>
	showInstant(instant ?? "")
		.slice(0, 16)
		.replace("T", " ");

/** The same in a sentence; nothing if there is no time. */
export const utc = (instant: string | null): string | null =>
	instant === null ? null : `${shortTime(instant)} UTC`;

/** `2026-01-31 03:00 UTC by ann`, as far as it is known. */
export const created = (one: {
	readonly createdAt: string | null;
	readonly createdBy: string | null;
}): string => `${utc(one.createdAt) ?? "unknown"}${one.createdBy === null ? "" : ` by ${one.createdBy}`}`;
