import { describe, expect, test } from "vitest";
import { countFaults, countReport } from "../../../tools/test/count";

const file = (status: string, ...tests: string[]) => ({
	status,
	assertionResults: tests.map((each) => ({ status: each })),
});
const count = (exitCode: number, ...testResults: unknown[]) => countReport({ testResults }, exitCode);

describe("the count of a test run", () => {
	test("adds up passed, failed, skipped and todo over all files", () => {
		const counts = count(1, file("passed", "passed", "skipped"), file("failed", "failed", "passed", "todo"));
		expect(counts).toMatchObject({ passed: 2, failed: 1, skipped: 2 });
	});

	test("a file that fails before its tests is a failure", () => {
		expect(count(1, file("passed", "passed"), file("failed"))).toMatchObject({ passed: 1, failed: 1 });
	});

	test("a hook that fails makes its tests skipped, and is a failure all the same", () => {
		expect(count(1, file("failed", "skipped"))).toMatchObject({ passed: 0, failed: 1, skipped: 1 });
	});

	test("an exit code that no failed test explains is a failure", () => {
		expect(count(1, file("passed", "passed"))).toMatchObject({ passed: 1, failed: 1 });
	});

	test("a suite without tests, or with none that ran, is a failure", () => {
		expect(count(0)).toMatchObject({ failed: 1 });
		expect(count(0, file("passed", "skipped"))).toMatchObject({ failed: 1 });
	});

	test("a missing or damaged report is a failure", () => {
		expect(countReport(undefined, 0)).toMatchObject({ failed: 1 });
		expect(countReport({ testResults: 3 }, 0)).toMatchObject({ failed: 1 });
	});
});

describe("the fault bench's report", () => {
	test("counts its figures", () => {
		expect(countFaults({ passed: 30, failed: 0 }, 0)).toEqual({ passed: 30, failed: 0, skipped: 0 });
	});

	test.each([
		["no report", undefined, 0],
		["no figures", { passed: 0, failed: 0 }, 0],
		["an exit code that no figure explains", { passed: 30, failed: 0 }, 1],
	])("with %s is a failure", (_what, report, code) => {
		expect(countFaults(report, code)).toMatchObject({ failed: 1 });
	});
});
