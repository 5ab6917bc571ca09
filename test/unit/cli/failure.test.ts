import { expect, test } from "vitest";
import { explainFailure, printable } from "../../../src/cli/failure";

test("a failure is told in one line, without where in the code it came from", () => {
	expect(explainFailure(new Error("The port is taken."), false)).toBe("error: The port is taken.");
	expect(explainFailure("odd", false)).toBe("error: odd");
	expect(explainFailure(new Error("x"), true)).toContain("failure.test.ts");
});

test("control characters that a message repeats are shown, not obeyed", () => {
	const error = new Error('no stack "\u001b[2J\u001b]0;title\u0007\u009b" here\nline two\tend');
	for (const debug of [false, true]) {
		const text = explainFailure(error, debug);
		expect(text).toContain('"\\x1b[2J\\x1b]0;title\\x07\\x9b" here\nline two\tend');
	}
});

test("a message that repeats something huge keeps its beginning and its end", () => {
	const text = printable(`--port cannot be ${"9".repeat(100_000)}. Choose another.`);
	expect(text.length).toBeLessThan(2_000);
	expect(text).toMatch(/^--port cannot be 9+ … 9+\. Choose another\.$/);
});
