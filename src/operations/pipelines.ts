import { ApiError, isMissing, OtherObjectError } from "../client";
import { pollAfterWrite, pollUntilDefined } from "../client/read-back";
import { isPausedPipeline } from "../schemas/pipeline-status";
import type { JobRun, Pipeline } from "../schemas/wire/pipeline";
import type { OperationContext } from "./context";

/** A step that did not succeed, with the pipeline as it is now. */
export class StepError extends Error {
	constructor(
		readonly live: Pipeline,
		reason: string,
	) {
		super(reason);
	}
}

/** A pipeline as a message names it. */
export const nameOrId = ({ name, pipeline_id }: Pipeline): string =>
	name ?? pipeline_id;

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The pipeline of this name. One that may be new is asked for with patience: a replica that lags behind misses it. */
export async function getPipeline(
	context: OperationContext,
	team: string,
	name: string,
	isNew = false,
): Promise<Pipeline> {
	const mayBeNew = isNew || context.lists.isNew(team, name);
	const ask = () => askForPipeline(context, team, name);
	const pipeline = mayBeNew
		? await pollUntilDefined(context, () => ask().catch(missingIsUndefined))
		: undefined;
	return pipeline ?? ask();
}

/** A service that answers about another pipeline still has this one in its list. */
async function askForPipeline(
	{ client }: OperationContext,
	team: string,
	name: string,
): Promise<Pipeline> {
	try {
		return await client.pipelines.status({ team_name: team, name });
	} catch (error) {
		if (!(error instanceof OtherObjectError)) throw error;
		const all = await client.pipelines.list({ team_name: team, search: name });
		const listed = all.find((pipeline) => pipeline.name === name);
		if (listed === undefined) throw error;
		return listed;
	}
}

export function missingIsUndefined(error: unknown): undefined {
	if (!isMissing(error)) throw error;
	return undefined;
}

// ── Pausing and resuming ────────────────────────────────────────────────────────────────────────────────────────────

/** Pauses or resumes the pipeline, which is named by its name or its id. */
export async function sendPause(
	{ client }: Pick<OperationContext, "client">,
	target: {
		readonly team_name: string;
		readonly name?: string;
		readonly pipeline_id?: string;
	},
	paused: boolean,
): Promise<void> {
	await (paused ? client.pipelines.pause(target) : client.pipelines.resume(target));
}

/** Pauses or resumes if that is needed, and reads until the service shows it. */
export async function setPaused(
	context: OperationContext,
	team: string,
	live: Pipeline,
	wanted: boolean,
): Promise<Pipeline> {
	if (isPausedPipeline(live) === wanted) return live;
	await sendPause(context, { team_name: team, pipeline_id: live.pipeline_id }, wanted);
	const isDone = (pipeline: Pipeline) => isPausedPipeline(pipeline) === wanted;
	const now = await pollAfterWrite(
		context,
		"Pipeline",
		() => getPipeline(context, team, String(live.name)),
		isDone,
	);
	if (isDone(now)) return now;
	throw new StepError(
		now,
		`The service accepted the request to ${wanted ? "pause" : "resume"} pipeline "${nameOrId(live)}" in team "${team}", but still ` +
			`returns it as ${now.status ?? "unknown"}. Run the command again; if that does not help, check the pipeline in the web UI.`,
	);
}

// ── Its jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The job that a pipeline made of a step, or will; empty if the service does not say. */
export const jobIdOf = ({ created_job_id, job_id }: JobRun): string =>
	created_job_id ?? job_id ?? "";

/** The jobs that an id or a name stands for. An id comes first, because several jobs may have one name. */
export function jobsCalled({ job_runs }: Pipeline, job: string): JobRun[] {
	const all = job_runs ?? [];
	const withId = all.filter((each) => [each.created_job_id, each.job_id].includes(job));
	return withId.length > 0 ? withId : all.filter(({ name }) => name === job);
}

/** Why none of them is removed; reads on from the pipeline. */
export function severalJobs(jobs: readonly JobRun[], name: string): string {
	const ids = jobs
		.map((each) => `${jobIdOf(each)} (${each.status ?? "no status"})`)
		.join(", ");
	return `has ${jobs.length} jobs ${JSON.stringify(name)}, and a removed job cannot be added again: ${ids}. Give the id of one.`;
}

type RemoveJob = Parameters<OperationContext["client"]["pipelines"]["removeJob"]>[0];

/** Sends the removal of a job. A lost response is no failure: the next read of the pipeline says whether the job is gone. */
export async function sendRemoveJob(
	{ client }: Pick<OperationContext, "client">,
	request: RemoveJob,
): Promise<void> {
	try {
		await client.pipelines.removeJob(request);
	} catch (error) {
		if (!(error instanceof ApiError) || error.received === false) throw error;
	}
}

/** Reads the pipeline until the job is gone, and returns the last read. */
export const readUntilRemoved = (
	context: Pick<OperationContext, "time" | "readBackDelays" | "lags">,
	read: () => Promise<Pipeline>,
	jobId: string,
): Promise<Pipeline> =>
	pollAfterWrite(context, "Pipeline", read, (pipeline) => !hasJob(pipeline, jobId));

export const hasJob = (pipeline: Pipeline, jobId: string): boolean =>
	jobsCalled(pipeline, jobId).length > 0;
