import { expect, test } from "vitest";
import { countReport } from "../../../tools/test/count";

const file = (status: string, ...tests: string[]) => ({
	status,
	assertionResults: tests.map((each) => ({ status: each })),
});

test.each([
	["a file that fails before its tests", 1, [file("passed", "passed"), file("failed")]],
	["a hook that fails, which skips its tests", 1, [file("failed", "skipped")]],
	["an exit code that no failed test explains", 1, [file("passed", "passed")]],
	["a suite without tests", 0, []],
	["a suite in which no test ran", 0, [file("passed", "skipped")]],
	["a damaged report", 0, 3],
	["a missing report", 0, undefined],
])("%s is counted as a failure", (_, exitCode, testResults) => {
	expect(countReport(testResults && { testResults }, exitCode)).toMatchObject({ failed: 1 });
});

test("the tests of all files are added up", () => {
	const testResults = [file("passed", "passed", "skipped"), file("failed", "failed", "passed", "todo")];
	expect(countReport({ testResults }, 1)).toMatchObject({ passed: 2, failed: 1, skipped: 2 });
});
