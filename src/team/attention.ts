import { DAY_MS, isValidCron, MINUTE_MS, parseCron } from "../cron";
import { shortTime } from "../text/renderings";
import { lengthWords, many, moment, plain, shellWord } from "../text/report";
import { onStack } from "./drift-rendering";
import { type DriftReport, lateChanges } from "./drift-report";
import { typicalLength } from "./forecast-analyse";
import { eachRunOf, groupBy, type Times, windowOf } from "./forecast-runs";
import {
	type AttentionRow,
	type JobRow,
	jobsLink,
	logLink,
	outcomeOf,
	type PipelineRow,
	pipelineLink,
	pipelinesLink,
	RANKS,
	type RunRow,
	type ScheduleRow,
	schedulesLink,
} from "./snapshot";

/** A run this long after its time counts as missed: services start late when they are busy. */
const GRACE = 15 * MINUTE_MS;
/** A schedule's last expected run is looked for in the last day and, if there is none, in the last eight. */
const LOOK_BACK_DAYS = [1, 8];
/** Fewer finished runs say nothing about the usual length. */
const FEWEST_LENGTHS = 3;

export interface AttentionInput {
	readonly now: number;
	readonly schedules: readonly KnownSchedule[];
	readonly pipelines: readonly PipelineRow[];
	readonly jobs: readonly JobRow[];
	/** Of the Pulumi project in whose folder the board was started. */
	readonly drift: DriftReport | undefined;
}

export interface KnownSchedule {
	readonly row: ScheduleRow;
	readonly times: Times;
	/** Since when the schedule is as it is. */
	readonly changedAt: number | undefined;
}

/** What a person should look at, worst and newest first. Empty if everything is all right. */
export function attention(input: AttentionInput): AttentionRow[] {
	const runs = runsOf(input.pipelines, input.jobs);
	const schedules = input.schedules.map(({ row }) => row);
	const late = missed(input);
	const lateIds = new Set(late.map(({ scheduleId }) => scheduleId));
	const entries = [
		...failed(runs, input.now),
		...slow(runs, input.now),
		...late.map(({ entry }) => entry),
		...paused(schedules),
		...duplicates(input.schedules),
		...(input.drift === undefined ? [] : drifted(input.drift)),
		...never(schedules.filter(({ id }) => !lateIds.has(id))),
	];
	return entries.sort(
		(a, b) => RANKS[a.severity] - RANKS[b.severity] || (b.at ?? 0) - (a.at ?? 0),
	);
}

/** Something that ran: a pipeline's run, or a job of its own. `series` is what its other runs share with it. */
interface Run extends Omit<RunRow, "id" | "name"> {
	readonly series: string;
	readonly what: string;
	readonly start: number;
	readonly link: string;
	readonly command: string;
}

function runsOf(pipelines: readonly PipelineRow[], jobs: readonly JobRow[]): Run[] {
	const pipelineOutcomes = new Map(
		pipelines.flatMap(({ steps, status }) =>
			steps.map(({ job }) => [job, outcomeOf(status)]),
		),
	);
	const ofPipelines = pipelines.flatMap(
		({ id, name, status, schedule, start, end, error, steps }): Run[] => {
			if (start === null || status === "PAUSED") return [];
			const series = schedule === null ? `pipeline ${name}` : `schedule ${schedule}`;
			const subject =
				schedule === null ? `Pipeline ${quoted(name)}` : `Schedule ${quoted(schedule)}`;
			const culprit = steps.find(
				(step) => step.status === "FAILED" && step.job !== null,
			);
			const command = culprit?.job
				? `pulumi-datachain logs ${culprit.job}`
				: showPipeline(name);
			return [
				{
					series,
					what: subject,
					status,
					start,
					end,
					error,
					link: pipelineLink(id),
					command,
				},
			];
		},
	);
	const ofJobs = jobs.flatMap(
		({ id, name, status, created, start, end, error }): Run[] => {
			const from = start ?? created ?? end;
			const pipelineOutcome = pipelineOutcomes.get(id);
			// The pipeline's own entry stands for its jobs. A failed job gets an entry of its own while the pipeline still runs.
			const isEnded = pipelineOutcome === "bad" || pipelineOutcome === "good";
			const isCoveredByPipeline =
				pipelineOutcome !== undefined && (outcomeOf(status) !== "bad" || isEnded);
			if (from === null || isCoveredByPipeline) return [];
			const command = `pulumi-datachain logs ${id}`;
			const facts = {
				series: `job ${name}`,
				what: `Job ${quoted(name)}`,
				link: logLink(id),
				command,
			};
			return [{ ...facts, status, start: from, end, error }];
		},
	);
	return [...ofPipelines, ...ofJobs].sort((a, b) => b.start - a.start);
}

const quoted = (name: string): string => `"${plain(name)}"`;
const showPipeline = (name: string): string =>
	`pulumi-datachain pipelines ${shellWord(name)}`;

/** Where to look, and when it happened if that is known. */
type Place = Pick<AttentionRow, "link" | "command"> & { readonly at?: number };

const finding = (
	kind: AttentionRow["kind"],
	severity: AttentionRow["severity"],
	id: string,
	text: string,
	place: Place,
): AttentionRow => ({ at: null, ...place, id: `${kind} ${id}`, kind, severity, text });

/** Of a finding about a schedule: where the page shows it, and the command that does. */
const ofSchedule = (name: string): Place => ({
	link: schedulesLink(name),
	command: `pulumi-datachain schedules ${shellWord(name)}`,
});

const inSeries = (runs: readonly Run[]): Run[][] => [
	...groupBy(runs, ({ series }) => series).values(),
];

/** The start of yesterday, in UTC. */
const yesterday = (now: number): number => Math.floor(now / DAY_MS) * DAY_MS - DAY_MS;

const endOf = ({ start, end }: Run): number => end ?? start;

/** One entry for all failures of a series; one that has succeeded since is no longer bad. */
function failed(runs: readonly Run[], now: number): AttentionRow[] {
	const earliest = yesterday(now);
	const finishedRuns = runs
		.filter(({ status }) => ["good", "bad"].includes(outcomeOf(status)))
		.sort((a, b) => endOf(b) - endOf(a));
	return inSeries(finishedRuns).flatMap((series): AttentionRow[] => {
		const failures = series.filter(
			(run) => outcomeOf(run.status) === "bad" && endOf(run) >= earliest,
		);
		const [last] = failures;
		if (last === undefined) return [];
		const at = endOf(last);
		const times =
			failures.length === 1
				? "failed"
				: `failed ${failures.length} times since yesterday, last`;
		const hasRecovered = outcomeOf(series[0]?.status ?? "") === "good";
		const since = hasRecovered ? " It has succeeded since." : "";
		const why =
			last.error === null ? "" : `: ${plain(last.error, 140).replace(/[.:]$/, "")}`;
		const text = `${last.what} ${times} at ${shortTime(at)} UTC${why}.${since}`;
		const { link, command } = last;
		const place = { at, link, command };
		if (hasRecovered) return [finding("recovered", "info", last.series, text, place)];
		return [finding("failed", "bad", last.series, text, place)];
	});
}

function slow(runs: readonly Run[], now: number): AttentionRow[] {
	return inSeries(runs).flatMap((series): AttentionRow[] => {
		const usual = usualLength(series);
		if (usual === null) return [];
		const limit = Math.max(2 * usual, usual + 10 * MINUTE_MS);
		const long = series.filter(
			({ status, start }) => outcomeOf(status) === "busy" && now - start > limit,
		);
		return long.map(({ what: subject, start, link, command }) => {
			const text = `${subject} has been running for ${lengthWords(now - start)}; it usually takes ${lengthWords(usual)}.`;
			return finding("slow", "bad", link, text, { at: start, link, command });
		});
	});
}

/** The median length of the runs that succeeded; null if there are too few. */
export function usualLength(
	runs: readonly Omit<RunRow, "id" | "name">[],
): number | null {
	const lengths = runs.flatMap(({ status, start, end }) =>
		outcomeOf(status) === "good" && start !== null && end !== null && end > start
			? [end - start]
			: [],
	);
	return (lengths.length < FEWEST_LENGTHS ? undefined : typicalLength(lengths)) ?? null;
}

interface MissedRun {
	readonly scheduleId: string;
	readonly entry: AttentionRow;
}

/** Active schedules whose last time has passed without a run. What the list of runs no longer reaches is not claimed. */
function missed({ now, schedules, pipelines }: AttentionInput): MissedRun[] {
	const last = new Map<string, number>();
	let reach = Number.POSITIVE_INFINITY;
	for (const { schedule, start, status } of pipelines) {
		if (schedule === null || start === null) continue;
		last.set(schedule, Math.max(last.get(schedule) ?? 0, start));
		// Paused ones are listed however old they are.
		if (status !== "PAUSED") reach = Math.min(reach, start);
	}
	const windows = LOOK_BACK_DAYS.map((days) => windowOf(now - days * DAY_MS, days));
	// If nobody knows since when a schedule is as it is, nothing is claimed.
	return schedules.flatMap(({ row, times, changedAt = now }): MissedRun[] => {
		const { id, name, state, pipeline } = row;
		// Whether it is paused shows only with its pipeline.
		if (pipeline === null || state === "paused" || state === "unreadable") return [];
		let due = 0;
		const earliest = Math.max(changedAt, reach);
		for (const window of windows) {
			if (due > 0 || earliest > now - GRACE) break;
			eachRunOf(times, window, (at) => {
				if (at > earliest && at <= now - GRACE) due = at;
			});
		}
		// A minute of leeway: the clocks of two machines differ.
		if (due === 0 || (last.get(name) ?? 0) >= due - MINUTE_MS) return [];
		const before = last.get(name);
		const history =
			before === undefined
				? "no run of it is known"
				: `it last ran at ${shortTime(before)} UTC`;
		const text = `Schedule ${quoted(name)} should have run at ${shortTime(due)} UTC and did not; ${history}.`;
		const entry = finding("missed", "bad", id, text, { ...ofSchedule(name), at: due });
		return [{ scheduleId: id, entry }];
	});
}

function paused(schedules: readonly ScheduleRow[]): AttentionRow[] {
	const waiting = schedules.filter(
		({ state, pipeline }) => state === "paused" && pipeline !== null,
	);
	return [...groupBy(waiting, ({ pipeline }) => pipeline ?? "")].map(([name, own]) => {
		const [{ name: first, pipelineId }] = own;
		const subject =
			own.length === 1
				? `schedule ${quoted(first)} does`
				: `${own.length} schedules do`;
		return finding(
			"paused",
			"odd",
			name,
			`Pipeline ${quoted(name)} is paused, so its ${subject} not run.`,
			{
				link: pipelineId === null ? schedulesLink(name) : pipelineLink(pipelineId),
				command: `pulumi-datachain resume ${shellWord(name)}`,
			},
		);
	});
}

/** Schedules of one name, and schedules that run one pipeline at the same times. */
function duplicates(schedules: readonly KnownSchedule[]): AttentionRow[] {
	const named = [...groupBy(schedules, ({ row }) => row.name)].filter(
		([, own]) => own.length > 1,
	);
	const sameName = named.map(([name, own]) => {
		const each = own.every(({ row }) => row.state === "active")
			? "; each one runs"
			: "";
		const text = `${many(own.length, "schedule")} have the name ${quoted(name)}${each}.`;
		return finding("duplicate", "odd", `name ${name}`, text, ofSchedule(name));
	});
	const active = schedules.filter(
		({ row, times }) => row.state === "active" && row.pipeline && times.cron !== null,
	);
	const sameTimes = [...groupBy(active, timesOf).values()].flatMap(
		([{ row: twin }, ...others]) =>
			others
				.filter(({ row }) => row.name !== twin.name)
				.map(({ row: { id, name, pipeline } }) => {
					const text = `Schedules ${quoted(twin.name)} and ${quoted(name)} run pipeline ${quoted(pipeline ?? "")} at the same times.`;
					const place = { ...ofSchedule(name), link: schedulesLink(pipeline ?? "") };
					return finding("duplicate", "odd", `times ${id}`, text, place);
				}),
	);
	return [...sameName, ...sameTimes];
}

/** The same for schedules that run one pipeline at the same times, whichever time zone a program gives them. */
const timesOf = ({ row: { pipeline }, times: { cron } }: KnownSchedule): string =>
	JSON.stringify([
		pipeline,
		cron !== null && isValidCron(cron) ? parseCron(cron).canonical : cron,
	]);

function never(schedules: readonly ScheduleRow[]): AttentionRow[] {
	return schedules
		.filter(({ state }) => state === "never" || state === "unreadable")
		.map(({ id, name, why, state }) => {
			const text = `Schedule ${quoted(name)} ${state === "never" ? "never runs again" : "has no known next run"}: ${why}.`;
			return finding(
				"never",
				state === "never" ? "info" : "odd",
				id,
				text,
				ofSchedule(name),
			);
		});
}

/** Where the page shows what a resource of the kind manages. */
function linkOfKind(kind: string, name: string): string {
	switch (kind) {
		case "PipelineSettings":
		case "Pipeline":
			return pipelinesLink(name);
		case "Job":
			return jobsLink(name);
		case "JobFile":
			// The page shows no files; jobs use them.
			return jobsLink("");
		default:
			return schedulesLink(name);
	}
}

/** What differs from the stack of the project, by the drift command's own report. */
function drifted(report: DriftReport): AttentionRow[] {
	const { changed, missing, twins, unmanaged, unlisted, failed: unread } = report;
	const repairCommand = { command: `pulumi up --refresh${onStack(report)}` };
	const deployCommand = { command: `pulumi up${onStack(report)}` };
	const reportCommand = { command: `pulumi-datachain drift${onStack(report)}` };
	const countedFinding = (
		id: string,
		{ length }: readonly unknown[],
		text: string,
	): AttentionRow[] =>
		length === 0
			? []
			: [
					finding("drift", "odd", id, text, {
						link: schedulesLink(""),
						...reportCommand,
					}),
				];
	return [
		...changed.map(({ urn, kind, name, fields }) => {
			const fieldNames = fields.map(({ field }) => plain(field)).join(", ");
			const text = `${kind} ${quoted(name)} differs from the stack: ${fieldNames}.`;
			return finding("drift", "odd", urn, text, {
				link: linkOfKind(kind, name),
				...repairCommand,
			});
		}),
		...lateChanges(report).map(({ urn, kind, name, at }) => {
			const text = `${kind} ${quoted(name)} runs at a different local time than declared since the daylight-saving change at ${moment(at)}.`;
			return finding("drift", "odd", `clocks ${urn}`, text, {
				link: schedulesLink(name),
				...deployCommand,
			});
		}),
		...missing.map(({ urn, kind, name }) => {
			const text = `${kind} ${quoted(name)} is in the stack and no longer on the service.`;
			return finding("drift", "bad", urn, text, {
				link: linkOfKind(kind, name),
				...repairCommand,
			});
		}),
		...twins.map(({ id, name }) => {
			const text = `An unmanaged schedule has the name ${quoted(name)} of a managed one.`;
			return finding("drift", "odd", `twin ${id}`, text, {
				link: schedulesLink(name),
				...reportCommand,
			});
		}),
		...unmanaged.map(({ kind, id, name, createdBy }) => {
			const by = createdBy === null ? "" : `, created by ${plain(createdBy)}`;
			const text = `No stack resource manages ${kind} ${quoted(name)}${by}.`;
			const place =
				kind === "schedule"
					? {
							link: schedulesLink(name),
							command: `pulumi-datachain export --filter ${shellWord(name)}`,
						}
					: {
							link: pipelinesLink(name),
							command: showPipeline(name),
						};
			return finding("unmanaged", "info", `${kind} ${id}`, text, place);
		}),
		...countedFinding(
			"failed",
			unread,
			`${many(unread.length, "resource")} could not be compared with the stack.`,
		),
		...countedFinding(
			"unlisted",
			unlisted,
			`The team's list does not contain ${many(unlisted.length, "managed object")}; other objects may be missing too.`,
		),
	];
}
