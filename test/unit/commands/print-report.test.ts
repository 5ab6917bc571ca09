import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { type Findings, printReport, type ReportOptions } from "../../../src/commands/terminal";
import { testFolder } from "../../helpers/test-folder";

const findings: Findings = {
	result: { a: 1 },
	report: { heading: { page: "P", comment: "C" }, headline: "H", footnotes: [], sections: [], notes: [] },
	page: () => "<p>",
};

function printed(options: ReportOptions, more: Partial<Findings> = {}): string {
	const texts: string[] = [];
	for (const stream of [process.stdout, process.stderr]) {
		const spy = vi.spyOn(stream, "write").mockImplementation((text) => texts.push(String(text)) > 0);
		onTestFinished(() => spy.mockRestore());
	}
	printReport(options, { ...findings, ...more });
	return texts.join("");
}

it.each<[string, ReportOptions, Partial<Findings>, string]>([
	["text", {}, {}, "H\n"],
	["Markdown", { markdown: true }, {}, "### C\n\nH.\n"],
	["JSON", { json: true }, {}, '{\n  "a": 1\n}\n'],
	["JSON on one line", { json: true }, { oneLine: true }, '{"a":1}\n'],
])("a report is printed as %s", (_form, options, more, expected) => {
	expect(printed(options, more)).toBe(expected);
});

it("a page is written to the file beside what is printed, and the file is named", () => {
	const path = testFolder("print-report-");
	const html = join(path, "report.html");
	expect(printed({ html, json: true })).toMatch(/^Wrote .*report\.html\n\{/);
	expect(readFileSync(html, "utf8")).toBe("<p>");
	expect(() => printed({ html: join(path, "none", "x.html") })).toThrow(/cannot be written \(ENOENT\)/);
});
