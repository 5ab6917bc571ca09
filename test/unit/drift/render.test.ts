import { describe, expect, it } from "vitest";
import { renderHtml } from "../../../src/drift/render-html";
import { renderMarkdown } from "../../../src/drift/render-markdown";
import { renderText } from "../../../src/drift/render-text";
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
		expect(renderText({ ...report, unmanaged: many }, { color: false, rows: 40 })).toContain(
			"and 60 more; --json",
		);
	});

	it("says so at once where there is none", () => {
		const summary = {
			managed: 3,
			unchanged: 3,
			changed: 0,
			missing: 0,
			unmanaged: 0,
			unchecked: 0,
			ignored: 0,
		};
		const report = { ...sampleReport(), summary, changed: [], missing: [], unmanaged: [], unchecked: [] };
		expect(renderText(report, { color: false })).toMatch(/^No drift: stack "dev" of project "images"/);
	});
});

describe("the Markdown", () => {
	it("takes no markup, mention or table cell from a name", () => {
		const shown = renderMarkdown(sampleReport("@all | [x](http://e) `a` <img src=x> **b**"));
		expect(shown).not.toMatch(/@all|<img|\[x\]|`a`|\*\*b/);
		const rows = shown.split("\n").filter((line) => line.includes("cronExpression"));
		expect(rows.map((row) => row.split("|").length)).toEqual([6]);
	});

	it("fits into a comment however much there is", () => {
		const report = sampleReport("|".repeat(255));
		const repeat = <T>(list: readonly T[]): T[] => Array.from({ length: 2_000 }, () => list).flat();
		const shown = renderMarkdown({
			...report,
			changed: repeat(report.changed),
			missing: repeat(report.missing),
			unmanaged: repeat(report.unmanaged),
			unchecked: repeat(report.unchecked),
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

	it("needs nothing from anywhere, and forbids it too", () => {
		const shown = renderHtml(sampleReport());
		expect(shown).toContain("default-src 'none'");
		expect(shown).not.toMatch(/(src|href)=|url\(|@import/);
	});
});
