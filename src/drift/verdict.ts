import type { DriftKind, DriftReport } from "./report";

/** Where the report has what counts as drift of a kind. A twin is not managed either, so it counts as that too. */
const WHERE = {
	changed: ["changed"],
	missing: ["missing"],
	unmanaged: ["unmanaged", "twins"],
	twin: ["twins"],
} as const satisfies Record<DriftKind, readonly (keyof DriftReport)[]>;

/** Whether the report holds drift of one of the kinds. */
export function hasDrift(report: DriftReport, kinds: readonly DriftKind[]): boolean {
	return kinds.some((kind) => WHERE[kind].some((field) => report[field].length > 0));
}

/** `incomplete`: nothing was found, but not everything could be checked, so nobody can say that there is no drift. */
export type Outcome = "none" | "drift" | "incomplete";

export function outcomeOf(report: DriftReport, kinds: readonly DriftKind[]): Outcome {
	if (hasDrift(report, kinds)) return "drift";
	return report.failed.length > 0 ? "incomplete" : "none";
}

/** Equal for two reports that found the same, whenever and however they were made. */
export function verdictOf(report: DriftReport): string {
	const { stack, changed, missing, unmanaged, twins, failed, unlisted, unchecked } = report;
	return JSON.stringify([stack, changed, missing, unmanaged, twins, failed, unlisted, unchecked]);
}
