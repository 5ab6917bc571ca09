import { MINUTE_MS } from "../cron";
import { describeDrift } from "../team/drift-rendering";
import type { DriftReport } from "../team/drift-report";
import { type Comparison, describeComparison } from "../team/forecast-compare";
import { describeForecast, type ForecastReport } from "../team/forecast-report";
import { pipelineKey } from "../team/forecast-schedules";
import {
	type Embedded,
	type Facts,
	NO_FACTS,
	type ScheduleRow,
} from "../team/snapshot";
import { moment, type Report } from "../text/report";
import { pageWith } from "./http";
import { scheduleRow } from "./rows";

/** The page of `drift --html`. */
export const driftPage = (report: DriftReport): string =>
	pageWith(
		file("Drift", describeDrift(report), {
			team: report.teams.join(", "),
			service: report.serviceUrl,
			stack: report.stack,
			asOf: Date.parse(report.checkedAt),
		}),
	);

/** The page of `forecast --compare --html`. */
export function comparisonPage(comparison: Comparison): string {
	const report = describeComparison(comparison);
	const made = `Made at ${moment(comparison.madeAt)}. All times are UTC.`;
	const facts = { stack: comparison.stack, asOf: Date.parse(comparison.madeAt) };
	return pageWith(
		file("Changes", { ...report, footnotes: [...report.footnotes, made] }, facts),
	);
}

/** The page of `forecast --html`: every run of the window on the timeline, the schedules, and the report. */
export function forecastPage(report: ForecastReport): string {
	const from = Math.floor(Date.parse(report.from) / MINUTE_MS) * MINUTE_MS;
	const usual = new Map(
		report.overlaps.map(({ team, pipeline, typicalSeconds }) => [
			pipelineKey(team, pipeline),
			typicalSeconds * 1_000,
		]),
	);
	const runs: Record<string, number[]> = {};
	const schedules = report.schedules.map((each, index): ScheduleRow => {
		const id = String(index);
		runs[id] = (each.runs ?? []).map((at) =>
			Math.round((Date.parse(at) - from) / MINUTE_MS),
		);
		const name = report.teams.length > 1 ? `${each.name} (${each.team})` : each.name;
		return scheduleRow(
			{ ...each, name },
			{
				id,
				pipelineId: null,
				managedBy:
					each.resource === null
						? null
						: `${report.stack ?? "stack"} / ${each.resource}`,
				createdBy: null,
				usual: usual.get(pipelineKey(each.team, each.pipeline ?? "")) ?? null,
				startAfter:
					each.cron === null && each.next !== null ? Date.parse(each.next) : undefined,
			},
		);
	});
	const data = file("Report", describeForecast(report), {
		team: report.teams.join(", "),
		stack: report.stack,
		asOf: Date.parse(report.madeAt),
	});
	return pageWith({
		...data,
		views: ["timeline", "schedules", "report"],
		zone: report.timeZone,
		answer: { ...data.answer, now: from, rows: { schedules } },
		future: { from, to: Date.parse(report.to), runs, isTruncated: false },
	});
}

/** A page of a report alone. */
function file(
	title: string,
	report: Report,
	facts: Pick<Facts, "stack" | "asOf"> & Partial<Facts>,
): Embedded {
	return {
		views: ["report"],
		title,
		zone: "UTC",
		answer: { ...NO_FACTS, now: facts.asOf, ...facts, revision: "", rows: {} },
		future: null,
		report,
	};
}
