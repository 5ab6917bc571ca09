import { z } from "zod";
import { isValidCron, tryDescribeCron } from "../cron";
import { UNKNOWN } from "../provider/model/props";
import { isKind } from "../schemas/kinds";
import { isPausedPipeline, pipelinesByName } from "../schemas/pipeline-status";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { Schedule } from "../schemas/wire/schedule";
import { parseInstant } from "../text/instant";
import { many } from "../text/report";
import type { ScheduleForecast } from "./forecast-report";
import { groupBy, type Times } from "./forecast-runs";
import {
	isScheduleKind,
	kindOfType,
	nameIn,
	readPrinted,
	type StackState,
} from "./stack-state";

/** A schedule to be looked at, wherever it was read: as the forecast shows it, and what else says when it runs. */
export interface ForecastSchedule
	extends Times,
		Pick<
			ScheduleForecast,
			"name" | "team" | "pipeline" | "id" | "resource" | "declared" | "timeZone"
		> {
	/** Whether the program, or the service with the schedule, says that its pipeline is paused or that it is not. */
	readonly paused?: boolean | undefined;
	/** Why its times are not known; undefined if they are. */
	readonly hidden?: string | undefined;
}

/** What is known of a pipeline that schedules run. */
export interface PipelineFacts {
	/** Undefined if the service does not show the pipeline. */
	readonly paused: boolean | undefined;
	readonly workers: number;
	/** Milliseconds that its finished runs took, newest first. */
	readonly lengths: readonly number[];
	/** Where its newest job ran. */
	readonly cluster: string | undefined;
}

export const pipelineKey = (team: string, pipeline: string): string =>
	`${team}\0${pipeline}`;

/** When a schedule runs, as reports say it. */
export const timeWords = ({ cron, declared, timeZone }: ForecastSchedule) => ({
	cron,
	declared,
	timeZone,
	meaning: cron === null ? null : (tryDescribeCron(cron) ?? null),
});

/** Stand in reports for what the program keeps secret, and for what only the deployment knows. */
const [SECRET, NOT_YET] = ["(secret)", "(not known yet)"];
/** How the engine's previews spell the two. */
const PLACEHOLDERS = new Map([
	["[secret]", SECRET],
	[UNKNOWN, NOT_YET],
]);

/** Why a text of a schedule stands for another that cannot be told; undefined if it is the text itself. */
export function whyHidden(text: string | null): string | undefined {
	if (text === SECRET) return "is a secret";
	return text === NOT_YET ? "is known only during the deployment" : undefined;
}

/** Why nobody can tell when a schedule runs; undefined if its times can be read. */
export function whyUnknown({ hidden, cron }: ForecastSchedule): string | undefined {
	if (hidden !== undefined || cron === null || isValidCron(cron)) return hidden;
	return "its cron expression cannot be read";
}

/** The schedules of a stack, as it last deployed them. */
export function schedulesByUrn(
	{ resources }: StackState,
	teamName: string,
): Map<string, ForecastSchedule> {
	const schedules = new Map<string, ForecastSchedule>();
	const pauses: Pauses = new Map();
	for (const { urn, kind, id, name, inputs, outputs, secretPaths } of resources) {
		const schedule = scheduleOfInputs(
			{ ...outputs, ...inputs },
			name,
			teamName,
			secretPaths,
		);
		notePause(pauses, schedule);
		if (isScheduleKind(kind)) schedules.set(urn, { ...schedule, id });
	}
	return withPauses(schedules, pauses);
}

/** Whether resources of the program say of a pipeline that it is paused, by `pipelineKey`. */
type Pauses = Map<string, boolean>;

/** Of any resource, read as if it were a schedule. Two pipelines whose names are hidden need not be one. */
function notePause(pauses: Pauses, { team, pipeline, paused }: ForecastSchedule): void {
	if (pipeline === null || whyHidden(pipeline) !== undefined || paused === undefined)
		return;
	pauses.set(pipelineKey(team, pipeline), paused);
}

/** A pipeline is paused as a whole: who says so, its settings or one schedule, says it of all its schedules. */
const withPauses = (
	schedules: ReadonlyMap<string, ForecastSchedule>,
	pauses: Pauses,
): Map<string, ForecastSchedule> =>
	new Map(
		[...schedules].map(([urn, schedule]) => {
			const paused =
				pauses.get(pipelineKey(schedule.team, schedule.pipeline ?? "")) ??
				schedule.paused;
			return [urn, { ...schedule, paused }];
		}),
	);

/** What a forecast of the stack cannot know: resources of a newer version may be schedules, too. */
export function unknownKindNotes({ resources }: StackState): string[] {
	const unknown = groupBy(
		resources.filter(({ kind }) => !isKind(kind)),
		({ kind }) => kind,
	);
	return [...unknown].map(
		([kind, { length }]) =>
			`${many(length, `${kind} resource`)} left out: this version of pulumi-datachain does not know the kind. Install the version that deployed it.`,
	);
}

const stateSchema = z.looseObject({
	type: z.string(),
	inputs: z.record(z.string(), z.unknown()).optional(),
});
const stepSchema = z.looseObject({
	op: z.string(),
	urn: z.string(),
	newState: stateSchema.nullish(),
});
const previewSchema = z.looseObject({ steps: z.array(stepSchema).nullish() });

/** Steps after which the resource is as its new inputs say. */
const MAKES = new Set(["create", "update", "same", "replace", "create-replacement"]);

/**
 * The schedules as the program declares them, by URN: those of the state, with the steps of `pulumi preview --json`
 * applied. The preview leaves out what stays the same.
 */
export function schedulesOfPreview(
	text: string,
	deployed: ReadonlyMap<string, ForecastSchedule>,
	teamName: string,
): Map<string, ForecastSchedule> {
	const declared = new Map(deployed);
	const pauses: Pauses = new Map();
	const { steps } = readPrinted(previewSchema, text, "preview");
	for (const { op, urn, newState } of steps ?? []) {
		if (op === "delete") declared.delete(urn);
		const kind = kindOfType(newState?.type ?? "");
		if (newState?.inputs === undefined || kind === undefined || !MAKES.has(op))
			continue;
		const schedule = scheduleOfInputs(newState.inputs, nameIn(urn), teamName);
		notePause(pauses, schedule);
		if (isScheduleKind(kind)) declared.set(urn, schedule);
	}
	return withPauses(declared, pauses);
}

/** A schedule by its checked inputs. */
function scheduleOfInputs(
	inputs: Readonly<Record<string, unknown>>,
	resource: string,
	teamName: string,
	secretPaths: ReadonlySet<string> = new Set(),
): ForecastSchedule {
	const text = (field: string): string | null => {
		const value = inputs[field];
		if (typeof value !== "string" || value === "") return null;
		return secretPaths.has(field) ? SECRET : (PLACEHOLDERS.get(value) ?? value);
	};
	const unlessHidden = (value: string | null) =>
		whyHidden(value) === undefined ? value : null;
	const utcCron = text("utcCron");
	const declared = text("cronExpression");
	const start = text("startAfter");
	const cron = utcCron ?? declared;
	const [cronHidden, startHidden] = [whyHidden(cron), whyHidden(start)];
	const hidden =
		(cronHidden && `its cron expression ${cronHidden}`) ??
		(startHidden && `its start time ${startHidden}`);
	return {
		team: text("teamName") ?? teamName,
		name: unlessHidden(text("scheduleName")) ?? resource,
		pipeline: text("pipelineName"),
		id: null,
		resource,
		cron: unlessHidden(cron),
		startAfter: instantOf(start),
		declared: utcCron && declared,
		timeZone: utcCron && text("timeZone"),
		paused: typeof inputs.paused === "boolean" ? inputs.paused : undefined,
		hidden,
	};
}

/** A schedule of a team, as the service shows it. */
export const scheduleOfTeam = (team: string, live: Schedule): ForecastSchedule => ({
	team,
	name: live.schedule_name ?? "",
	pipeline: live.pipeline?.name ?? null,
	id: String(live.id),
	resource: null,
	cron: live.cron_expression || null,
	startAfter: instantOf(live.start_after),
	declared: null,
	timeZone: null,
	paused: live.pipeline?.status ? isPausedPipeline(live.pipeline) : undefined,
});

/** What a team's lists tell of the pipelines that these schedules run. */
export function pipelineFacts(
	team: string,
	schedules: readonly ForecastSchedule[],
	pipelines: readonly Pipeline[],
	jobs: readonly Job[],
): Map<string, PipelineFacts> {
	const jobById = new Map(jobs.map((job) => [job.id, job]));
	const jobsOf = ({ job_runs }: Pipeline) =>
		(job_runs ?? []).map(
			({ created_job_id, job_id }) =>
				jobById.get(created_job_id ?? "") ?? jobById.get(job_id ?? ""),
		);
	// A schedule runs copies of its pipeline, which carry its name; the pipeline itself is their template.
	const copies = pipelines.filter(
		({ schedule_name, is_template }) => schedule_name && is_template !== true,
	);
	const runsOf = groupBy(copies, (run) => run.schedule_name);
	const names = new Set(
		schedules.flatMap(({ pipeline }) =>
			whyHidden(pipeline) === undefined ? (pipeline ?? []) : [],
		),
	);
	const templates = pipelinesByName(pipelines);
	const schedulesOf = groupBy(schedules, ({ pipeline }) => pipeline);
	const facts = new Map<string, PipelineFacts>();
	for (const name of names) {
		const template = templates.get(name);
		const runs = (schedulesOf.get(name) ?? [])
			.flatMap((schedule) => runsOf.get(schedule.name) ?? [])
			.filter((run) => run !== template)
			.sort((a, b) => (b.created_at ?? "").localeCompare(a.created_at ?? ""));
		const all = template === undefined ? runs : [...runs, template];
		facts.set(pipelineKey(team, name), {
			paused: template && isPausedPipeline(template),
			workers: template?.workers ?? 1,
			lengths: runs.flatMap((run) => lengthOf(run, jobsOf(run)) ?? []),
			cluster:
				all.flatMap(jobsOf).find((job) => job?.compute_cluster_name)
					?.compute_cluster_name ?? undefined,
		});
	}
	return facts;
}

/** Only of a run that succeeded: a failed one may have stopped at once. */
function lengthOf(
	run: Pipeline,
	jobs: readonly (Job | undefined)[],
): number | undefined {
	const from = instantOf(run.created_at);
	if (run.status?.toUpperCase() !== "COMPLETED" || from === undefined) return undefined;
	const to = endOf(run, jobs);
	return to !== undefined && to > from ? to - from : undefined;
}

/**
 * When a run that has ended did so. Its last job tells; `updated_at`, which any later write moves too, counts only if
 * the list of jobs no longer has them all, and never of a template, to which people write settings.
 */
export function endOf(
	run: Pipeline,
	jobs: readonly (Job | undefined)[],
): number | undefined {
	const ends = jobs.map((job) => instantOf(job?.finished_at));
	const definedEnds = ends.filter((end) => end !== undefined);
	const isWhole = ends.length > 0 && definedEnds.length === ends.length;
	if (isWhole) return Math.max(...definedEnds);
	return run.is_template === true ? undefined : instantOf(run.updated_at);
}

export const instantOf = (at: string | null | undefined): number | undefined =>
	at ? parseInstant(at) : undefined;
