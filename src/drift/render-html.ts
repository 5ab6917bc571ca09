import { STYLE } from "./html-style";
import type { DriftReport } from "./report";
import { type Cell, type Section, sectionsOf } from "./sections";
import { counts, footnotes, plain, subject, teamsOf } from "./wording";

/** HTML that is already escaped; everything else passes through `text`. */
type Html = string;

/** The report as one page that needs nothing else: to be kept as an artifact, mailed, or put on a web server. */
export function renderHtml(report: DriftReport): Html {
	const title = `Drift: ${counts(report)}`;
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${text(`Drift of ${subject(report)}`)}</h1>
<p>${text(`Against ${teamsOf(report)} at ${report.serviceUrl}`)}</p>
${tiles(report)}
${sectionsOf(report).map(sectionOf).join("\n")}
${footnotes(report)
	.map((line) => `<p>${text(line)}</p>`)
	.join("\n")}
</main>
</body>
</html>
`;
}

function tiles({ summary }: DriftReport): Html {
	const tile = (kind: string, count: number, label = kind) =>
		`<li class="${count > 0 ? kind : "none"}"><b>${count}</b>${label}</li>`;
	return `<ul class="tiles">${[
		tile("changed", summary.changed),
		tile("missing", summary.missing),
		tile("twins", summary.twins),
		tile("failed", summary.failed, "could not be checked"),
		tile("unmanaged", summary.unmanaged),
		`<li><b>${summary.unchanged}</b>as declared</li>`,
	].join("")}</ul>`;
}

function sectionOf({ id, title, what, heads, rows }: Section): Html {
	const head = heads.map((each) => `<th scope="col">${text(each)}</th>`).join("");
	const body = rows
		.map((cells) => {
			const tds = cells.map(
				(cell, index) => `<td data-head="${text(heads[index] ?? "")}"><span>${shown(cell)}</span></td>`,
			);
			return `<tr>${tds.join("")}</tr>`;
		})
		.join("\n");
	const table = `<table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table>`;
	return `<section id="${id}" class="${id}">
<h2>${text(title)}</h2>
${rows.length === 0 ? "<p>None.</p>" : `<p>${text(what)}</p>\n${table}`}
</section>`;
}

function shown(cell: Cell): Html {
	if (cell.as === "resource") return `${text(cell.kind)} ${code(cell.name)}`;
	return cell.as === "name" ? code(cell.text) : text(cell.text);
}

const code = (value: string): Html => `<code>${text(value)}</code>`;

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

const text = (value: string): Html => plain(value, 500).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
