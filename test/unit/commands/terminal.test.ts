import { describe, expect, it } from "vitest";
import { explainFailure, makeProgress, wantsColor } from "../../../src/commands/terminal";
import { printable } from "../../../src/report/report";

function stream(isTTY: boolean) {
	const written: string[] = [];
	return { isTTY, written, write: (text: string) => written.push(text) };
}

describe("the terminal", () => {
	it.each([
		["on a terminal", true, {}, true],
		["in a pipe", false, {}, false],
		["with NO_COLOR", true, { NO_COLOR: "1" }, false],
		["with an empty NO_COLOR, which means nothing", true, { NO_COLOR: "" }, true],
		["on a dumb terminal", true, { TERM: "dumb" }, false],
	])("%s", (_where, isTTY, env, expected) => {
		expect(wantsColor(stream(isTTY), env)).toBe(expected);
	});

	it("shows progress that leaves no trace, and none at all in a pipe", () => {
		const [terminal, pipe] = [stream(true), stream(false)];
		for (const each of [terminal, pipe]) {
			const progress = makeProgress(each);
			progress.show("Reading…");
			progress.clear();
		}
		expect(terminal.written).toEqual(["\r\u001b[KReading…", "\r\u001b[K"]);
		expect(pipe.written).toEqual([]);
	});
});

it("a failure is one line, without a stack trace unless that is asked for", () => {
	expect(explainFailure(new Error("The port is taken."), false)).toBe("error: The port is taken.");
	expect(explainFailure("odd", false)).toBe("error: odd");
	expect(explainFailure(new Error("x"), true)).toContain("terminal.test.ts");
});

it("control characters that a message repeats are shown, not obeyed", () => {
	const error = new Error('no stack "\u001b[2J\u001b]0;title\u0007\u009b" here\nline two\tend');
	for (const debug of [false, true]) {
		const text = explainFailure(error, debug);
		expect(text).toContain('"\\x1b[2J\\x1b]0;title\\x07\\x9b" here\nline two\tend');
	}
});

it("a message that repeats something huge keeps its beginning and its end", () => {
	const text = printable(`--port cannot be ${"9".repeat(100_000)}. Choose another.`);
	expect(text.length).toBeLessThan(2_000);
	expect(text).toMatch(/^--port cannot be 9+ … 9+\. Choose another\.$/);
});
