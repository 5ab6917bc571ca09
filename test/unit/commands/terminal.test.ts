import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { logText } from "../../../src/commands/jobs";
import {
	type Findings,
	printReport,
	type ReportOptions,
} from "../../../src/commands/report-output";
import {
	explainFailure,
	jsonText,
	say,
	wantsColor,
} from "../../../src/commands/terminal";
import { boundedText } from "../../../src/text/report";
import { printedBy } from "../../helpers/printed";
import { testFolder } from "../../helpers/test-folder";

it.each([
	["on a terminal", true, {}, true],
	["in a pipe", false, {}, false],
	["with NO_COLOR", true, { NO_COLOR: "1" }, false],
	["with an empty NO_COLOR, which means nothing", true, { NO_COLOR: "" }, true],
	["on a dumb terminal", true, { TERM: "dumb" }, false],
])("colour %s: %s", (_where, isTTY, env, expected) => {
	expect(wantsColor({ isTTY }, env)).toBe(expected);
});

it("a failure is told without a stack trace unless that is asked for, and control characters are shown, not obeyed", () => {
	const error = new Error(
		'no stack "\u001b[2J\u001b]0;title\u0007\u009b" here\nline two\tend',
	);
	const shown = 'no stack "\\x1b[2J\\x1b]0;title\\x07\\x9b" here\nline two\tend';
	expect(explainFailure(error, false)).toBe(`error: ${shown}`);
	for (const part of [shown, "terminal.test.ts"])
		expect(explainFailure(error, true)).toContain(part);
	expect(explainFailure("odd", false)).toBe("error: odd");
});

it("no line beside the output can steer the terminal", async () => {
	const { stderr } = await printedBy(() => say("paused \u001b[2J"));
	expect(stderr).toBe("paused \\x1b[2J\n");
});

it("a message that repeats something huge keeps its beginning and its end", () => {
	const text = boundedText(`--port cannot be ${"9".repeat(100_000)}. Choose another.`);
	expect(text.length).toBeLessThan(2_000);
	expect(text).toMatch(/^--port cannot be 9+ … 9+\. Choose another\.$/);
});

it.each([
	["lines of Windows end as others do", "one\r\ntwo\r\n", "one\ntwo\n"],
	["each step of a progress bar is a line", "10%\r20%\r", "10%\n20%\n"],
	[
		"nothing moves the cursor or turns the text",
		"\u001b[2J\u009b1A\u202eevil",
		"\ufffd[2J\ufffd1A\ufffdevil",
	],
	["the rest stays", "\tcafé 中\n", "\tcafé 中\n"],
])("the log of a job on a terminal: %s", (_what, written, shown) => {
	const { isTTY } = process.stdout;
	onTestFinished(() => void Object.assign(process.stdout, { isTTY }));
	process.stdout.isTTY = true;
	expect(logText(written)).toBe(shown);
	process.stdout.isTTY = false;
	expect(logText(written)).toBe(written);
});

it("JSON is the same to a program, and nothing in it steers a terminal", () => {
	const result = { name: "\u001b[2J\u009b1A\u202eevil\u007f\ncafé" };
	for (const indent of [0, 2]) {
		const text = jsonText(result, indent);
		expect(JSON.parse(text)).toEqual(result);
		expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
	}
	expect(jsonText(["é"], 2)).toBe('[\n  "é"\n]');
});

const findings: Findings = {
	result: { a: 1 },
	report: {
		heading: { page: "P", comment: "C" },
		headline: "H",
		footnotes: [],
		sections: [],
		notes: [],
	},
	page: () => "<p>",
};

const printed = (options: ReportOptions, more: Partial<Findings> = {}) =>
	printedBy(() => printReport(options, { ...findings, ...more }));

it.each<[string, ReportOptions, Partial<Findings>, string]>([
	["text", {}, {}, "H\n"],
	["Markdown", { markdown: true }, {}, "### C\n\nH.\n"],
	["JSON", { json: true }, {}, '{\n  "a": 1\n}\n'],
	["JSON on one line", { json: true }, { oneLine: true }, '{"a":1}\n'],
])("a report is printed as %s", async (_form, options, more, expected) => {
	expect(await printed(options, more)).toEqual({ stdout: expected, stderr: "" });
});

it("a page is written to the file beside what is printed, and the file is named", async () => {
	const path = testFolder("print-report-");
	const html = join(path, "report.html");
	const { stdout, stderr } = await printed({ html, json: true });
	expect([stderr, stdout]).toEqual([
		expect.stringMatching(/^Wrote .*report\.html\n$/),
		expect.stringMatching(/^\{/),
	]);
	expect(readFileSync(html, "utf8")).toBe("<p>");
	await expect(printed({ html: join(path, "none", "x.html") })).rejects.toThrow(
		/cannot be written \(ENOENT\)/,
	);
});
