import { isReadableCron, nextRuns, type ParsedCron, parseLiveCron, tryDescribeCron } from "../schemas/cron";
import { clockChangeOf } from "./clock-changes";
import { hiddenCron } from "./from-state";
import { HeatMap } from "./heat";
import { overlapOf, typicalLength } from "./overlaps";
import type { ForecastReport, Overlap, ScheduleForecast } from "./report";
import { eachRun } from "./run-times";
import { type ClusterFacts, type ForecastSchedule, type PipelineFacts, pipelineKey } from "./subject";
import { DAY_MS, type ForecastWindow } from "./window";
import { WorkerLoad } from "./workers";

/** Clock changes are named this long in advance, whatever the window. */
const CLOCK_NOTICE_MS = 30 * DAY_MS;

export interface ForecastInput {
	readonly schedules: readonly ForecastSchedule[];
	/** By `pipelineKey`. */
	readonly pipelines: ReadonlyMap<string, PipelineFacts>;
	readonly clusters: readonly ClusterFacts[];
	readonly window: ForecastWindow;
	readonly timeZone: string;
	readonly source: ForecastReport["source"];
	readonly stack: string | null;
	readonly notes: readonly string[];
	/** Whether the report lists every run; a year of a large team has a hundred million. */
	readonly keepRuns: boolean;
}

const NOTHING_KNOWN: PipelineFacts = { paused: false, workers: 1, lengths: [], cluster: undefined };

/** Goes through every run of every schedule in the window once. */
export function analyse(input: ForecastInput): ForecastReport {
	const { window, pipelines } = input;
	const heat = new HeatMap(window, input.timeZone);
	const load = new WorkerLoad(window, input.clusters);
	const schedules: ScheduleForecast[] = [];
	const overlaps: Overlap[] = [];
	for (const group of byPipeline(input.schedules)) {
		const [first] = group;
		const facts = pipelines.get(pipelineKey(first.team, first.pipeline ?? "")) ?? NOTHING_KNOWN;
		const length = typicalLength(facts.lengths);
		const starts: number[] = [];
		for (const schedule of group) {
			const runs = input.keepRuns ? ([] as string[]) : undefined;
			const found = forecastOf(schedule, facts, window, (at) => {
				heat.add(at);
				load.add(facts, at, length);
				if (length !== undefined) starts.push(at);
				runs?.push(new Date(at).toISOString());
			});
			schedules.push(runs === undefined ? found : { ...found, runs });
		}
		const which = { team: first.team, pipeline: first.pipeline ?? "" };
		const overlap = overlapOf(which, starts, facts.lengths);
		if (overlap !== undefined) overlaps.push(overlap);
	}
	const until = Math.max(window.to, window.from + CLOCK_NOTICE_MS);
	return {
		schemaVersion: 1,
		madeAt: new Date().toISOString(),
		from: new Date(window.from).toISOString(),
		to: new Date(window.to).toISOString(),
		timeZone: input.timeZone,
		source: input.source,
		stack: input.stack,
		teams: [...new Set(input.schedules.map(({ team }) => team))].sort(),
		summary: summaryOf(schedules, overlaps),
		heat: heat.rows(),
		busiestHours: heat.busiest(),
		schedules: schedules.sort(byNextRun),
		overlaps: overlaps.sort((a, b) => b.times - a.times),
		clusters: load.loads(),
		clockChanges: input.schedules.flatMap((schedule) => clockChangeOf(schedule, window.from, until) ?? []),
		notes: [...input.notes],
	};
}

/** Those without a next run come last; texts by their code units, so that every machine gives the same order. */
function byNextRun(a: ScheduleForecast, b: ScheduleForecast): number {
	const [one, other] = a.next === b.next ? [a.name, b.name] : [a.next ?? "~", b.next ?? "~"];
	if (one === other) return 0;
	return one < other ? -1 : 1;
}

/** Schedules that run the same pipeline can get into each other's way. */
function byPipeline(schedules: readonly ForecastSchedule[]): [ForecastSchedule, ...ForecastSchedule[]][] {
	const groups = new Map<string, [ForecastSchedule, ...ForecastSchedule[]]>();
	for (const schedule of schedules) {
		const key = pipelineKey(schedule.team, schedule.pipeline ?? `\0${schedule.name}`);
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [schedule]);
		else group.push(schedule);
	}
	return [...groups.values()];
}

function forecastOf(
	schedule: ForecastSchedule,
	facts: PipelineFacts,
	window: ForecastWindow,
	visit: (at: number) => void,
): ScheduleForecast {
	const { cron, startAfter } = schedule;
	const base = {
		name: schedule.name,
		team: schedule.team,
		pipeline: schedule.pipeline ?? null,
		id: schedule.id ?? null,
		resource: schedule.resource ?? null,
		cron: cron ?? null,
		declared: schedule.declared ?? null,
		timeZone: schedule.timeZone ?? null,
		meaning: cron === undefined ? null : (tryDescribeCron(cron) ?? null),
		count: 0,
		next: null,
	};
	const idle = (status: ScheduleForecast["status"], why: string): ScheduleForecast => ({
		...base,
		status,
		why,
	});
	const hidden = hiddenCron(cron);
	if (hidden !== undefined) return { ...idle("unreadable", hidden), cron: null };
	if (cron !== undefined && !isReadableCron(cron))
		return idle("unreadable", "its cron expression cannot be read");
	if (schedule.paused ?? facts.paused) return idle("paused", "its pipeline is paused");
	if (cron === undefined) {
		if (startAfter === undefined) return idle("never", "it has neither a cron expression nor a start");
		if (startAfter < window.from) return idle("never", "it was to run once, and that time has passed");
		if (startAfter < window.to) visit(startAfter);
		const count = startAfter < window.to ? 1 : 0;
		return {
			...base,
			status: count > 0 ? "runs" : "later",
			why: null,
			count,
			next: new Date(startAfter).toISOString(),
		};
	}
	const counted = countRuns(parseLiveCron(cron), window, startAfter ?? 0, visit);
	if (counted.count > 0)
		return { ...base, status: "runs", why: null, count: counted.count, next: counted.first };
	const [next] = nextRuns(cron, new Date(Math.max(window.to, startAfter ?? 0) - 1), 1);
	if (next === undefined) return idle("never", "no day is left on which its cron expression fires");
	return { ...base, status: "later", why: null, next: next.toISOString() };
}

function countRuns(
	cron: ParsedCron,
	window: ForecastWindow,
	earliest: number,
	visit: (at: number) => void,
): { count: number; first: string | null } {
	let [count, first] = [0, 0];
	eachRun(cron, window, earliest, (at) => {
		if (count === 0) first = at;
		count += 1;
		visit(at);
	});
	return { count, first: count === 0 ? null : new Date(first).toISOString() };
}

function summaryOf(
	schedules: readonly ScheduleForecast[],
	overlaps: readonly Overlap[],
): ForecastReport["summary"] {
	const of = (status: ScheduleForecast["status"]) =>
		schedules.filter((each) => each.status === status).length;
	return {
		schedules: schedules.length,
		runs: schedules.reduce((sum, { count }) => sum + count, 0),
		paused: of("paused"),
		never: of("never"),
		unreadable: of("unreadable"),
		overlapping: overlaps.length,
	};
}
