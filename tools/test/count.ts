import { z } from "zod";

/** What one step of the run came to. */
export interface Counts {
	readonly passed: number;
	readonly failed: number;
	readonly skipped: number;
}

const reportSchema = z.looseObject({
	testResults: z.array(
		z.looseObject({
			status: z.string(),
			assertionResults: z.array(z.looseObject({ status: z.string() })),
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
	for (const file of parsed.data.testResults) {
		const statuses = file.assertionResults.map(({ status }) => status);
		const failed = statuses.filter((status) => status === "failed").length;
		const passed = statuses.filter((status) => status === "passed").length;
		total.failed += failed === 0 && file.status === "failed" ? 1 : failed;
		total.passed += passed;
		total.skipped += statuses.length - failed - passed;
	}
	if (total.failed === 0 && (exitCode !== 0 || total.passed === 0)) total.failed = 1;
	return total;
}

const faultsSchema = z.looseObject({ passed: z.int(), failed: z.int() });

/** Counts the figures of the fault bench; a run without a report, or without figures, is one failure. */
export function countFaults(report: unknown, exitCode: number): Counts {
	const parsed = faultsSchema.safeParse(report);
	if (!parsed.success) return { passed: 0, failed: 1, skipped: 0 };
	const { passed, failed } = parsed.data;
	const unexplained = failed === 0 && (exitCode !== 0 || passed === 0);
	return { passed, failed: unexplained ? 1 : failed, skipped: 0 };
}

export function addUp(counts: readonly Counts[]): Counts {
	const sum = (key: keyof Counts) => counts.reduce((total, one) => total + one[key], 0);
	return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** The last line of a run. */
export function verdict({ passed, failed, skipped }: Counts): string {
	return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}
