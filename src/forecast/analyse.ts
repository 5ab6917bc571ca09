import { clockChangeAhead, isReadableCron, nextRuns } from "../schemas/cron";
import { hiddenCron } from "./from-state";
import { groupBy } from "./group-by";
import { heatMap } from "./heat";
import { overlapOf, typicalLength } from "./overlaps";
import type { ForecastReport, Overlap, ScheduleForecast } from "./report";
import { eachRunOf } from "./run-times";
import {
	type ClusterFacts,
	type ForecastSchedule,
	type PipelineFacts,
	pipelineKey,
	timeWords,
} from "./subject";
import { DAY_MS, type ForecastWindow, iso } from "./window";
import { workerLoad } from "./workers";

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
	const heat = heatMap(window, input.timeZone);
	const load = workerLoad(window, input.clusters);
	const schedules: ScheduleForecast[] = [];
	const overlaps: Overlap[] = [];
	// Schedules that run the same pipeline can get into each other's way.
	const groups = groupBy(input.schedules, ({ team, pipeline, name }) =>
		pipelineKey(team, pipeline ?? `\0${name}`),
	);
	for (const group of groups.values()) {
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
				runs?.push(iso(at));
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
		from: iso(window.from),
		to: iso(window.to),
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

function forecastOf(
	schedule: ForecastSchedule,
	facts: PipelineFacts,
	window: ForecastWindow,
	visit: (at: number) => void,
): ScheduleForecast {
	const { cron, startAfter } = schedule;
	let [count, first] = [0, 0];
	const said = (status: ScheduleForecast["status"], why: string | null, next?: number): ScheduleForecast => ({
		name: schedule.name,
		team: schedule.team,
		pipeline: schedule.pipeline ?? null,
		id: schedule.id ?? null,
		resource: schedule.resource ?? null,
		...timeWords(schedule),
		count,
		next: next === undefined ? null : iso(next),
		status,
		why,
	});
	const hidden = hiddenCron(cron);
	if (hidden !== undefined) return { ...said("unreadable", hidden), cron: null };
	if (cron !== undefined && !isReadableCron(cron))
		return said("unreadable", "its cron expression cannot be read");
	if (schedule.paused ?? facts.paused) return said("paused", "its pipeline is paused");
	eachRunOf(schedule, window, (at) => {
		if (count === 0) first = at;
		count += 1;
		visit(at);
	});
	if (count > 0) return said("runs", null, first);
	if (cron === undefined) {
		if (startAfter === undefined) return said("never", "it has neither a cron expression nor a start");
		if (startAfter < window.from) return said("never", "it was to run once, and that time has passed");
		return said("later", null, startAfter);
	}
	const [next] = nextRuns(cron, new Date(Math.max(window.to, startAfter ?? 0) - 1), 1);
	if (next === undefined) return said("never", "no day is left on which its cron expression fires");
	return said("later", null, next.getTime());
}

/** The next change of clocks that makes the schedule's UTC expression wrong, up to an instant. */
function clockChangeOf(
	{ name, team, timeZone, declared, cron }: ForecastSchedule,
	now: number,
	until: number,
): ForecastReport["clockChanges"][number] | undefined {
	if (timeZone === undefined || declared === undefined || cron === undefined) return undefined;
	const change = clockChangeAhead({ expression: declared, timeZone, team, name }, cron, now, until);
	return change && { name, team, timeZone, from: cron, ...change };
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
