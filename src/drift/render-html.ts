import { renderPage } from "../report/page";
import { type Html, sectionHtml } from "../report/section-html";
import { STYLE } from "./html-style";
import type { DriftReport } from "./report";
import { sectionsOf } from "./sections";
import { counts, footnotes, subject, teamsOf } from "./wording";

/** The report as one page that needs nothing else: to be kept as an artifact, mailed, or put on a web server. */
export function renderHtml(report: DriftReport): Html {
	return renderPage({
		title: `Drift: ${counts(report)}`,
		heading: `Drift of ${subject(report)}`,
		lines: [`Against ${teamsOf(report)} at ${report.serviceUrl}`, ...footnotes(report)],
		body: [tiles(report), ...sectionsOf(report).map(sectionHtml)].join("\n"),
		style: STYLE,
	});
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
