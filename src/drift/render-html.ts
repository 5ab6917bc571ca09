import { renderPage } from "../report/page";
import { type Html, sectionHtml } from "../report/section-html";
import { counts, footnotes, subject, teamsOf } from "./render-text";
import type { DriftReport } from "./report";
import { sectionsOf } from "./sections";

/** What the drift page adds to the style of all pages: a colour for each section. */
const STYLE = `
:root { --changed: #9a6700; --missing: #b3261e; --twins: #8e2a8a; --failed: #8a3b00; --unmanaged: #0b6b8a;
  --unlisted: #5b6675; --unchecked: #5b6675; --clocks: #5b6675; }
@media (prefers-color-scheme: dark) { :root { --changed: #e3b341; --missing: #ff8a80; --twins: #e79be4; --failed: #ffb077;
  --unmanaged: #6cc7e4; --unlisted: #9aa5b4; --unchecked: #9aa5b4; --clocks: #9aa5b4; } }
.changed { --accent: var(--changed); } .missing { --accent: var(--missing); }
.twins { --accent: var(--twins); } .failed { --accent: var(--failed); }
.unmanaged { --accent: var(--unmanaged); } .unlisted { --accent: var(--unlisted); } .unchecked { --accent: var(--unchecked); }
.tiles .changed b { color: var(--changed); } .tiles .missing b { color: var(--missing); }
.tiles .twins b { color: var(--twins); } .tiles .failed b { color: var(--failed); }
.tiles .unmanaged b { color: var(--unmanaged); }
`;

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
