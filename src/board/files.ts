import { type DriftReport, describeDrift } from "../commands/drift-report";
import { type Comparison, describeComparison } from "../commands/forecast-compare";
import { describeForecast, type ForecastReport } from "../commands/forecast-report";
import { MINUTE_MS } from "../cron";
import { moment, type Report } from "../report/report";
import { pageWith } from "./http";
import { scheduleRow } from "./rows";
import type { Embedded, Facts, FutureRuns, ScheduleRow } from "./snapshot";

/** The page of `drift --html`. */
export function driftPage(report: DriftReport): string {
	const at = Date.parse(report.checkedAt);
	const facts = {
		team: report.teams.join(", "),
		service: report.serviceUrl,
		stack: report.stack,
		now: at,
		asOf: at,
	};
	return pageWith(file("Drift", describeDrift(report), facts));
}

/** The page of `forecast --compare --html`. */
export function comparisonPage(comparison: Comparison): string {
	const at = Date.parse(comparison.madeAt);
	const made = `Made at ${moment(comparison.madeAt)}. All times are UTC.`;
	const report = describeComparison(comparison);
	const facts = { team: "", service: "", stack: comparison.stack, now: at, asOf: at };
	return pageWith(file("Changes", { ...report, footnotes: [...report.footnotes, made] }, facts));
}

/** The page of `forecast --html`: every run of the window on the timeline, the schedules, and the report. */
export function forecastPage(report: ForecastReport): string {
	const from = Math.floor(Date.parse(report.from) / MINUTE_MS) * MINUTE_MS;
	const to = Date.parse(report.to);
	const usual = new Map(
		report.overlaps.map(({ pipeline, typicalSeconds }) => [pipeline, typicalSeconds * 1_000]),
	);
	const runs: Record<string, number[]> = {};
	const schedules = report.schedules.map((each, index): ScheduleRow => {
		const id = String(index);
		runs[id] = (each.runs ?? []).map((at) => Math.round((Date.parse(at) - from) / MINUTE_MS));
		const name = report.teams.length > 1 ? `${each.name} (${each.team})` : each.name;
		const startAfter = each.cron === null && each.next !== null ? Date.parse(each.next) : undefined;
		return scheduleRow(
			{ ...each, name },
			{
				id,
				managedBy: each.resource === null ? null : `${report.stack ?? "stack"} / ${each.resource}`,
				createdBy: null,
				usual: usual.get(each.pipeline ?? "") ?? null,
				startAfter,
			},
		);
	});
	const future: FutureRuns = { from, to, runs, isCut: false };
	const facts = {
		team: report.teams.join(", "),
		service: "",
		stack: report.stack,
		now: from,
		asOf: Date.parse(report.madeAt),
	};
	const data = file("Report", describeForecast(report), facts);
	return pageWith({
		...data,
		view: "timeline",
		views: ["timeline", "schedules", "report"],
		zone: report.timeZone,
		answer: { ...data.answer, rows: { schedules } },
		future,
	});
}

function file(
	title: string,
	report: Report,
	facts: Pick<Facts, "team" | "service" | "stack" | "now" | "asOf">,
): Embedded {
	return {
		view: "report",
		views: ["report"],
		title,
		zone: "UTC",
		answer: { ...facts, every: 0, problem: null, notes: [], revision: "", isWhole: true, rows: {}, gone: {} },
		future: null,
		report,
	};
}
