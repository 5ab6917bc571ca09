import { plain } from "./plain";
import type { Cell, Section } from "./section";

/** HTML that is already escaped; everything else passes through `text`. */
export type Html = string;

/** A section as a table; rows that belong together share a heading of their own. */
export function sectionHtml(section: Section): Html {
	const { id, title, what, heads, rows, count = rows.length, grouped = 0, repair } = section;
	const shown = heads.slice(grouped);
	const body = groupsOf(rows, grouped).map((members) => {
		const cells = members[0]?.slice(0, grouped) ?? [];
		const about = new Set(cells.map(nameOf)).size === 1 ? cells.slice(0, 1) : cells;
		const heading = `<tr class="group"><th colspan="${shown.length}" scope="rowgroup">${about.map(cellHtml).join(" · ")}</th></tr>\n`;
		const lines = members.map((row) => `<tr>${cellsHtml(row.slice(grouped).map(cellHtml), shown)}</tr>`);
		return `<tbody>\n${grouped === 0 ? "" : heading}${lines.join("\n")}\n</tbody>`;
	});
	const table = `<table class="rows"><thead><tr>${headsHtml(shown)}</tr></thead>${body.join("\n")}</table>`;
	const command = repair === undefined ? "" : `\n<p>To repair: ${code(repair)}</p>`;
	return `<section id="${id}" class="${id}">
<h2>${text(`${title} (${count})`)}</h2>
${rows.length === 0 ? "<p>None.</p>" : `<p>${text(what)}</p>${command}\n${table}`}
</section>`;
}

/** A resource that is called like its object needs to be named once. */
const nameOf = (cell: Cell): string => (cell.as === "resource" ? cell.name : cell.text);

/** Rows of one resource share its first cell; without groups all rows are one. */
function groupsOf(rows: Section["rows"], grouped: number): Section["rows"][number][][] {
	const groups: Section["rows"][number][][] = [];
	for (const row of rows) {
		const last = groups.at(-1);
		if (last !== undefined && (grouped === 0 || last[0]?.[0] === row[0])) last.push(row);
		else groups.push([row]);
	}
	return groups;
}

export const headsHtml = (heads: readonly string[]): Html =>
	heads.map((each) => `<th scope="col">${text(each)}</th>`).join("");

/** The cells of a row; on a narrow screen each has its head beside it. */
export const cellsHtml = (cells: readonly Html[], heads: readonly string[]): Html =>
	cells
		.map((cell, index) => `<td data-head="${text(heads[index] ?? "")}"><span>${cell}</span></td>`)
		.join("");

export function cellHtml(cell: Cell): Html {
	if (cell.as === "resource") return `${text(cell.kind)} ${code(cell.name)}`;
	if (cell.as === "cron" && cell.meaning !== undefined) {
		return `${code(cell.text)}<small>${text(cell.meaning)}</small>`;
	}
	return cell.as === "name" || cell.as === "cron" ? code(cell.text) : text(cell.text);
}

export const code = (value: string): Html => `<code>${text(value)}</code>`;

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

export const text = (value: string): Html =>
	plain(value, 500).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
