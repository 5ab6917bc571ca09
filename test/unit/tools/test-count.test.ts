import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../../../tools/repository";
import { addUp, countFaults, countReport, verdict } from "../../../tools/test/count";

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

	test("names each failed test with its file and what it expected", () => {
		const failing = {
			name: join(repository, "test", "unit", "a.test.ts"),
			status: "failed",
			assertionResults: [
				{ status: "failed", fullName: "adds up", failureMessages: ["expected 1 to be 2\n  at a line"] },
				{ status: "passed", fullName: "is quiet" },
			],
		};
		const { failures } = count(1, failing, file("passed", "passed"));
		expect(failures).toEqual([
			expect.stringMatching(/^test.unit.a\.test\.ts: adds up\n {2}expected 1 to be 2/),
		]);
		expect(count(0, file("passed", "passed")).failures).toBeUndefined();
	});

	test("names a test that passed only at its second try, and counts it as passed", () => {
		const flaky = {
			name: join(repository, "test", "e2e", "a.test.ts"),
			status: "passed",
			assertionResults: [{ status: "passed", fullName: "is late", failureMessages: ["expected 1 to be 2"] }],
		};
		expect(count(0, flaky)).toEqual({
			passed: 1,
			failed: 0,
			skipped: 0,
			secondTries: [expect.stringMatching(/^test.e2e.a\.test\.ts: is late\n {2}expected 1 to be 2/)],
		});
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

	test("the last line names skipped tests only where there are some", () => {
		expect(verdict(addUp([count(0, file("passed", "passed")), count(0, file("passed", "passed"))]))).toBe(
			"2 passed, 0 failed",
		);
		expect(verdict({ passed: 1, failed: 2, skipped: 3 })).toBe("1 passed, 2 failed, 3 skipped");
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
