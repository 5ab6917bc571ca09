import { describe, expect, it } from "vitest";
import { renderHtml } from "../../../src/drift/render-html";
import { renderMarkdown, renderText } from "../../../src/drift/render-text";
import type { DriftReport } from "../../../src/drift/report";
import { sampleReport } from "../../helpers/drift-report";

const ESC = "\u001b";

const renderings: [string, (report: DriftReport) => string][] = [
	["text", (report) => renderText(report, { color: false })],
	["Markdown", renderMarkdown],
	["HTML", renderHtml],
];

describe.each(renderings)("the report as %s", (_kind, render) => {
	it("shows what changed, what is missing, what is unmanaged and what was not checked", () => {
		const shown = render(sampleReport());
		for (const word of [
			"Changed (1)",
			"Missing (1)",
			"Unmanaged (2)",
			"Unchecked (1)",
			"cronExpression",
			"weekly",
		]) {
			expect(shown).toContain(word);
		}
		expect(shown).toMatch(/ops-oncall[^\n]*\s*[^\n]*2026-01-01 02:30 UTC/);
		expect(shown).toContain("differs");
		expect(shown).toMatch(/with 2 requests/);
	});

	it("names a twin with both ids, who made it, how old it is and what it does", () => {
		const shown = render(sampleReport());
		expect(shown).toContain("Twins (1)");
		expect(shown).toMatch(
			/\b7\b[^\n]*\b9\b[^\n]*another-stack[^\n]*2026-01-28 03:00 UTC, 3 days ago[^\n]*runs the pipeline a second time/,
		);
		const twin = (more: object) => {
			const report = sampleReport();
			return render({ ...report, twins: report.twins.map((each) => ({ ...each, ...more })) });
		};
		expect(twin({ samePipeline: false })).toContain("runs another pipeline under the same name");
		expect(twin({ pipeline: null, samePipeline: null })).toContain(
			"which pipeline it runs could not be read",
		);
	});

	it("names what could not be checked, with the reason", () => {
		const shown = render(sampleReport());
		expect(shown).toContain("Could not be checked (3)");
		expect(shown).toMatch(/hourly[^\n]*502 for nightly\./);
		expect(shown).toMatch(/pipeline[^\n]*odd-one[^\n]*Invalid input/);
		expect(shown).toMatch(/list of pipelines[^\n]*403 for the list/);
		expect(shown).toContain("3 could not be checked");
	});

	it("says of what is missing from the list that a direct request shows it", () => {
		const shown = render(sampleReport());
		expect(shown).toContain("Not in the list (1)");
		expect(shown).toContain("the list is cut short or behind");
		expect(shown).toContain("beyond-the-cap");
	});

	it("shows an expression with its meaning, the command that repairs it, and on top when it was checked", () => {
		const shown = render(sampleReport());
		expect(shown).toMatch(/(0 3|<code>0 3|0 3 &#42;)[^\n]*every day at 03(:|&#58;)00 UTC/);
		expect(shown).toMatch(/To repair: (<code>)?pulumi up (--|&#45;&#45;)refresh (--|&#45;&#45;)stack dev/);
		expect(shown.search(/2026-01-31 03(:|&#58;)00 UTC/)).toBeLessThan(shown.indexOf("Changed (1)"));
	});

	it("names a change of clocks ahead", () => {
		expect(render(sampleReport())).toMatch(/berlin[^\n]*Europe[^\n]*2026-03-29 01:00 UTC/);
	});

	it("shows a start in the notation of all instants", () => {
		const report = sampleReport();
		const fields = [
			{
				field: "startAfter",
				how: "changed" as const,
				hidden: false,
				declared: "2031-01-01T01:00:00+01:00",
				live: "2031-01-01T00:00:30Z",
			},
		];
		const shown = render({ ...report, changed: report.changed.map((each) => ({ ...each, fields })) });
		expect(shown).toContain("2031-01-01 00:00 UTC");
		expect(shown).toContain("2031-01-01 00:00:30 UTC");
	});

	it("never shows the values of a hidden field, whatever the report holds", () => {
		const report = sampleReport();
		const [row] = report.changed.flatMap(({ fields }) => fields.filter(({ hidden }) => hidden));
		Object.assign(row ?? {}, { declared: "canary-a", live: "canary-b" });
		expect(render(report)).not.toContain("canary");
	});

	it("lets no name steer the terminal or turn the text around", () => {
		const shown = render(sampleReport(`a${ESC}[2Jb\u202ec\nd`));
		expect(shown).not.toContain(ESC);
		expect(shown).not.toContain("\u202e");
		expect(shown).toMatch(/a (&#91;|\[)2Jb c d/);
	});
});

describe("the text", () => {
	it("has colour only when asked for", () => {
		expect(renderText(sampleReport(), { color: true })).toContain(ESC);
		expect(renderText(sampleReport(), { color: false })).not.toContain(ESC);
	});

	it("ends a long section with the number of rows left out", () => {
		const report = sampleReport();
		const many = Array.from({ length: 50 }, () => report.unmanaged).flat();
		expect(renderText({ ...report, unmanaged: many }, { color: false })).toContain("and 60 more; --json");
	});

	it("says so at once where there is none", () => {
		const summary = {
			managed: 3,
			unchanged: 3,
			changed: 0,
			missing: 0,
			unmanaged: 0,
			twins: 0,
			failed: 0,
			unlisted: 0,
			unchecked: 0,
			ignored: 0,
		};
		const sections = { changed: [], missing: [], unmanaged: [], unchecked: [] };
		const report = { ...sampleReport(), summary, ...sections, twins: [], failed: [], unlisted: [] };
		expect(renderText(report, { color: false })).toMatch(/^No drift: stack "dev" of project "images"/);
	});

	it("does not say that there is no drift where something could not be checked", () => {
		const report = sampleReport();
		const summary = { ...report.summary, changed: 0, missing: 0, twins: 0 };
		const one = { ...report, summary, changed: [], missing: [], twins: [] };
		expect(renderText(one, { color: false })).toMatch(/^Not everything could be checked: stack "dev"/);
		expect(renderMarkdown(one)).toMatch(/^### DataChain drift: not everything could be checked\n/);
		const alone = { ...one, summary: { ...summary, unmanaged: 0 }, unmanaged: [] };
		expect(renderMarkdown(alone)).not.toContain("No DataChain drift");
	});

	it("shows the resource of a change once, before the first of its fields", () => {
		const lines = renderText(sampleReport(), { color: false }).split("\n");
		const [first, second] = ["cronExpression", "environment.KEY"].map((field) =>
			lines.find((line) => line.includes(field)),
		);
		expect(first).toContain("Schedule nightly");
		expect(second).not.toContain("nightly");
	});
});

describe("the Markdown", () => {
	it("takes no markup, mention or table cell from a name", () => {
		const shown = renderMarkdown(sampleReport("@all | [x](http://e) `a` <img src=x> **b**"));
		expect(shown).not.toMatch(/@all|<img|\[x\]|`a`|\*\*b/);
		const rows = shown.split("\n").filter((line) => line.includes("cronExpression"));
		expect(rows.map((row) => row.split("|").length)).toEqual([6]);
	});

	it("takes no markup from a moment that is none", () => {
		const report = sampleReport();
		const unmanaged = report.unmanaged.map((each) => ({ ...each, createdAt: "<img src=x> | @all" }));
		expect(renderMarkdown({ ...report, unmanaged })).not.toMatch(/<img|@all/);
	});

	it("fits into a comment however much there is", () => {
		const report = sampleReport("|".repeat(255));
		const repeat = <T>(list: readonly T[]): T[] => Array.from({ length: 2_000 }, () => list).flat();
		const shown = renderMarkdown({
			...report,
			changed: repeat(report.changed),
			missing: repeat(report.missing),
			unmanaged: repeat(report.unmanaged),
			twins: repeat(report.twins),
			failed: repeat(report.failed.map((each) => ({ ...each, reason: "|".repeat(1_000) }))),
			unlisted: repeat(report.unlisted),
			unchecked: repeat(report.unchecked),
			clockChanges: repeat(report.clockChanges),
		});
		expect(shown.length).toBeLessThan(65_536);
		expect(shown).toMatch(/… and \d+ more rows/);
	});
});

describe("the page", () => {
	it("escapes a name that is a script", () => {
		const shown = renderHtml(sampleReport("<script>alert(1)</script>\"'&"));
		expect(shown).not.toContain("<script");
		expect(shown).toContain("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;");
	});

	it("groups the changed fields below their resource", () => {
		const shown = renderHtml(sampleReport());
		expect(shown).toMatch(
			/<tr class="group"><th[^>]*>Schedule <code>nightly<\/code><\/th><\/tr>\n<tr><td data-head="Field">/,
		);
		expect(shown.match(/class="group"/g)).toHaveLength(1);
	});

	it("needs nothing from anywhere, and forbids it too", () => {
		const shown = renderHtml(sampleReport());
		expect(shown).toContain("default-src 'none'");
		expect(shown).not.toMatch(/(src|href)=|url\(|@import/);
	});
});
