import type { Command } from "commander";
import { ApiError } from "../api";
import { redactor } from "../api/redaction";
import { facts, shortTime, table, utc } from "../report/renderings";
import { printable, shellWord } from "../report/report";
import { showInstantOf } from "../schemas/instant";
import { isPausedPipeline, PIPELINE_STATUSES } from "../schemas/pipeline-status";
import { someOf } from "../schemas/some-of";
import { didYouMean } from "../schemas/suggest";
import type { JobRun, Pipeline } from "../schemas/wire/pipeline";
import { openSettings, settingFacts } from "./jobs";
import { runText, scheduleDetails } from "./schedules";
import {
	checkedStatuses,
	LIMIT,
	type LimitOptions,
	listOrShow,
	newest,
	orPipelines,
	readSchedules,
	type Session,
	type TeamOptions,
	teamCommand,
	withSession,
} from "./session";
import { collect, say } from "./terminal";

interface PipelinesOptions extends LimitOptions {
	status?: string[];
	search?: string;
}

/** `pipelines` and `pipelines PIPELINE`. */
export const definePipelines = (command: Command): Command =>
	teamCommand(command)
		.option("--status <status>", "only pipelines with this status; repeatable", collect)
		.option("--search <text>", "only pipelines with this in their name or source dataset")
		.option(...LIMIT)
		.action(listOrShow(listPipelines, showPipeline));

/** Lists pipelines, newest first. */
export async function listPipelines({ client, print }: Session, options: PipelinesOptions): Promise<void> {
	const status =
		options.status &&
		(await checkedStatuses(options.status, client, {
			what: "pipeline",
			known: PIPELINE_STATUSES,
			having: (wanted) => client.pipelines.list({ status: [wanted], limit: 1 }),
		}));
	const { search } = options;
	const pipelines = await newest("pipelines", options, (limit) =>
		client.pipelines.list({ limit, status, search }),
	);
	const found = pipelines.map(pipelineView);
	print(found, () =>
		table(found, "No pipelines.", {
			name: ({ name }) => name,
			status: ({ status }) => status,
			jobs: ({ completed, total }) => `${completed ?? "?"}/${total ?? "?"}`,
			from: ({ triggeredFrom }) => triggeredFrom,
			"run of schedule": ({ schedule }) => schedule,
			"created (UTC)": ({ createdAt }) => shortTime(createdAt),
		}),
	);
}

async function showPipeline(session: Session, name: string): Promise<void> {
	const { client, print } = session;
	const pipeline = await orPipelines(client, name, client.pipelines.status({ name }));
	const schedules = await schedulesOf(session, pipeline.pipeline_id);
	const one = { ...pipelineView(pipeline), settings: settingsView(pipeline), schedules };
	const { settings } = one;
	print(one, () =>
		[
			facts([
				["Pipeline", one.name],
				["Status", `${one.status}, ${one.completed ?? "?"} of ${one.total ?? "?"} jobs done`],
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
				`warning: The team has ${all.length} schedules, and each would have to be asked for its pipeline: they are left out. ` +
					'"pulumi-datachain schedules NAME" shows one with its pipeline.',
			);
			return null;
		}
		const details = await readSchedules(client, all);
		return details.map(scheduleDetails).filter(({ pipeline }) => pipeline?.id === pipelineId);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		say(printable(`warning: The schedules could not be read: ${error.message}`));
		return null;
	}
}

/** A pipeline as the commands list it: without its settings. */
export const pipelineView = (pipeline: Pipeline) => ({
	id: pipeline.pipeline_id,
	name: pipeline.name ?? null,
	status: pipeline.status ?? null,
	completed: pipeline.completed ?? null,
	total: pipeline.total ?? null,
	triggeredFrom: pipeline.triggered_from ?? null,
	schedule: pipeline.schedule_name ?? null,
	createdAt: showInstantOf(pipeline.created_at),
	error: pipeline.error_message ? redactor(pipeline.environment_variables)(pipeline.error_message) : null,
	jobs: (pipeline.job_runs ?? []).map((run) => ({
		id: run.created_job_id ?? run.job_id ?? null,
		name: run.name ?? null,
		status: run.status ?? null,
	})),
});

/** What the pipeline's jobs run with; of the environment only the names. */
const settingsView = (pipeline: Pipeline) => ({
	pythonVersion: pipeline.python_version || null,
	workers: pipeline.workers ?? null,
	priority: pipeline.priority ?? null,
	...openSettings(pipeline.requirements, pipeline.repository, pipeline.environment_variables),
});

/** `pause` and `resume`. */
export function definePause(command: Command): Command {
	const paused = command.name() === "pause";
	return teamCommand(command).action((name: string, options: TeamOptions) =>
		withSession(options, async (session) => {
			const now = pipelineView(await setPaused(session, name, paused));
			session.print(now, () => `${now.name}: ${now.status}\n`);
		}),
	);
}

/** Pauses or resumes a pipeline, and reads it until it shows that. */
export async function setPaused(
	{ client, seen }: Pick<Session, "client" | "seen">,
	name: string,
	paused: boolean,
): Promise<Pipeline> {
	const act = paused ? client.pipelines.pause : client.pipelines.resume;
	await orPipelines(client, name, act({ name }));
	let shown: string | undefined;
	const what = `${paused ? "pause" : "resume"} pipeline ${JSON.stringify(name)}`;
	const done = await seenAfter(seen, what, name, async () => {
		const now = await client.pipelines.status({ name });
		shown = now.status ?? undefined;
		return isPausedPipeline(now) === paused ? now : undefined;
	});
	if (done !== undefined) return done;
	throw new Error(
		`The service accepted the request to ${what}, but still shows it as ${shown ?? "unknown"}. Run the command again; if that does not help, look at the pipeline in the web UI.`,
	);
}

/** Looks until a write shows. A read that fails says nothing about the write, which was sent. */
async function seenAfter<T>(
	seen: Session["seen"],
	what: string,
	name: string,
	look: () => Promise<T | undefined>,
): Promise<T | undefined> {
	try {
		return await seen(look);
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		throw new Error(
			`The request to ${what} was sent, and whether it took effect is not known: ${error.summary} ` +
				`"pulumi-datachain pipelines ${shellWord(name)}" shows it.`,
			{ cause: error },
		);
	}
}

/** `remove-job`. */
export const defineRemoveJob = (command: Command): Command =>
	teamCommand(command).action((name: string, job: string, options: TeamOptions) =>
		withSession(options, async (session) => {
			const { pipeline, run } = await removeJob(session, name, job);
			const removed = { ...pipelineView(pipeline), removed: { id: idOf(run), name: run.name ?? null } };
			session.print(
				removed,
				() =>
					`Removed job ${JSON.stringify(run.name ?? "")} (${idOf(run)}) from pipeline ${JSON.stringify(name)}.\n`,
			);
		}),
	);

const idOf = (run: JobRun): string => run.created_job_id ?? run.job_id ?? "";

/** Removes a job, named by an id or by its dataset, and reads the pipeline until the job is gone. */
async function removeJob({ client, seen }: Session, name: string, job: string) {
	const before = await orPipelines(client, name, client.pipelines.status({ name }));
	const run = removableRun(before, name, job);
	const isGone = (now: Pipeline) => !(now.job_runs ?? []).some((each) => idOf(each) === idOf(run));
	try {
		await client.pipelines.removeJob({ name, job_id: idOf(run) });
	} catch (error) {
		// After a lost reply the pipeline itself tells whether the job was removed.
		if (!(error instanceof ApiError) || error.received === false) throw error;
	}
	const what = `remove job ${JSON.stringify(job)} from pipeline ${JSON.stringify(name)}`;
	const after = await seenAfter(seen, what, name, async () => {
		const now = await client.pipelines.status({ name });
		return isGone(now) ? now : undefined;
	});
	if (after !== undefined) return { pipeline: after, run };
	throw new Error(
		`The service still shows job ${JSON.stringify(job)} in pipeline ${JSON.stringify(name)} after the request to remove it. ` +
			`"pulumi-datachain pipelines ${shellWord(name)}" shows whether it is there; if so, run the command again.`,
	);
}

/** The service removes only jobs that wait, and only from a paused pipeline. */
function removableRun(pipeline: Pipeline, name: string, job: string): JobRun {
	const runs = pipeline.job_runs ?? [];
	const run = runs.find((each) => [each.created_job_id, each.job_id, each.name].includes(job));
	if (run === undefined) {
		const names = runs.map((each) => each.name ?? idOf(each));
		const there = names.length === 0 ? "It has no jobs." : `Its jobs are ${someOf(names)}.`;
		throw new Error(
			`Pipeline ${JSON.stringify(name)} has no job ${JSON.stringify(job)}.${didYouMean(job, names)} ${there}`,
		);
	}
	if (!isPausedPipeline(pipeline)) {
		throw new Error(
			`Pipeline ${JSON.stringify(name)} is ${pipeline.status ?? "not paused"}, and a job can be removed only from a paused pipeline. ` +
				`"pulumi-datachain pause ${shellWord(name)}" pauses it.`,
		);
	}
	if ((run.status ?? "PENDING").toUpperCase() !== "PENDING") {
		throw new Error(
			`Job ${JSON.stringify(run.name ?? job)} of pipeline ${JSON.stringify(name)} is ${run.status}, and only a PENDING job can be ` +
				`removed. "pulumi-datachain cancel ${idOf(run)}" ends a job that runs.`,
		);
	}
	return run;
}
