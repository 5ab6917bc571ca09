import { z } from "zod";
import { MINUTE_MS, offsetAt } from "../cron";
import { parseInstant, showInstant } from "../text/instant";
import {
	type Cell,
	lengthWords,
	many,
	moment,
	name,
	number,
	type Report,
	type Section,
	sectionOf,
	time,
	words,
} from "../text/report";
import { clockSection } from "./drift-rendering";
import { clockChangeShape } from "./drift-report";

/** `later`: not in the window, but at another time to come. `never`: nothing will ever run it again. */
const SCHEDULE_STATUSES = ["runs", "later", "paused", "never", "unreadable"] as const;

export const scheduleSchema = z.object({
	name: z.string(),
	team: z.string(),
	pipeline: z.string().nullable(),
	id: z.string().nullable(),
	/** Name of the resource in the program; null for one that the stack does not manage. */
	resource: z.string().nullable(),
	/** The service's expression, in UTC; null for a schedule that runs once, and if it is not known. */
	cron: z.string().nullable(),
	/** The declared expression, if that is another one because of `timeZone` or H. */
	declared: z.string().nullable(),
	timeZone: z.string().nullable(),
	meaning: z.string().nullable(),
	status: z.enum(SCHEDULE_STATUSES),
	/** Why it does not run, in plain words; null if it does. */
	why: z.string().nullable(),
	/** Runs in the window. */
	count: z.int(),
	/** The next run, also if that is not in the window. */
	next: z.string().nullable(),
	/** Every run in the window; left out if only the numbers were asked for. */
	runs: z.array(z.string()).optional(),
});

const overlapSchema = z.object({
	pipeline: z.string(),
	team: z.string(),
	/** Median of the finished runs that the service shows. */
	typicalSeconds: z.int(),
	seen: z.int(),
	/** The shortest time between two starts in the window. */
	shortestGapSeconds: z.int(),
	/** Starts in the window while the run before is still under way. */
	times: z.int(),
	firstAt: z.string(),
});

const clusterSchema = z.object({
	name: z.string(),
	team: z.string(),
	/** Null if the service does not say. */
	maxWorkers: z.int().nullable(),
	peakWorkers: z.int(),
	peakAt: z.string().nullable(),
	/** Minutes of the window in which more is expected than there is. */
	minutesOver: z.int(),
});

const clockChangeSchema = z.object({
	name: z.string(),
	team: z.string(),
	...clockChangeShape,
});

/** What `pulumi-datachain forecast --json` prints. Documented in docs/cli.md; a breaking change raises the version. */
export const forecastReportSchema = z.object({
	schemaVersion: z.literal(1),
	madeAt: z.string(),
	from: z.string(),
	/** Just behind the window. */
	to: z.string(),
	/** By whose clocks days and hours are counted. Instants are in UTC all the same. */
	timeZone: z.string(),
	source: z.enum(["stack", "live"]),
	stack: z.string().nullable(),
	teams: z.array(z.string()),
	summary: z.object({
		schedules: z.int(),
		runs: z.int(),
		paused: z.int(),
		never: z.int(),
		unreadable: z.int(),
		overlapping: z.int(),
	}),
	/** All runs of the window by weekday, Monday first, and hour: a weekday that occurs more often has more. */
	heat: z.array(z.array(z.int())),
	/** In the same form the runs of the busiest such hour; and by weekday those of the busiest such day. */
	busiestByHour: z.array(z.array(z.int())),
	busiestByDay: z.array(z.int()),
	/** The hours with the most runs, busiest first. */
	busiestHours: z.array(z.object({ at: z.string(), runs: z.int() })),
	schedules: z.array(scheduleSchema),
	overlaps: z.array(overlapSchema),
	clusters: z.array(clusterSchema),
	clockChanges: z.array(clockChangeSchema),
	/** What could not be found out. */
	notes: z.array(z.string()),
});

export type ForecastReport = z.infer<typeof forecastReportSchema>;
export type ScheduleForecast = z.infer<typeof scheduleSchema>;
export type Overlap = z.infer<typeof overlapSchema>;
export type ClusterLoad = z.infer<typeof clusterSchema>;

const UTC = "UTC";

/**
 * The instant by the clocks of a zone: `2026-01-31 04:00 +01:00`. It has the offset in place of the zone's name, because
 * an hour occurs twice when the clocks go back.
 */
function momentIn(zone: string, instant: string | null): string {
	const millis = instant === null ? undefined : parseInstant(instant);
	if (zone === UTC || millis === undefined) return moment(instant);
	const offset = offsetAt(zone, millis);
	const local = moment(showInstant(millis + offset * MINUTE_MS)).replace(/ UTC$/, "");
	return `${local} ${offsetText(offset)}`;
}

/** `+05:30` */
function offsetText(offset: number): string {
	const sign = offset < 0 ? "-" : "+";
	const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
	return `${sign}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}

/** What every rendering shows. */
export function describeForecast(report: ForecastReport): Report {
	return {
		heading: { page: "Upcoming runs", comment: "Upcoming runs" },
		headline: headline(report),
		footnotes: [],
		sections: sectionsOf(report).filter(({ rows }) => rows.length > 0),
		notes: report.notes,
	};
}

/** The forecast for a terminal, which has no timeline: the busiest hours and the first run of each schedule come first. */
export function describeForTerminal(report: ForecastReport): Report {
	const described = describeForecast(report);
	const first = [busiestHours(report), schedulesThatRun(report)].filter(
		({ rows }) => rows.length > 0,
	);
	return { ...described, sections: [...first, ...described.sections] };
}

const busiestHours = ({ busiestHours, timeZone }: ForecastReport): Section =>
	sectionOf(
		{ id: "busiest", title: "Busiest hours", severity: "info" },
		"The hours with the most runs.",
		busiestHours,
		{
			Hour: ({ at }) => time(momentIn(timeZone, at)),
			Runs: ({ runs }) => number(runs),
		},
	);

/** In the order of their first runs. */
const schedulesThatRun = ({ schedules, timeZone }: ForecastReport): Section =>
	sectionOf(
		{ id: "runs", title: "Schedules that run", severity: "info" },
		"The first run of each, and their number. --json lists every run.",
		schedules.filter(({ status }) => status === "runs"),
		{
			"First run": ({ next }) => time(momentIn(timeZone, next)),
			Runs: ({ count }) => number(count),
			...WHO,
		},
	);

/** What a person should know, in the order in which it matters. */
function sectionsOf(report: ForecastReport): Section[] {
	const { overlaps, clusters, clockChanges, schedules, timeZone } = report;
	const timeText = (instant: string | null) => momentIn(timeZone, instant);
	return [
		sectionOf(
			{ id: "overlaps", title: "Pipelines that overlap themselves", severity: "bad" },
			"They usually take longer than the time to their next start.",
			overlaps,
			{
				Pipeline: ({ pipeline }) => name(pipeline),
				Team: ({ team }) => name(team),
				"Usual length": ({ typicalSeconds, seen }) =>
					words(`${lengthWords(typicalSeconds * 1_000)} (${many(seen, "run")} seen)`),
				"Shortest gap": ({ shortestGapSeconds }) =>
					words(lengthWords(shortestGapSeconds * 1_000)),
				Overlaps: ({ times }) => number(times),
				"First at": ({ firstAt }) => time(timeText(firstAt)),
			},
		),
		sectionOf(
			{ id: "workers", title: "Overloaded clusters", severity: "bad" },
			"More workers are expected at once than the cluster allows.",
			clusters.filter(({ minutesOver }) => minutesOver > 0),
			{
				Cluster: (cluster) => name(cluster.name),
				Team: ({ team }) => name(team),
				Expected: ({ peakWorkers }) => number(peakWorkers),
				"Most allowed": ({ maxWorkers }) => number(maxWorkers),
				"First peak": ({ peakAt }) => time(timeText(peakAt)),
				"Minutes over": ({ minutesOver }) => number(minutesOver),
			},
		),
		clockSection(clockChanges, { timeText }),
		sectionOf(
			{ id: "never", title: "Schedules that never run again", severity: "odd" },
			"Delete them, or give them another time.",
			schedules.filter(({ status }) => status === "never"),
			WHO_AND_WHY,
		),
		sectionOf(
			{ id: "unknown", title: "Unknown run times", severity: "odd" },
			"They may still run; see the reason.",
			schedules.filter(({ status }) => status === "unreadable"),
			WHO_AND_WHY,
		),
		sectionOf(
			{ id: "paused", title: "Paused", severity: "quiet" },
			"They do not run until their pipeline is resumed.",
			schedules.filter(({ status }) => status === "paused"),
			WHO,
		),
	];
}

const WHO: Readonly<Record<string, (schedule: ScheduleForecast) => Cell>> = {
	Schedule: (schedule) => name(schedule.name),
	Pipeline: ({ pipeline }) => name(pipeline ?? "unknown"),
	Team: ({ team }) => name(team),
	Cron: (schedule) => cronCell(schedule),
};

const WHO_AND_WHY: typeof WHO = { ...WHO, Why: ({ why }) => words(why ?? "") };

type WithCron = Pick<ScheduleForecast, "cron" | "declared" | "timeZone" | "meaning"> &
	Partial<Pick<ScheduleForecast, "status">>;

/** The expression as the program says it if that differs, with the meaning of either. */
export function cronCell({
	cron,
	declared,
	timeZone,
	meaning,
	status,
}: WithCron): Cell {
	if (cron === null) return words(status === "unreadable" ? "not known" : "once");
	if (declared === null)
		return { as: "cron", text: cron, meaning: meaning ?? undefined };
	const text = timeZone === null ? declared : `${declared} ${timeZone}`;
	return {
		as: "cron",
		text,
		meaning: `${cron} in UTC${meaning === null ? "" : `, ${meaning}`}`,
	};
}

/** `2,016 runs of 12 schedules from 2026-01-31 03:00 UTC to …`. */
function headline({
	summary,
	from,
	to,
	stack,
	source,
	teams,
	timeZone,
}: ForecastReport): string {
	const isLive = source === "live";
	// Where there is no schedule yet, nothing names a team.
	const team =
		teams.length > 0 ? `team ${teams.join(", ")}` : isLive ? "the team" : "this stack";
	const where = isLive || stack === null ? team : `stack "${stack}"`;
	const zone = timeZone === UTC ? "" : ` (${timeZone})`;
	const when = `${momentIn(timeZone, from)} to ${momentIn(timeZone, to)}${zone}`;
	return `${many(summary.runs, "run")} of ${many(summary.schedules, "schedule")} of ${where}, ${when}`;
}
