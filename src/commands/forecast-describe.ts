import type { Colors } from "../report/renderings";
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
} from "../report/report";
import { clockSection } from "./drift-report";
import type { Comparison, ForecastReport, ScheduleChange, ScheduleForecast } from "./forecast-report";
import { isLong } from "./forecast-runs";

/** The forecast but for its heat map, for every rendering. */
export function describeForecast(report: ForecastReport): Report {
	return {
		heading: { page: "Upcoming runs", comment: "Upcoming runs" },
		headline: headline(report),
		footnotes: [],
		sections: sectionsOf(report).filter(({ rows }) => rows.length > 0),
		notes: report.notes,
	};
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Each says more: told apart without colour, and on a screen reader by its number. */
const SHADES = [" ·", " ░", " ▒", " ▓", " █"];

/** The heat map for a terminal. */
export function heatLines(
	{ busiestByHour, busiestByDay, busiestHours, timeZone, ...report }: ForecastReport,
	colors: Colors,
): string[] {
	const most = Math.max(1, ...busiestByHour.flat());
	const paints = [colors.dim, colors.green, colors.cyan, colors.yellow, colors.red];
	const cell = (count: number) => {
		const shade = shadeOf(count, most);
		return (paints[shade] ?? colors.dim)(SHADES[shade] ?? "");
	};
	const scale = legend(most).map(({ shade, runs }) => `${SHADES[shade]?.trim()} ${runs}`);
	const hours = Array.from({ length: 24 }, (_, hour) => (hour % 3 === 0 ? String(hour).padStart(2) : "  "));
	const { hour, day } = unitsOf(report);
	return [
		`     ${hours.join("")}  (${timeZone})`,
		...busiestByHour.map((row, weekday) => {
			const runs = (busiestByDay[weekday] ?? 0).toLocaleString("en-US");
			return `${WEEKDAYS[weekday]}  ${row.map(cell).join("")}  ${colors.dim(runs.padStart(9))}`;
		}),
		colors.dim(`     ${scale.join("  ")} ${hour}; on the right ${day}`),
		"",
		busiestLine(busiestHours),
		"",
	];
}

/** What the numbers of the heat map count. In a week every hour occurs once; in a longer window the busiest is shown. */
function unitsOf({ from, to }: Pick<ForecastReport, "from" | "to">): { hour: string; day: string } {
	if (!isLong({ from: Date.parse(from), to: Date.parse(to) }))
		return { hour: "runs an hour", day: "runs a day" };
	return { hour: "runs in the busiest such hour", day: "runs on the busiest such day" };
}

/** 0 for none, then quarters of the most. */
const shadeOf = (count: number, most: number): number =>
	count === 0 ? 0 : Math.min(4, Math.ceil((count / most) * 4));

/** What each shade stands for; a small number of runs needs few of them. */
function legend(most: number): { shade: number; runs: string }[] {
	const shades = [1, 2, 3, 4].flatMap((shade) => {
		const [from, to] = [Math.floor(((shade - 1) / 4) * most) + 1, Math.floor((shade / 4) * most)];
		return from > to ? [] : [{ shade, runs: from === to ? String(to) : `${from}–${to}` }];
	});
	return [{ shade: 0, runs: "0" }, ...shades];
}

function busiestLine(busiestHours: ForecastReport["busiestHours"]): string {
	if (busiestHours.length === 0) return "Nothing runs in this time.";
	const hours = busiestHours.map(({ at, runs }) => `${moment(at)} (${runs.toLocaleString("en-US")})`);
	return `Busiest hours: ${hours.join(", ")}`;
}

/** What a person should know beside the heat map, in the order in which it matters. */
function sectionsOf({ overlaps, clusters, clockChanges, schedules }: ForecastReport): Section[] {
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
				"Shortest gap": ({ shortestGapSeconds }) => words(lengthWords(shortestGapSeconds * 1_000)),
				Overlaps: ({ times }) => number(times),
				"First at": ({ firstAt }) => time(moment(firstAt)),
			},
		),
		sectionOf(
			{ id: "workers", title: "Overloaded clusters", severity: "bad" },
			"More workers are expected at once than the cluster allows.",
			clusters.filter(({ minutesOver }) => minutesOver > 0),
			{
				Cluster: (cluster) => name(cluster.name),
				Expected: ({ peakWorkers }) => number(peakWorkers),
				"Most allowed": ({ maxWorkers }) => number(maxWorkers),
				"First peak": ({ peakAt }) => time(moment(peakAt)),
				"Minutes over": ({ minutesOver }) => number(minutesOver),
			},
		),
		clockSection(clockChanges),
		sectionOf(
			{ id: "never", title: "Schedules that never run again", severity: "odd" },
			"Delete them, or give them another time.",
			schedules.filter(neverRuns),
			WHO_AND_WHY,
		),
		sectionOf(
			{ id: "unknown", title: "Not known when they run", severity: "odd" },
			"They may run all the same: the stack does not tell when.",
			schedules.filter(isHidden),
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

/** A secret expression, or one that only the deployment knows. */
const isHidden = ({ status, cron }: ScheduleForecast): boolean => status === "unreadable" && cron === null;

/** Also one whose expression is there and cannot be read. */
const neverRuns = (each: ScheduleForecast): boolean =>
	each.status === "never" || (each.status === "unreadable" && !isHidden(each));

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
function cronCell({ cron, declared, timeZone, meaning, status }: WithCron): Cell {
	if (cron === null) return words(status === "unreadable" ? "not known" : "once");
	if (declared === null) return { as: "cron", text: cron, meaning: meaning ?? undefined };
	const text = timeZone === null ? declared : `${declared} ${timeZone}`;
	return { as: "cron", text, meaning: `${cron} in UTC${meaning === null ? "" : `, ${meaning}`}` };
}

/** `2,016 runs of 12 schedules from 2026-01-31 03:00 UTC to …`. */
function headline({ summary, from, to, stack, source, teams }: ForecastReport): string {
	// A stack that has no resources yet names neither itself nor a team.
	const team = teams.length > 0 ? `team ${teams.join(", ")}` : "this stack";
	const where = source === "live" || stack === null ? team : `stack "${stack}"`;
	return `${many(summary.runs, "run")} of ${many(summary.schedules, "schedule")} of ${where}, ${moment(from)} to ${moment(to)}`;
}

/** Runs that the deployment changes, for every rendering. */
export function describeComparison({ schedules, ...comparison }: Comparison): Report {
	const section = (how: ScheduleChange["how"], title: string, what: string): Section =>
		sectionOf(
			{ id: how, title, severity: "odd", spare: 1 },
			what,
			schedules.filter((change) => change.how === how),
			{
				Schedule: (change) => name(change.name),
				Pipeline: ({ pipeline }) => name(pipeline ?? "unknown"),
				Deployed: ({ before }) => timeCell(before),
				Declared: ({ after }) => timeCell(after),
				Runs: (change) => words(runsOf(change)),
			},
		);
	return {
		heading: { page: "Runs that the deployment changes", comment: "Upcoming runs" },
		headline: changesWords(comparison),
		footnotes: [],
		sections: [
			section("changed", "Changed schedules", "They run at other times once this is deployed."),
			section("added", "New schedules", "They are not deployed yet."),
			section("removed", "Removed schedules", "They are deployed, and the program no longer has them."),
		].filter(({ rows }) => rows.length > 0),
		notes: comparison.notes,
	};
}

const timeCell = (time: ScheduleChange["before"]): Cell => (time === null ? words("none") : cronCell(time));

function runsOf({ added, removed, moved, kept, examples }: ScheduleChange): string {
	const counts = [
		...(moved > 0 ? [`${moved} moved`] : []),
		...(added > 0 ? [`${added} added`] : []),
		...(removed > 0 ? [`${removed} removed`] : []),
		...(kept > 0 ? [`${kept} as before`] : []),
	];
	const shown = examples.map(({ from, to }) => {
		if (from === null) return `+ ${moment(to)}`;
		if (to === null) return `- ${moment(from)}`;
		const isSameDay = from.slice(0, 10) === to.slice(0, 10);
		return `${moment(from)} becomes ${isSameDay ? to.slice(11, 16) : moment(to)}`;
	});
	const more = added + removed + moved > examples.length ? ["…"] : [];
	return counts.length === 0
		? "none in this time"
		: `${counts.join(", ")}: ${[...shown, ...more].join("; ")}`;
}

function changesWords({
	summary: { added, removed, moved },
	stack,
	from,
	to,
}: Omit<Comparison, "schedules">): string {
	const where = stack === null ? "this stack" : `stack "${stack}"`;
	const when = `${moment(from)} to ${moment(to)}`;
	if (added + removed + moved === 0) return `No run of ${where} changes, ${when}`;
	return `${many(moved, "run")} moved, ${added.toLocaleString("en-US")} added, ${removed.toLocaleString("en-US")} removed in ${where}, ${when}`;
}
