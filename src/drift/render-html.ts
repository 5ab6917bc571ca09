import { STYLE } from "./html-style";
import type { DriftReport, ResourceRef } from "./report";
import { counts, creatorOf, fieldWords, footnotes, moment, plain, subject, teamsOf } from "./wording";

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
${sections(report).join("\n")}
${footnotes(report)
	.map((line) => `<p>${text(line)}</p>`)
	.join("\n")}
</main>
</body>
</html>
`;
}

function tiles({ summary }: DriftReport): Html {
	const tile = (kind: string, count: number) =>
		`<li class="${count > 0 ? kind : "none"}"><b>${count}</b>${kind}</li>`;
	return `<ul class="tiles">${[
		tile("changed", summary.changed),
		tile("missing", summary.missing),
		tile("unmanaged", summary.unmanaged),
		`<li><b>${summary.unchanged}</b>as declared</li>`,
	].join("")}</ul>`;
}

function sections(report: DriftReport): Html[] {
	return [
		section(
			"changed",
			`Changed (${report.changed.length})`,
			"Differs from what was deployed.",
			CHANGED_HEADS,
			changedRows(report),
		),
		section(
			"missing",
			`Missing (${report.missing.length})`,
			"Deployed, but no longer on the service.",
			["Resource", "Name", "Id", "Team"],
			report.missing.map((ref) => [label(ref), code(ref.name), code(ref.id), code(ref.team)]),
		),
		section(
			"unmanaged",
			`Unmanaged (${report.unmanaged.length})`,
			"On the service, but not in the stack.",
			["Kind", "Name", "Team", "Made by", "Made at"],
			report.unmanaged.map((each) => [
				text(each.kind),
				code(each.name),
				code(each.team),
				text(creatorOf(each)),
				text(moment(each.createdAt)),
			]),
		),
		section(
			"unchecked",
			`Unchecked (${report.unchecked.length})`,
			"Declared, but not shown by the service, so that nobody can tell.",
			["Resource", "Field", "Why"],
			report.unchecked.map((each) => [label(each), code(each.field), text(each.reason)]),
		),
	];
}

const CHANGED_HEADS = ["Resource", "Name", "Field", "Declared", "Live"];

function changedRows(report: DriftReport): Html[][] {
	return report.changed.flatMap((change) =>
		change.fields.map((row) => {
			const { field, declared, live } = fieldWords(row);
			return [label(change), code(change.name), code(field), text(declared), text(live)];
		}),
	);
}

function section(id: string, title: string, what: string, heads: string[], rows: Html[][]): Html {
	const head = heads.map((each) => `<th scope="col">${text(each)}</th>`).join("");
	const body = rows
		.map((cells) => {
			const tds = cells.map(
				(cell, index) => `<td data-head="${text(heads[index] ?? "")}"><span>${cell}</span></td>`,
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

const label = ({ kind, resource }: ResourceRef): Html => `${text(kind)} ${code(resource)}`;

const code = (value: string): Html => `<code>${text(value)}</code>`;

const ENTITIES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

const text = (value: string): Html => plain(value, 500).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
