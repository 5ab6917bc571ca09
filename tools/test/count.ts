import { relative } from "node:path";
import { z } from "zod";
import { repository } from "../repository";

/** What one step of the run came to. */
export interface Counts {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
	/** The failed tests, for the end of the run: a log cut in the middle still names them. */
	readonly failures?: readonly string[];
	/** The tests that failed first and then passed: each is a defect, of the test or of what it tests. */
	readonly secondTries?: readonly string[];
}

const reportSchema = z.looseObject({
	testResults: z.array(
		z.looseObject({
			name: z.string().default(""),
			status: z.string(),
			message: z.string().optional(),
			assertionResults: z.array(
				z.looseObject({
					status: z.string(),
					fullName: z.string().default(""),
					failureMessages: z.array(z.string()).nullish(),
				}),
			),
		}),
	),
});

/**
 * Counts a vitest JSON report. A file that fails outside its tests (an import, a hook) is one failure, and so is
 * a suite without tests, without a report, or with an exit code that no failed test explains.
 */
export function countReport(report: unknown, exitCode: number): Counts {
	const parsed = reportSchema.safeParse(report);
	if (!parsed.success) return { passed: 0, failed: 1, skipped: 0 };
	const total = { passed: 0, failed: 0, skipped: 0 };
	const failures: string[] = [];
	const secondTries: string[] = [];
	for (const file of parsed.data.testResults) {
		const failed = file.assertionResults.filter(({ status }) => status === "failed");
		const passed = file.assertionResults.filter(({ status }) => status === "passed");
		const brokenFile = failed.length === 0 && file.status === "failed";
		total.failed += brokenFile ? 1 : failed.length;
		total.passed += passed.length;
		total.skipped += file.assertionResults.length - failed.length - passed.length;
		if (brokenFile)
			failures.push(describeFailure(file.name, "the file itself", file.message));
		for (const test of failed) {
			failures.push(
				describeFailure(file.name, test.fullName, test.failureMessages?.[0]),
			);
		}
		for (const { fullName, failureMessages } of passed) {
			if (failureMessages?.[0])
				secondTries.push(describeFailure(file.name, fullName, failureMessages[0]));
		}
	}
	if (total.failed === 0 && (exitCode !== 0 || total.passed === 0)) total.failed = 1;
	return { ...total, failures, secondTries };
}

function describeFailure(file: string, test: string, message = "no message"): string {
	const path = relative(repository, file);
	return `${path}: ${test}\n  ${message.split("\n", 3).join("\n  ")}`;
}

export function addUp(counts: readonly Counts[]): Counts {
	const sum = (key: "passed" | "failed" | "skipped") =>
		counts.reduce((total, one) => total + one[key], 0);
	return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The last line of a run. */
export function verdict({ passed, failed, skipped }: Counts): string {
	return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
