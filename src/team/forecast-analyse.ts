import { clockChangeAhead, isTimeZone, MINUTE_MS, nextRuns } from "../cron";
import type { Cluster } from "../schemas/wire/cluster";
import { showInstant } from "../text/instant";
import { CLOCK_NOTICE_MS } from "./drift-report";
import type {
	ClusterLoad,
	ForecastReport,
	Overlap,
	ScheduleForecast,
} from "./forecast-report";
import { eachRunOf, type ForecastWindow, groupBy, heatMap } from "./forecast-runs";
import {
	type ForecastSchedule,
	type PipelineFacts,
	pipelineKey,
	timeWords,
	whyUnknown,
} from "./forecast-schedules";

export interface ClusterLimit
	extends Pick<Cluster, "name" | "default" | "max_workers"> {
	readonly team: string;
}

export interface ForecastInput {
	readonly schedules: readonly ForecastSchedule[];
	/** By `pipelineKey`. */
	readonly pipelines: ReadonlyMap<string, PipelineFacts>;
	readonly clusters: readonly ClusterLimit[];
	readonly window: ForecastWindow;
	readonly timeZone: string;
	readonly source: ForecastReport["source"];
	readonly stack: string | null;
	readonly notes: readonly string[];
	/** How many runs the report lists, 0 for none: a year of a large team has a hundred million. */
	readonly mostListed: number;
}

const NOTHING_KNOWN: PipelineFacts = {
	paused: undefined,
	workers: 1,
	lengths: [],
	cluster: undefined,
};

/** Goes through every run of every schedule in the window once. */
export function analyse(input: ForecastInput): ForecastReport {
	const { window, pipelines } = input;
	const heat = heatMap(window, input.timeZone);
	const teams = [...new Set(input.schedules.map(({ team }) => team))].sort();
	const loads = new Map(
		teams.map((team) => [team, workerLoad(window, team, input.clusters)]),
	);
	const schedules: ScheduleForecast[] = [];
	const overlaps: Overlap[] = [];
	let listed = 0;
	// Schedules that run the same pipeline can get into each other's way.
	const groups = groupBy(input.schedules, ({ team, pipeline, name }) =>
		pipelineKey(team, pipeline ?? `\0${name}`),
	);
	for (const group of groups.values()) {
		const [first] = group;
		const facts =
			pipelines.get(pipelineKey(first.team, first.pipeline ?? "")) ?? NOTHING_KNOWN;
		const length = typicalLength(facts.lengths);
		const load = loads.get(first.team);
		const starts: number[] = [];
		for (const schedule of group) {
			const runs: string[] = [];
			const forecast = forecastOf(schedule, facts.paused, window, (at) => {
				heat.add(at);
				load?.add(facts, at, length);
				if (length !== undefined) starts.push(at);
				if (listed++ < input.mostListed) runs.push(showInstant(at));
			});
			schedules.push(input.mostListed === 0 ? forecast : { ...forecast, runs });
		}
		const pipelineRef = { team: first.team, pipeline: first.pipeline ?? "" };
		const overlap = overlapOf(pipelineRef, starts, facts.lengths);
		if (overlap !== undefined) overlaps.push(overlap);
	}
	// Daylight-saving changes are named in advance, whatever the window.
	const until = Math.max(window.to, window.now + CLOCK_NOTICE_MS);
	return {
		schemaVersion: 1,
		madeAt: showInstant(Date.now()),
		from: showInstant(window.from),
		to: showInstant(window.to),
		timeZone: input.timeZone,
		source: input.source,
		stack: input.stack,
		teams,
		summary: summaryOf(schedules, overlaps),
		heat: heat.sums(),
		busiestByHour: heat.busiestByHour(),
		busiestByDay: heat.busiestByDay(),
		busiestHours: heat.busiestHours(),
		schedules: schedules.sort(byNextRun),
		overlaps: overlaps.sort((a, b) => b.times - a.times),
		clusters: [...loads.values()].flatMap((load) => load.loads()),
		clockChanges: input.schedules.flatMap(
			(schedule) => clockChangeOf(schedule, window.now, until) ?? [],
		),
		notes: [...input.notes],
	};
}

/** Those without a next run come last; names by their code units, so that every machine gives the same order. */
function byNextRun(a: ScheduleForecast, b: ScheduleForecast): number {
	if (a.next !== b.next) return nextMillis(a) - nextMillis(b);
	if (a.name === b.name) return 0;
	return a.name < b.name ? -1 : 1;
}

const nextMillis = ({ next }: ScheduleForecast): number =>
	next === null ? Number.POSITIVE_INFINITY : Date.parse(next);

/**
 * One schedule: how it stands, its next run, and `visit` with each of its runs in the window. `isPaused` is what the
 * service shows of its pipeline; only if it shows nothing, the program's word counts.
 */
export function forecastOf(
	schedule: ForecastSchedule,
	isPaused: boolean | undefined,
	window: ForecastWindow,
	visit: (at: number) => void = () => {},
): ScheduleForecast {
	const { startAfter, paused, hidden, ...visibleFields } = schedule;
	let [count, first] = [0, 0];
	const said = (
		status: ScheduleForecast["status"],
		why: string | null,
		next?: number,
	): ScheduleForecast => ({
		...visibleFields,
		...timeWords(schedule),
		count,
		next: next === undefined ? null : showInstant(next),
		status,
		why,
	});
	const unknown = whyUnknown(schedule);
	if (unknown !== undefined) {
		const one = said("unreadable", unknown);
		return hidden === undefined ? one : { ...one, cron: null };
	}
	if (isPaused ?? paused) return said("paused", "its pipeline is paused");
	eachRunOf(schedule, window, (at) => {
		if (count === 0) first = at;
		count += 1;
		visit(at);
	});
	if (count > 0) return said("runs", null, first);
	if (visibleFields.cron === null) {
		if (startAfter === undefined)
			return said("never", "it has neither a cron expression nor a start");
		if (startAfter < window.now)
			return said("never", "it was to run once, and that time has passed");
		return said("later", null, startAfter);
	}
	const [next] = nextRuns(
		visibleFields.cron,
		new Date(Math.max(window.to, startAfter ?? 0) - 1),
		1,
	);
	if (next === undefined)
		return said("never", "no day is left on which its cron expression fires");
	return said("later", null, next.getTime());
}

/** The next daylight-saving change that makes the schedule's UTC expression wrong, up to an instant. */
function clockChangeOf(
	{ name, team, timeZone, declared, cron }: ForecastSchedule,
	now: number,
	until: number,
): ForecastReport["clockChanges"][number] | undefined {
	if (timeZone === null || declared === null || cron === null) return undefined;
	// A secret one, or one that is newer than this machine's list.
	if (!isTimeZone(timeZone)) return undefined;
	const change = clockChangeAhead(
		{ expression: declared, timeZone, team, name },
		cron,
		now,
		until,
	);
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

/** The usual length of a run: the median of those that are known. */
export function typicalLength(lengths: readonly number[]): number | undefined {
	const sorted = [...lengths].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)];
}

/** Whether a pipeline with these starts, in any order, would still be running when it starts again. */
function overlapOf(
	pipelineRef: { readonly team: string; readonly pipeline: string },
	starts: readonly number[],
	lengths: readonly number[],
): Overlap | undefined {
	const typical = typicalLength(lengths);
	if (typical === undefined) return undefined;
	const sorted = Float64Array.from(starts).sort();
	const gaps = sorted.subarray(1).map((at, index) => at - (sorted[index] ?? 0));
	const first = gaps.findIndex((gap) => gap < typical);
	if (first < 0) return undefined;
	return {
		...pipelineRef,
		typicalSeconds: Math.round(typical / 1_000),
		seen: lengths.length,
		shortestGapSeconds: Math.round(gaps.reduce((a, b) => Math.min(a, b)) / 1_000),
		times: gaps.filter((gap) => gap < typical).length,
		firstAt: showInstant(sorted[first + 1] ?? 0),
	};
}

/** A run of unknown length counts for this long. */
const UNKNOWN_LENGTH_MS = MINUTE_MS;

/** Adds up, minute by minute, the workers that runs of a team ask of each of its clusters. */
function workerLoad(
	window: ForecastWindow,
	team: string,
	limits: readonly ClusterLimit[],
) {
	const clusters = limits.filter((cluster) => cluster.team === team);
	// Whole minutes of the clock, on which runs start; the window begins at any moment.
	const origin = Math.floor(window.from / MINUTE_MS);
	const minutes = Math.ceil(window.to / MINUTE_MS) - origin;
	const all = new Map<string, Int32Array>();
	const usual = clusters.find((cluster) => cluster.default)?.name;
	/** Only the start and the end of a run are noted; the sums come at the end. */
	const add = (
		pipeline: PipelineFacts,
		at: number,
		length = UNKNOWN_LENGTH_MS,
	): void => {
		const name = pipeline.cluster ?? usual;
		if (name === undefined) return;
		const steps = all.get(name) ?? new Int32Array(minutes + 1);
		all.set(name, steps);
		const first = Math.floor(at / MINUTE_MS) - origin;
		const last = Math.min(minutes, first + Math.max(1, Math.ceil(length / MINUTE_MS)));
		steps[first] = (steps[first] ?? 0) + pipeline.workers;
		steps[last] = (steps[last] ?? 0) - pipeline.workers;
	};
	const loadOf = ([name, steps]: [string, Int32Array]): ClusterLoad => {
		const most =
			clusters.find((cluster) => cluster.name === name)?.max_workers ?? undefined;
		let [now, peak, peakMinute, over] = [0, 0, 0, 0];
		for (let minute = 0; minute < minutes; minute += 1) {
			now += steps[minute] ?? 0;
			if (most !== undefined && now > most) over += 1;
			if (now > peak) [peak, peakMinute] = [now, minute];
		}
		return {
			name,
			team,
			maxWorkers: most ?? null,
			peakWorkers: peak,
			peakAt: peak === 0 ? null : showInstant((origin + peakMinute) * MINUTE_MS),
			minutesOver: over,
		};
	};
	return {
		add,
		loads: () => [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(loadOf),
	};
}
