import Table from "cli-table3";
import type { createColors } from "picocolors";
import { plain } from "./plain";
import type { Cell, Section } from "./section";

export type Colors = ReturnType<typeof createColors>;
export type Paint = Colors["red"];

/** A section for a terminal, its title in the given colour; nothing where it is empty. */
export function sectionText(
	{ title, what, heads, rows, count = rows.length, repair }: Section,
	colors: Colors,
	paint: Paint,
	most: number,
): string[] {
	if (rows.length === 0) return [];
	const lines = rows.slice(0, most).map((row, index) => {
		const goesOn = row[0] === rows[index - 1]?.[0];
		return row.map((cell, column) => (goesOn && column < 2 ? "" : shown(cell)));
	});
	const more = rows.length > most ? [`  … and ${rows.length - most} more; --json lists all.`] : [];
	const command = repair === undefined ? [] : [`  To repair: ${plain(repair)}`];
	return [
		paint(colors.bold(`${title} (${count})`)),
		`  ${colors.dim(what)}`,
		...command,
		table(colors, heads, lines),
		...more,
		"",
	];
}

function shown(cell: Cell): string {
	if (cell.as === "resource") return plain(`${cell.kind} ${cell.name}`, 60);
	if (cell.as === "cron" && cell.meaning !== undefined) return plain(`${cell.text}  ${cell.meaning}`, 120);
	return plain(cell.text, cell.as === "words" ? 400 : 80);
}

/** No lines between rows and columns, and none around them. */
const NO_LINES = Object.fromEntries([
	...["top", "bottom"].flatMap((side) => ["", "-mid", "-left", "-right"].map((part) => [side + part, ""])),
	...["left-mid", "mid", "mid-mid", "right", "right-mid", "middle"].map((part) => [part, ""]),
]);

function table(colors: Colors, heads: readonly string[], rows: string[][]): string {
	const made = new Table({
		head: heads.map((head) => colors.dim(head.toLowerCase())),
		// The library's own colours would not follow NO_COLOR.
		style: { head: [], border: [], "padding-left": 0, "padding-right": 2 },
		chars: { ...NO_LINES, left: "  " },
	});
	made.push(...rows);
	return made.toString().replace(/[ \t]+$/gm, "");
}
