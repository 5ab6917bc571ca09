import { type DriftReport, onStack } from "../commands/drift-report";
import { typicalLength } from "../commands/forecast-analyse";
import { eachRunOf, groupBy, windowOf } from "../commands/forecast-runs";
import type { ForecastSchedule } from "../commands/forecast-schedules";
import { DAY_MS, isReadableCron, MINUTE_MS, parseLiveCron } from "../cron";
import { shortTime } from "../report/renderings";
import { lengthWords, many, plain, shellWord } from "../report/report";
import {
	type AttentionRow,
	byUrgency,
	type JobRow,
	outcomeOf,
	type PipelineRow,
	type ScheduleRow,
} from "./snapshot";

/** A run this long after its time counts as missed: services start late when they are busy. */
const GRACE = 15 * MINUTE_MS;
/** A schedule's last expected run is looked for in this time; for most of them the first is enough. */
const LOOK_BACK_DAYS = [1, 8];
/** Fewer finished runs say nothing about the usual length. */
const FEWEST_LENGTHS = 3;

export interface AttentionInput {
	readonly now: number;
	readonly schedules: readonly ScheduleRow[];
	/** The same schedules, as the service has them, by id. */
	readonly timings: ReadonlyMap<string, Timing>;
	readonly pipelines: readonly PipelineRow[];
	readonly jobs: readonly JobRow[];
	/** Of the Pulumi project in whose folder the board was started. */
	readonly drift: DriftReport | undefined;
}

export interface Timing {
	readonly schedule: ForecastSchedule;
	/** Since when the schedule is as it is. */
	readonly changedAt: number | undefined;
}

/** What a person should look at, worst and newest first. Empty if everything is all right. */
export function attention(input: AttentionInput): AttentionRow[] {
	const runs = runsOf(input.pipelines, input.jobs);
	const late = missed(input);
	const isLate = new Set(late.map(({ id }) => id));
	const found = [
		...failed(runs, input.now),
		...slow(runs, input.now),
		...late,
		...paused(input),
		...duplicates(input.schedules),
		...(input.drift === undefined ? [] : drifted(input.drift)),
		...never(input.schedules.filter(({ id }) => !isLate.has(`missed ${id}`))),
	];
	return found.sort(byUrgency);
}

/** Something that ran: a pipeline's run, or a job of its own. `series` is what its other runs share with it. */
interface Run {
	readonly series: string;
	readonly what: string;
	readonly outcome: ReturnType<typeof outcomeOf>;
	readonly start: number;
	readonly end: number | null;
	readonly error: string | null;
	readonly link: string;
	readonly command: string;
}

function runsOf(pipelines: readonly PipelineRow[], jobs: readonly JobRow[]): Run[] {
	const pipelineOutcomes = new Map(
		pipelines.flatMap(({ steps, status }) => steps.map(({ job }) => [job, outcomeOf(status)])),
	);
	const ofPipelines = pipelines.flatMap(({ id, name, status, schedule, start, end, error, steps }): Run[] => {
		if (start === null || status === "PAUSED") return [];
		const series = schedule === null ? `pipeline ${name}` : `schedule ${schedule}`;
		const what = schedule === null ? `Pipeline ${quoted(name)}` : `Schedule ${quoted(schedule)}`;
		const culprit = steps.find((step) => step.status === "FAILED" && step.job !== null);
		const command = culprit?.job ? `pulumi-datachain logs ${culprit.job}` : showPipeline(name);
		return [{ series, what, outcome: outcomeOf(status), start, end, error, link: pipelineLink(id), command }];
	});
	const single = jobs.flatMap(({ id, name, status, created, start, end, error }): Run[] => {
		const from = start ?? created ?? end;
		const outcome = outcomeOf(status);
		const around = pipelineOutcomes.get(id);
		// A pipeline tells of its jobs; of one that failed only at its own end, which may be far off.
		const isTold = around !== undefined && (outcome !== "bad" || around === "bad" || around === "good");
		if (from === null || isTold) return [];
		const command = `pulumi-datachain logs ${id}`;
		const facts = { series: `job ${name}`, what: `Job ${quoted(name)}`, link: `/log/${id}`, command };
		return [{ ...facts, outcome, start: from, end, error }];
	});
	return [...ofPipelines, ...single].sort((a, b) => b.start - a.start);
}

const quoted = (name: string): string => `"${plain(name)}"`;
const showPipeline = (name: string): string => `pulumi-datachain pipelines ${shellWord(name)}`;
const pipelineLink = (id: string): string => `/pipeline/${encodeURIComponent(id)}`;
const schedulesLink = (name: string): string => `/schedules?q=${encodeURIComponent(name)}`;

/** Of a finding about a schedule: where the page shows it, and the command that does. */
const ofSchedule = (name: string) => ({
	at: null,
	link: schedulesLink(name),
	command: `pulumi-datachain schedules ${shellWord(name)}`,
});

const inSeries = (runs: readonly Run[]): Run[][] => [...groupBy(runs, ({ series }) => series).values()];

/** The start of yesterday, in UTC. */
const yesterday = (now: number): number => Math.floor(now / DAY_MS) * DAY_MS - DAY_MS;

const endOf = ({ start, end }: Run): number => end ?? start;

/** One entry for all failures of a series; one that has succeeded since is no longer bad. */
function failed(runs: readonly Run[], now: number): AttentionRow[] {
	const since = yesterday(now);
	const ended = runs
		.filter(({ outcome }) => outcome === "good" || outcome === "bad")
		.sort((a, b) => endOf(b) - endOf(a));
	return inSeries(ended).flatMap((series): AttentionRow[] => {
		const failures = series.filter((run) => run.outcome === "bad" && endOf(run) >= since);
		const [last] = failures;
		if (last === undefined) return [];
		const at = endOf(last);
		const times = failures.length === 1 ? "failed" : `failed ${failures.length} times since yesterday, last`;
		const recovered = series[0]?.outcome === "good" ? " It has succeeded since." : "";
		const why = last.error === null ? "" : `: ${plain(last.error, 140).replace(/[.:]$/, "")}`;
		return [
			{
				id: `failed ${last.series}`,
				kind: "failed",
				severity: recovered === "" ? "bad" : "info",
				text: `${last.what} ${times} at ${shortTime(at)} UTC${why}.${recovered}`,
				at,
				link: last.link,
				command: last.command,
			},
		];
	});
}

function slow(runs: readonly Run[], now: number): AttentionRow[] {
	return inSeries(runs).flatMap((series): AttentionRow[] => {
		const usual = usualLength(series);
		if (usual === undefined) return [];
		const limit = Math.max(2 * usual, usual + 10 * MINUTE_MS);
		const long = series.filter(({ outcome, start }) => outcome === "busy" && now - start > limit);
		return long.map((run) => ({
			id: `slow ${run.link}`,
			kind: "slow",
			severity: "bad",
			text: `${run.what} has been running for ${lengthWords(now - run.start)}; it usually takes ${lengthWords(usual)}.`,
			at: run.start,
			link: run.link,
			command: run.command,
		}));
	});
}

/** The median length of the runs that succeeded; undefined if there are too few. */
export function usualLength(
	runs: readonly { readonly outcome: string; readonly start: number | null; readonly end: number | null }[],
): number | undefined {
	const lengths = runs.flatMap(({ outcome, start, end }) =>
		outcome === "good" && start !== null && end !== null && end > start ? [end - start] : [],
	);
	return lengths.length < FEWEST_LENGTHS ? undefined : typicalLength(lengths);
}

/** Active schedules whose last time has passed without a run. What the list of runs no longer reaches is not claimed. */
function missed({ now, schedules, timings, pipelines }: AttentionInput): AttentionRow[] {
	const last = new Map<string, number>();
	let reach = Number.POSITIVE_INFINITY;
	for (const { schedule, start } of pipelines) {
		if (schedule === null || start === null) continue;
		last.set(schedule, Math.max(last.get(schedule) ?? 0, start));
		reach = Math.min(reach, start);
	}
	const windows = LOOK_BACK_DAYS.map((days) => windowOf(now - days * DAY_MS, days));
	return schedules.flatMap(({ id, name, state, pipeline }): AttentionRow[] => {
		const timing = timings.get(id);
		// Whether it is paused shows only with its pipeline.
		if (timing === undefined || pipeline === null || state === "paused" || state === "unreadable") return [];
		const { schedule, changedAt = now } = timing;
		let due = 0;
		const earliest = Math.max(changedAt, reach);
		for (const window of windows) {
			if (due > 0 || earliest > now - GRACE) break;
			eachRunOf(schedule, window, (at) => {
				if (at > earliest && at <= now - GRACE) due = at;
			});
		}
		// A minute of leeway: the clocks of two machines differ.
		if (due === 0 || (last.get(name) ?? 0) >= due - MINUTE_MS) return [];
		const before = last.get(name);
		const history =
			before === undefined ? "no run of it is known" : `it last ran at ${shortTime(before)} UTC`;
		return [
			{
				...ofSchedule(name),
				id: `missed ${id}`,
				kind: "missed",
				severity: "bad",
				text: `Schedule ${quoted(name)} should have run at ${shortTime(due)} UTC and did not; ${history}.`,
				at: due,
			},
		];
	});
}

function paused({ schedules, pipelines }: AttentionInput): AttentionRow[] {
	const waiting = schedules.filter(({ state, pipeline }) => state === "paused" && pipeline !== null);
	return [...groupBy(waiting, ({ pipeline }) => pipeline ?? "")].map(([name, own]) => {
		const template = pipelines.find((pipeline) => pipeline.name === name && pipeline.status === "PAUSED");
		const names = own.map((schedule) => quoted(schedule.name));
		const which = names.length === 1 ? `schedule ${names[0]} does` : `${names.length} schedules do`;
		return {
			id: `paused ${name}`,
			kind: "paused",
			severity: "odd",
			text: `Pipeline ${quoted(name)} is paused, so its ${which} not run.`,
			at: null,
			link: template === undefined ? schedulesLink(name) : pipelineLink(template.id),
			command: `pulumi-datachain resume ${shellWord(name)}`,
		};
	});
}

/** Schedules of one name, and schedules that run one pipeline at the same times. */
function duplicates(schedules: readonly ScheduleRow[]): AttentionRow[] {
	const entry = (id: string, text: string, name: string): AttentionRow => ({
		...ofSchedule(name),
		id: `duplicate ${id}`,
		kind: "duplicate",
		severity: "odd",
		text,
	});
	const named = [...groupBy(schedules, ({ name }) => name)].filter(([, own]) => own.length > 1);
	const sameName = named.map(([name, own]) => {
		const each = own.every(({ state }) => state === "active") ? "; each one runs" : "";
		const text = `${many(own.length, "schedule")} have the name ${quoted(name)}${each}.`;
		return entry(`name ${name}`, text, name);
	});
	const active = schedules.filter(({ state, pipeline, cron }) => state === "active" && pipeline && cron);
	const sameTimes = [...groupBy(active, timesOf).values()].flatMap(([twin, ...others]) =>
		others
			.filter(({ name }) => name !== twin.name)
			.map(({ id, name, pipeline }) => {
				const text = `Schedules ${quoted(twin.name)} and ${quoted(name)} run pipeline ${quoted(pipeline ?? "")} at the same times.`;
				return { ...entry(`times ${id}`, text, name), link: schedulesLink(pipeline ?? "") };
			}),
	);
	return [...sameName, ...sameTimes];
}

/** The same for schedules that run one pipeline at the same times. */
const timesOf = ({ pipeline, zone, cron }: ScheduleRow): string =>
	JSON.stringify([pipeline, zone, cron && isReadableCron(cron) ? parseLiveCron(cron).canonical : cron]);

function never(schedules: readonly ScheduleRow[]): AttentionRow[] {
	return schedules
		.filter(({ state }) => state === "never" || state === "unreadable")
		.map(({ id, name, why, state }) => ({
			...ofSchedule(name),
			id: `never ${id}`,
			kind: "never",
			severity: state === "never" ? "info" : "odd",
			text: `Schedule ${quoted(name)} ${state === "never" ? "never runs again" : "has no known next run"}: ${why}.`,
		}));
}

/** What differs from the stack of the project, by the drift command's own report. */
export function drifted(report: DriftReport): AttentionRow[] {
	const { changed, missing, twins, unmanaged, failed: unread } = report;
	const command = `pulumi-datachain drift${onStack(report)}`;
	const row = (id: string, text: string, name: string, more: Partial<AttentionRow> = {}): AttentionRow => ({
		...ofSchedule(name),
		id: `drift ${id}`,
		kind: "drift",
		severity: "odd",
		text,
		command: `pulumi up --refresh${onStack(report)}`,
		...more,
	});
	return [
		...changed.map(({ urn, kind, name, fields }) =>
			row(
				urn,
				`${kind} ${quoted(name)} differs from the stack: ${fields.map(({ field }) => plain(field)).join(", ")}.`,
				name,
			),
		),
		...missing.map(({ urn, kind, name }) =>
			row(urn, `${kind} ${quoted(name)} is in the stack and no longer on the service.`, name, {
				severity: "bad",
			}),
		),
		...twins.map(({ id, name }) =>
			row(`twin ${id}`, `An unmanaged schedule has the name ${quoted(name)} of a managed one.`, name, {
				command,
			}),
		),
		...unmanaged.map(({ kind, id, name, createdBy }) =>
			row(
				`unmanaged ${kind} ${id}`,
				`No stack resource manages ${kind} ${quoted(name)}${createdBy === null ? "" : `, created by ${plain(createdBy)}`}.`,
				name,
				{
					kind: "unmanaged",
					severity: "info",
					link: kind === "schedule" ? schedulesLink(name) : `/pipelines?q=${encodeURIComponent(name)}`,
					command:
						kind === "schedule" ? `pulumi-datachain export --filter ${shellWord(name)}` : showPipeline(name),
				},
			),
		),
		...(unread.length === 0
			? []
			: [
					row("failed", `${many(unread.length, "resource")} could not be compared with the stack.`, "", {
						command,
					}),
				]),
	];
}
