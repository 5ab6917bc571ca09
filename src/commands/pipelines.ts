import type { Command } from "commander";
import { ApiError } from "../client";
import { listAllPipelines } from "../operations/lists";
import { jobIdOf } from "../operations/pipelines";
import { isRunOfASchedule, PIPELINE_STATUSES } from "../schemas/pipeline-status";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import { openSettings, pipelineFailure, settingFacts } from "../team/redacted";
import { showInstantOf } from "../text/instant";
import { facts, shortTime, table, utc } from "../text/renderings";
import { runText, scheduleDetails } from "./schedules";
import {
	askEach,
	checkedStatuses,
	firstRows,
	LIMIT,
	type LimitOptions,
	listOrShow,
	orPipelines,
	readSchedules,
	type Session,
	teamCommand,
	warnOnce,
} from "./session";
import { collect, say } from "./terminal";

interface PipelinesOptions extends LimitOptions {
	status?: string[];
	search?: string;
	runs?: boolean;
}

export const definePipelines = (command: Command): Command =>
	teamCommand(command)
		.option("--status <status>", "only pipelines with this status; repeatable", collect)
		.option(
			"--search <text>",
			"only pipelines with this in their name or source dataset",
		)
		.option("--runs", "list the runs that schedules started, and not the pipelines")
		.option(...LIMIT)
		.action(listOrShow(listPipelines, showPipeline));

/** Lists pipelines, newest first. */
export async function listPipelines(
	session: Session,
	options: PipelinesOptions,
): Promise<void> {
	const { client, print } = session;
	const status =
		options.status &&
		(await checkedStatuses(options.status, client, {
			what: "pipeline",
			known: PIPELINE_STATUSES,
			having: (wanted) => client.pipelines.list({ status: [wanted], limit: 1 }),
		}));
	const { search, runs = false } = options;
	const all = await listAllPipelines(client, { status, search });
	const wanted = all.filter((pipeline) => isRunOfASchedule(pipeline) === runs);
	const pipelines = firstRows(runs ? "runs" : "pipelines", options, wanted);
	const views = await Promise.all(
		pipelines.map((pipeline) => pipelineView(session, pipeline)),
	);
	print(views, () =>
		table(views, runs ? "No runs." : "No pipelines.", {
			name: ({ name }) => name,
			status: ({ status }) => status,
			jobs: ({ completed, total }) => `${completed ?? "?"}/${total ?? "?"}`,
			from: ({ triggeredFrom }) => triggeredFrom,
			...(runs && {
				"run of schedule": (each: { schedule: string | null }) => each.schedule,
			}),
			"created (UTC)": ({ createdAt }) => shortTime(createdAt),
		}),
	);
}

async function showPipeline(session: Session, name: string): Promise<void> {
	const { client, print } = session;
	const pipeline = await orPipelines(client, name, client.pipelines.status({ name }));
	const schedules = await schedulesOf(session, pipeline.pipeline_id);
	/** What the pipeline's jobs run with; of the environment only the names. */
	const settings = {
		pythonVersion: pipeline.python_version || null,
		workers: pipeline.workers ?? null,
		priority: pipeline.priority ?? null,
		...openSettings(
			pipeline.requirements,
			pipeline.repository,
			pipeline.environment_variables,
		),
	};
	const one = { ...(await pipelineView(session, pipeline, true)), settings, schedules };
	print(one, () =>
		[
			facts([
				["Pipeline", one.name],
				[
					"Status",
					`${one.status}, ${one.completed ?? "?"} of ${one.total ?? "?"} jobs done`,
				],
				["Error", one.error],
				["From", one.triggeredFrom],
				["Created", utc(one.createdAt)],
				["Run of schedule", one.schedule],
				["Python", settings.pythonVersion],
				["Workers", settings.workers],
				["Priority", settings.priority],
				...settingFacts(settings),
			]),
			table(one.jobs, "No jobs.", {
				job: ({ id }) => id,
				name: (job) => job.name,
				status: ({ status }) => status,
			}),
			schedules === null
				? ""
				: table(schedules, "No schedules.", {
						schedule: (each) => each.name,
						id: ({ id }) => id,
						means: ({ meaning, cron }) => meaning ?? cron,
						"next run (UTC)": ({ nextRun }) => shortTime(nextRun),
						"last run": ({ latestRun }) => latestRun && runText(latestRun),
					}),
		]
			.filter((part) => part !== "")
			.join("\n"),
	);
}

/** The list of schedules names no pipelines, so each schedule costs a request. */
const MOST_ASKED = 500;

/** The schedules that run this pipeline; null if that cannot be told, which is said on stderr. */
async function schedulesOf({ client }: Session, pipelineId: string) {
	try {
		const all = await client.schedules.list();
		if (all.length > MOST_ASKED) {
			say(
				`warning: The team has ${all.length} schedules. They are not listed, because the pipeline of each needs a separate request. ` +
					'"pulumi-datachain schedules NAME" shows one with its pipeline.',
			);
			return null;
		}
		const details = await readSchedules(client, all);
		return details
			.map(scheduleDetails)
			.filter(({ pipeline }) => pipeline?.id === pipelineId);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		say(`warning: The schedules could not be read: ${error.message}`);
		return null;
	}
}

/** A pipeline as the commands list it: without its settings. Its error costs requests, and text has it for one alone. */
export const pipelineView = async (
	session: Session,
	pipeline: Pipeline,
	showsError = session.json,
) => ({
	id: pipeline.pipeline_id,
	name: pipeline.name ?? null,
	status: pipeline.status ?? null,
	completed: pipeline.completed ?? null,
	total: pipeline.total ?? null,
	triggeredFrom: pipeline.triggered_from ?? null,
	schedule: pipeline.schedule_name ?? null,
	createdAt: showInstantOf(pipeline.created_at),
	error:
		showsError && pipeline.error_message
			? pipelineFailure(pipeline, await jobsOf(session, pipeline))
			: null,
	jobs: (pipeline.job_runs ?? []).map((run) => ({
		id: jobIdOf(run) || null,
		name: run.name ?? null,
		status: run.status ?? null,
	})),
});

/** The pipeline's jobs that the service still has; undefined if they cannot be read, which is said on stderr. */
async function jobsOf(
	{ client, interrupt }: Session,
	{ job_runs }: Pipeline,
): Promise<Job[] | undefined> {
	const ids = (job_runs ?? []).map(jobIdOf).filter((id) => id !== "");
	try {
		return (
			await askEach("jobs", ids, (job_id) => client.jobs.list({ job_id }))
		).flat();
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		if (!interrupt.aborted)
			warnOnce(
				`A pipeline's error is not shown, because it may repeat secrets of its jobs, which could not be read: ${error.message}`,
			);
		return undefined;
	}
}
