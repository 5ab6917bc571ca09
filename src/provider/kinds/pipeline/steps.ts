import { ApiError, ConflictError, InvalidRequestError, isMissing } from "../api";
import { lookUntil, seenSoon } from "../api/read-back";
import { redactor } from "../api/redaction";
import { showInstantOf } from "../schemas/instant";
import { hasEnded, isPausedPipeline } from "../schemas/pipeline-status";
import type { JobRun, Pipeline } from "../schemas/wire/pipeline";
import { messageOf } from "../schemas/wording";
import type { Call } from "./context";
import { PartialFailureError, type Props, setOnly } from "./handler";
import {
	findJob,
	oneLine,
	problemOfEnded,
	redactedFor,
	timeoutOf,
	unhurried,
	type Waited,
	waitFor,
} from "./job-wait";
import { parseUrn } from "./messages";
import { getPipeline } from "./outcome";
import { sendPause } from "./pauses";
import type { PipelineArgs } from "./pipeline";
import { holdSecrets, isHashOf, isSalted, saltedHash } from "./secrets";

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
	const stillWanted = (step: Step) => (step === "wait" ? args.wait === true : step !== "start" || args.start);
	return STEPS.filter((step) => wanted[step] || (pending.includes(step) && stillWanted(step)));
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
				throw new PartialFailureError(live.pipeline_id, outs(error.live, left), error.message);
			const name = `Pipeline "${nameOrId(live)}" in team "${args.teamName}"`;
			const why = messageOf(error);
			throw new PartialFailureError(live.pipeline_id, outs(live, left), `${name} is there, but: ${why}`);
		}
	}
	return outs(live, []);
}

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
export const nameOrId = ({ name, pipeline_id }: Pipeline): string => name ?? pipeline_id;

const read = (call: Call, team: string, live: Pipeline): Promise<Pipeline> =>
	getPipeline(call, team, String(live.name));

// ── Pausing and resuming ────────────────────────────────────────────────────────────────────────────────────────────

/** Pauses or resumes if that is needed, and reads until the service shows it. */
export async function setPaused(
	call: Call,
	team: string,
	live: Pipeline,
	wanted: boolean,
): Promise<Pipeline> {
	if (isPausedPipeline(live) === wanted) return live;
	await sendPause(call, { team_name: team, pipeline_id: live.pipeline_id }, wanted);
	const isDone = (found: Pipeline) => isPausedPipeline(found) === wanted;
	const now = await lookUntil(call, () => read(call, team, live), isDone);
	if (isDone(now)) return now;
	throw new StepError(
		now,
		`The service accepted that pipeline "${nameOrId(live)}" in team "${team}" is ${wanted ? "paused" : "resumed"}, but ` +
			`shows it as ${now.status ?? "unknown"}. Run the command again; if that does not help, look at the pipeline in the web UI.`,
	);
}

// ── Removing jobs ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The jobs that were removed from a pipeline, as its state remembers them: by their names, or by hashes of secret ones. */
export const removedIn = ({ removedJobs }: Props): string[] =>
	Array.isArray(removedJobs) ? removedJobs.map(String) : [];

export const isAmong = (removed: Iterable<string>, job: string): boolean =>
	[...removed].some((stored) => isHashOf(stored, job));

const jobIdOf = (job: JobRun): string => job.created_job_id ?? job.job_id ?? "";

/** A job has the name of its dataset, so the name is as secret as the datasets. */
const jobName = (call: Call, job: JobRun): string | undefined =>
	holdSecrets(call, ["datasets"]) ? undefined : (job.name ?? undefined);

const jobLabel = (call: Call, job: JobRun): string => jobName(call, job) ?? jobIdOf(job);

/** The jobs that an id or a name stands for. An id comes first, because several jobs may have one name. */
export function jobsCalled({ job_runs }: Pipeline, job: string): JobRun[] {
	const all = job_runs ?? [];
	const withId = all.filter((each) => [each.created_job_id, each.job_id].includes(job));
	return withId.length > 0 ? withId : all.filter(({ name }) => name === job);
}

/** Why none of them is removed; reads on from the pipeline. */
export function severalJobs(jobs: readonly JobRun[], name: string): string {
	const ids = jobs.map((each) => `${jobIdOf(each)} (${each.status ?? "no status"})`).join(", ");
	return `has ${jobs.length} jobs ${JSON.stringify(name)}, and a removed job cannot be added again: ${ids}. Give the id of one.`;
}

type DoStep = (call: Call, args: PipelineArgs, live: Pipeline, removed: Set<string>) => Promise<Pipeline>;

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
	const found = jobsCalled(now, name);
	if (found.length === 1 || (found.length === 0 && isAmong(removed, name))) return found[0];
	const names = (now.job_runs ?? []).map((each) => jobLabel(call, each)).join(", ");
	const why =
		found.length > 1 ? severalJobs(found, name) : `has no job "${name}". Its jobs are ${names || "none"}.`;
	throw new StepError(
		now,
		`removeJobs: pipeline "${nameOrId(now)}" in team "${args.teamName}" ${why} The pipeline stays as it is until that is right.`,
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
	const job_id = jobIdOf(job);
	const request = { team_name: args.teamName, pipeline_id: live.pipeline_id, job_id };
	try {
		await call.client.pipelines.removeJob(request);
	} catch (error) {
		if (error instanceof InvalidRequestError || error instanceof ConflictError)
			throw new Error(`${error.summary} ${WHY_IT_STAYS}`);
		const mayBeDone = error instanceof ApiError && error.received !== false;
		// Whether it was removed all the same is what the next read says.
		if (!mayBeDone && !isMissing(error)) throw error;
	}
	// From here on a missing job is not a mistake.
	note();
	const done = await seenSoon(call, async () => {
		const now = await read(call, args.teamName, live);
		return jobsCalled(now, job_id).length > 0 ? undefined : now;
	});
	if (done !== undefined) return done;
	throw new Error(
		`the service accepted that job "${jobLabel(call, job)}" is removed, but still shows it. Run "pulumi up" again.`,
	);
}

// ── Waiting ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Waits until the pipeline ends, shows its progress meanwhile, and says how it ended. */
export function waitForPipeline(call: Call, args: PipelineArgs, first: Pipeline): Promise<Waited<Pipeline>> {
	const label = parseUrn(call.urn)?.name ?? "pipeline";
	const shown = new Map<string, string>();
	const show = (key: string, text: string) => {
		if (shown.get(key) === text) return;
		shown.set(key, text);
		call.line(`${label}: ${text}`);
	};
	const which = (now: Pipeline) => `Pipeline "${nameOrId(now)}" in team "${args.teamName}"`;
	return waitFor<Pipeline>(call, first, timeoutOf(args.timeout), {
		which,
		look: async () => {
			const now = await call.client.pipelines.status(
				{ team_name: args.teamName, name: String(first.name) },
				unhurried(),
			);
			if (now.pipeline_id !== first.pipeline_id) return undefined;
			for (const job of now.job_runs ?? [])
				show(`job ${jobIdOf(job)}`, `job ${jobLabel(call, job)} is ${job.status}`);
			show("", `pipeline ${now.name} is ${now.status}, ${now.completed ?? 0} of ${now.total ?? 0} jobs done`);
			return now;
		},
		isEnded: hasEnded,
		problem: async (ended) =>
			ended.status?.toUpperCase() === "COMPLETED"
				? undefined
				: `${which(ended)} ended as ${ended.status}. ${await failedJobs(call, args, ended)}`,
	});
}

/** The jobs that failed, each with its error and its last lines; at most three, as the first is what matters. */
async function failedJobs(call: Call, args: PipelineArgs, pipeline: Pipeline): Promise<string> {
	const clean = redactedFor(call, { ...args });
	const failed = (pipeline.job_runs ?? []).filter(({ status }) => status?.toUpperCase() === "FAILED");
	const texts: string[] = [];
	for (const job of failed.slice(0, 3)) {
		const id = jobIdOf(job);
		const live = await findJob(call, args.teamName, id, unhurried()).catch(() => undefined);
		// Its variables are the settings' and need not be inputs of the pipeline.
		const ownClean = (text: string) => clean(redactor(live?.environment)(text));
		const target = { team: args.teamName, jobId: id, label: jobLabel(call, job), clean: ownClean };
		const name = jobName(call, { name: live?.name ?? job.name });
		// The list of jobs may be behind the pipeline, which says that the job has failed.
		texts.push((await problemOfEnded(call, target, { ...live, id, status: "FAILED", name })) ?? "");
	}
	if (texts.length > 0) return texts.join("\n");
	return pipeline.error_message ? oneLine(clean(pipeline.error_message)) : "None of its jobs says why.";
}

const DO: Readonly<Record<Step, DoStep>> = {
	stayPaused: (call, args, live) => setPaused(call, args.teamName, live, true),
	removeJobs,
	start: (call, args, live) => setPaused(call, args.teamName, live, false),
	wait: async (call, args, live) => {
		const { latest, problem } = await waitForPipeline(call, args, live);
		if (problem === undefined) return latest;
		const next = hasEnded(latest) ? "" : ' Run "pulumi up" again to go on waiting for it.';
		throw new StepError(latest, problem + next);
	},
};

// ── The state ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The inputs, and what the service adds to them; never its settings or error texts, which may hold secrets. */
export function pipelineOuts(
	call: Call,
	inputs: Props,
	pipeline: Pipeline,
	{ pending, removedJobs }: { pending: readonly Step[]; removedJobs: readonly string[] },
): Props {
	// A dataset is the name of a job, and of what the pipeline was made from.
	const isSecret = holdSecrets(call, ["datasets", "removeJobs"]);
	const unlessSecret = (dataset: string | null | undefined) => (isSecret ? undefined : dataset);
	const withoutName = (job: string) => (isSalted(job) ? job : saltedHash(job));
	const removed = isSecret ? removedJobs.map(withoutName) : removedJobs;
	return {
		...inputs,
		name: pipeline.name,
		pipelineId: pipeline.pipeline_id,
		status: pipeline.status,
		jobRuns: (pipeline.job_runs ?? []).map((job) =>
			setOnly({ name: unlessSecret(job.name), status: job.status, jobId: jobIdOf(job) || undefined }),
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
