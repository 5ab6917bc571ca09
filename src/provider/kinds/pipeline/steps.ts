import { ConflictError, InvalidRequestError, isMissing } from "../../../client";
import { waitForPipeline } from "../../../operations/pipeline-wait";
import {
	getPipeline,
	hasJob,
	jobIdOf,
	jobsCalled,
	nameOrId,
	readUntilRemoved,
	StepError,
	sendRemoveJob,
	setPaused,
	severalJobs,
} from "../../../operations/pipelines";
import { timeoutOf, type Waited } from "../../../operations/wait";
import { hasEnded } from "../../../schemas/pipeline-status";
import type { JobRun, Pipeline } from "../../../schemas/wire/pipeline";
import { showInstantOf } from "../../../text/instant";
import { messageForState, parseUrn } from "../../model/messages";
import { type Props, setOnly } from "../../model/props";
import { isSalted, saltedHash } from "../../model/salted-hash";
import { holdSecrets } from "../../model/secrets";
import type { Call } from "../../run/context";
import { PartialFailureError } from "../../run/handler";
import { redactedFor } from "../job/wait";
import { isAmong, type PipelineArgs } from "./fields";

// ── The steps of a pipeline that exists ─────────────────────────────────────────────────────────────────────────────

/** What is left to do once the pipeline exists. Each can be done again without harm. */
const STEPS = ["stayPaused", "removeJobs", "start", "wait"] as const;
export type Step = (typeof STEPS)[number];

/** The steps that a partial failure left undone. */
export const pendingIn = ({ pending }: Props): Step[] =>
	Array.isArray(pending) ? STEPS.filter((step) => pending.includes(step)) : [];

/** Jobs are removed while the pipeline is paused, so it must not start by itself then. */
export const startsAtOnce = ({ start, removeJobs = [] }: PipelineArgs): boolean =>
	start && removeJobs.length === 0;

/** The steps of a new pipeline; what the service has done by itself sends no request. */
export function stepsOfCreate(args: PipelineArgs): Step[] {
	const wanted: Record<Step, boolean> = {
		stayPaused: !startsAtOnce(args),
		removeJobs: (args.removeJobs ?? []).length > 0,
		start: args.start,
		wait: args.start && args.wait === true,
	};
	return STEPS.filter((step) => wanted[step]);
}

/** What the changed inputs ask for, and what an earlier deployment left undone and is still declared. */
export function stepsOfUpdate(
	args: PipelineArgs,
	changed: readonly string[],
	pending: readonly Step[],
): Step[] {
	const starts = changed.includes("start") && args.start;
	const wanted: Record<Step, boolean> = {
		stayPaused: false,
		removeJobs: changed.includes("removeJobs"),
		start: starts,
		wait: starts && args.wait === true,
	};
	const stillWanted = (step: Step) =>
		step === "wait" ? args.wait === true : step !== "start" || args.start;
	return STEPS.filter(
		(step) => wanted[step] || (pending.includes(step) && stillWanted(step)),
	);
}

/** Does the steps in their order. A failure keeps the pipeline, and the steps that are left. */
export async function doSteps(
	call: Call,
	args: PipelineArgs,
	made: Pipeline,
	steps: readonly Step[],
	before: readonly string[] = [],
): Promise<Props> {
	let live = made;
	const removed = new Set(before);
	const outs = (now: Pipeline, pending: readonly Step[]) =>
		pipelineOuts(call, { ...args }, now, { pending, removedJobs: [...removed] });
	for (const [index, step] of steps.entries()) {
		try {
			live = await DO[step](call, args, live, removed);
		} catch (error) {
			const left = steps.slice(index);
			if (error instanceof StepError)
				throw new PartialFailureError(
					live.pipeline_id,
					outs(error.live, left),
					error.message,
				);
			const name = `Pipeline "${nameOrId(live)}" in team "${args.teamName}"`;
			const why = messageForState(error);
			throw new PartialFailureError(
				live.pipeline_id,
				outs(live, left),
				`${name} is there, but: ${why}`,
			);
		}
	}
	return outs(live, []);
}

// ── Removing jobs ───────────────────────────────────────────────────────────────────────────────────────────────────

/** A job has the name of its dataset, so the name is as secret as the datasets. */
const jobName = (call: Call, job: JobRun): string | undefined =>
	holdSecrets(call, ["datasets"]) ? undefined : (job.name ?? undefined);

const jobLabel = (call: Call, job: JobRun): string =>
	jobName(call, job) ?? jobIdOf(job);

type DoStep = (
	call: Call,
	args: PipelineArgs,
	live: Pipeline,
	removed: Set<string>,
) => Promise<Pipeline>;

/** Removes the declared jobs, each by a single request, and notes the jobs that may be gone now. */
const removeJobs: DoStep = async (call, args, live, removed) => {
	let now = await read(call, args.teamName, live);
	const declared = (args.removeJobs ?? []).map((name) => ({
		name,
		job: declaredJob(call, args, now, name, removed),
	}));
	for (const { name, job } of declared) {
		if (job === undefined) continue;
		// Two names may stand for one job.
		if (jobsCalled(now, jobIdOf(job)).length === 0) removed.add(name);
		else now = await removeJob(call, args, live, job, () => removed.add(name));
	}
	return now;
};

/** The only job that the id or name stands for; undefined if an earlier deployment removed it. */
function declaredJob(
	call: Call,
	args: PipelineArgs,
	now: Pipeline,
	name: string,
	removed: ReadonlySet<string>,
): JobRun | undefined {
	const jobs = jobsCalled(now, name);
	if (jobs.length === 1 || (jobs.length === 0 && isAmong(removed, name)))
		return jobs[0];
	const names = (now.job_runs ?? []).map((each) => jobLabel(call, each)).join(", ");
	const why =
		jobs.length > 1
			? severalJobs(jobs, name)
			: `has no job "${name}". Its jobs are ${names || "none"}.`;
	throw new StepError(
		now,
		`removeJobs: pipeline "${nameOrId(now)}" in team "${args.teamName}" ${why} The pipeline is not changed until you correct removeJobs.`,
	);
}

const WHY_IT_STAYS =
	"Only a job that has not started can be removed, and only while the pipeline is paused. To create the pipeline again without the " +
	"job, change triggers. To keep it, delete its name from removeJobs.";

async function removeJob(
	call: Call,
	args: PipelineArgs,
	live: Pipeline,
	job: JobRun,
	note: () => void,
): Promise<Pipeline> {
	const jobId = jobIdOf(job);
	const request = {
		team_name: args.teamName,
		pipeline_id: live.pipeline_id,
		job_id: jobId,
	};
	await sendRemoveJob(call, request).catch((error: unknown) => {
		if (error instanceof InvalidRequestError || error instanceof ConflictError)
			throw new Error(`${error.summary} ${WHY_IT_STAYS}`);
		if (!isMissing(error)) throw error;
	});
	// From here on a missing job is not a mistake.
	note();
	const now = await readUntilRemoved(
		call,
		() => read(call, args.teamName, live),
		jobId,
	);
	if (!hasJob(now, jobId)) return now;
	throw new Error(
		`the service accepted the removal of job "${jobLabel(call, job)}", but still lists it. Run "pulumi up" again.`,
	);
}

const read = (call: Call, team: string, live: Pipeline): Promise<Pipeline> =>
	getPipeline(call, team, String(live.name));

// ── Waiting ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Shows the pipeline's progress until it ends. */
function waitUntilEnded(
	call: Call,
	args: PipelineArgs,
	live: Pipeline,
): Promise<Waited<Pipeline>> {
	const wait = {
		team: args.teamName,
		timeoutMillis: timeoutOf(args.timeout),
		label: parseUrn(call.urn)?.name ?? "pipeline",
		clean: redactedFor(call, { ...args }),
		hidesNames: holdSecrets(call, ["datasets"]),
	};
	return waitForPipeline(call, wait, live);
}

const DO: Readonly<Record<Step, DoStep>> = {
	stayPaused: (call, args, live) => setPaused(call, args.teamName, live, true),
	removeJobs,
	start: (call, args, live) => setPaused(call, args.teamName, live, false),
	wait: async (call, args, live) => {
		const { latest, problem } = await waitUntilEnded(call, args, live);
		if (problem === undefined) return latest;
		const next = hasEnded(latest)
			? ""
			: ' Run "pulumi up" again to continue waiting for it.';
		throw new StepError(latest, problem + next);
	},
};

// ── The state ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The inputs, and what the service adds to them; never its settings or error texts, which may hold secrets. */
export function pipelineOuts(
	call: Call,
	inputs: Props,
	pipeline: Pipeline,
	{
		pending,
		removedJobs,
	}: { pending: readonly Step[]; removedJobs: readonly string[] },
): Props {
	// A dataset is the name of a job, and of what the pipeline was made from.
	const isSecret = holdSecrets(call, ["datasets", "removeJobs"]);
	const unlessSecret = (dataset: string | null | undefined) =>
		isSecret ? undefined : dataset;
	const withoutName = (job: string) => (isSalted(job) ? job : saltedHash(job));
	const removed = isSecret ? removedJobs.map(withoutName) : removedJobs;
	return {
		...inputs,
		name: pipeline.name,
		pipelineId: pipeline.pipeline_id,
		status: pipeline.status,
		jobRuns: (pipeline.job_runs ?? []).map((job) =>
			setOnly({
				name: unlessSecret(job.name),
				status: job.status,
				jobId: jobIdOf(job) || undefined,
			}),
		),
		completed: pipeline.completed,
		total: pipeline.total,
		triggeredFrom: unlessSecret(pipeline.triggered_from),
		createdAt: showInstantOf(pipeline.created_at),
		pending: pending.length > 0 ? pending : undefined,
		removedJobs: removed.length > 0 ? removed : undefined,
		serviceUrl: call.serviceUrl,
	};
}
