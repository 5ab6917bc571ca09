import { many, moment } from "../report/plain";
import { type Cell, name, type Section, time, words } from "../report/section";
import type { ForecastReport, ScheduleForecast } from "./report";

/** What a person should know beside the heat map, in the order in which it matters. */
export function sectionsOf(report: ForecastReport): Section[] {
	const over = report.clusters.filter(({ minutesOver }) => minutesOver > 0);
	return [
		{
			id: "overlaps",
			title: "Pipelines that overlap themselves",
			what: "They usually take longer than the time to their next start.",
			heads: ["Pipeline", "Team", "Usual length", "Shortest gap", "Overlaps", "First at"],
			rows: report.overlaps.map((each) => [
				name(each.pipeline),
				name(each.team),
				words(`${duration(each.typicalSeconds)} (${many(each.seen, "run")} seen)`),
				words(duration(each.shortestGapSeconds)),
				words(String(each.times)),
				time(moment(each.firstAt)),
			]),
		},
		{
			id: "workers",
			title: "Clusters that are asked for too much",
			what: "More workers are expected at once than the cluster may have.",
			heads: ["Cluster", "Expected", "Most allowed", "First peak", "Minutes over"],
			rows: over.map((each) => [
				name(each.name),
				words(String(each.peakWorkers)),
				words(String(each.maxWorkers)),
				time(moment(each.peakAt)),
				words(String(each.minutesOver)),
			]),
		},
		{
			id: "clocks",
			title: "Changes of clocks",
			what: "From then on these run at another local time, until the next deployment updates them.",
			heads: ["Schedule", "Time zone", "When", "Cron in UTC", "Becomes"],
			rows: report.clockChanges.map((each) => [
				name(each.name),
				name(each.timeZone),
				time(`${moment(each.at)}${each.isPast ? " (past)" : ""}`),
				name(each.from),
				name(each.to),
			]),
		},
		{
			id: "never",
			title: "Schedules that never run again",
			what: "Delete them, or give them another time.",
			heads: ["Schedule", "Pipeline", "Team", "Cron", "Why"],
			rows: report.schedules.filter(neverRuns).map(whoAndWhy),
		},
		{
			id: "unknown",
			title: "Not known when they run",
			what: "They may run all the same: the stack does not tell when.",
			heads: ["Schedule", "Pipeline", "Team", "Cron", "Why"],
			rows: report.schedules.filter(isHidden).map(whoAndWhy),
		},
		{
			id: "paused",
			title: "Paused",
			what: "They do not run until their pipeline is resumed.",
			heads: ["Schedule", "Pipeline", "Team", "Cron"],
			rows: report.schedules.filter(({ status }) => status === "paused").map(who),
		},
	];
}

/** A secret expression, or one that only the deployment knows. */
const isHidden = ({ status, cron }: ScheduleForecast): boolean => status === "unreadable" && cron === null;

/** Also one whose expression is there and cannot be read. */
export const neverRuns = (each: ScheduleForecast): boolean =>
	each.status === "never" || (each.status === "unreadable" && !isHidden(each));

const who = (each: ScheduleForecast): Cell[] => [
	name(each.name),
	name(each.pipeline ?? "unknown"),
	name(each.team),
	cronCell(each),
];

const whoAndWhy = (each: ScheduleForecast): Cell[] => [...who(each), words(each.why ?? "")];

type WithCron = Pick<ScheduleForecast, "cron" | "declared" | "timeZone" | "meaning"> &
	Partial<Pick<ScheduleForecast, "status">>;

/** The expression as the program says it where that differs, with the meaning of either. */
export function cronCell({ cron, declared, timeZone, meaning, status }: WithCron): Cell {
	if (cron === null) return words(status === "unreadable" ? "not known" : "once");
	if (declared === null) return { as: "cron", text: cron, meaning: meaning ?? undefined };
	const text = timeZone === null ? declared : `${declared} ${timeZone}`;
	return { as: "cron", text, meaning: `${cron} in UTC${meaning === null ? "" : `, ${meaning}`}` };
}

/** `1 h 30 min`, `45 s`. */
export function duration(seconds: number): string {
	const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
	const parts = [...(hours > 0 ? [`${hours} h`] : []), ...(minutes > 0 ? [`${minutes} min`] : [])];
	return parts.length > 0 ? parts.join(" ") : `${seconds} s`;
}

/** `2,016 runs of 12 schedules from 2026-01-31 03:00 UTC to …`. */
export function headline({ summary, from, to, stack, source, teams }: ForecastReport): string {
	const where = source === "live" || stack === null ? `team ${teams.join(", ")}` : `stack "${stack}"`;
	return `${many(summary.runs, "run")} of ${many(summary.schedules, "schedule")} of ${where}, ${moment(from)} to ${moment(to)}`;
}
