import { plain } from "./plain";
import type { Cell, Section } from "./section";

/** HTML that is already escaped; everything else passes through `text`. */
export type Html = string;

export function sectionHtml({ id, title, what, heads, rows }: Section): Html {
	const head = heads.map((each) => `<th scope="col">${text(each)}</th>`).join("");
	const body = rows
		.map((cells) => {
			const tds = cells.map(
				(cell, index) => `<td data-head="${text(heads[index] ?? "")}"><span>${cellHtml(cell)}</span></td>`,
			);
			return `<tr>${tds.join("")}</tr>`;
		})
		.join("\n");
	const table = `<table class="rows"><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table>`;
	return `<section id="${id}" class="${id}">
<h2>${text(title)}</h2>
${rows.length === 0 ? "<p>None.</p>" : `<p>${text(what)}</p>\n${table}`}
</section>`;
}

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
