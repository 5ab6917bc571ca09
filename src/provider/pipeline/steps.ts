import { ApiError } from "../../api";
import { hasEnded, isPausedPipeline } from "../../schemas/pipeline-status";
import type { JobRun, Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import { PartlyDoneError, type Props } from "../handler";
import { compact, setOnly } from "../shared/json";
import { isMissing } from "../shared/not-found";
import { holdSecrets } from "../shared/secrets";
import { seenSoon } from "../time";
import type { PipelineArgs } from "./fields";
import { isAmong, withoutName } from "./removed-jobs";
import { runId, runLabel } from "./run-names";
import { startsAtOnce } from "./trigger";
import { waitForPipeline } from "./wait";

/** What is left to do once the pipeline is there. Each can be done again without harm. */
export const STEPS = ["stayPaused", "removeJobs", "start", "wait"] as const;
export type Step = (typeof STEPS)[number];

export const isStep = (value: unknown): value is Step => STEPS.some((step) => step === value);

/** The steps of a new pipeline; what the service has done by itself sends no request. */
export function stepsOf(args: PipelineArgs): Step[] {
	const wanted: Record<Step, boolean> = {
		stayPaused: !startsAtOnce(args),
		removeJobs: (args.removeJobs ?? []).length > 0,
		start: args.start,
		wait: args.start && args.wait === true,
	};
	return STEPS.filter((step) => wanted[step]);
}

/** Does the steps in their order. A failure keeps the pipeline, and which steps are left. */
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
				throw new PartlyDoneError(live.pipeline_id, outs(error.live, left), error.message);
			const why = error instanceof Error ? error.message : String(error);
			const name = `Pipeline "${live.name ?? live.pipeline_id}" in team "${args.teamName}"`;
			throw new PartlyDoneError(live.pipeline_id, outs(live, left), `${name} is there, but: ${why}`);
		}
	}
	return outs(live, []);
}

/** A step that came to an end that is none, with the pipeline as it is now. */
export class StepError extends Error {
	constructor(
		readonly live: Pipeline,
		reason: string,
	) {
		super(reason);
	}
}

const read = (call: Call, team: string, live: Pipeline): Promise<Pipeline> =>
	call.client.pipelines.status({ team_name: team, name: String(live.name) });

/** Pauses or resumes where that is needed, and looks until the service shows it. */
export async function setPaused(
	call: Call,
	team: string,
	live: Pipeline,
	wanted: boolean,
): Promise<Pipeline> {
	let now = live;
	let sent = false;
	for (const pause of [0, ...call.patience]) {
		if (pause > 0) {
			await call.time.sleep(pause);
			now = await read(call, team, live);
		}
		if (isPausedPipeline(now) === wanted) return now;
		if (sent) continue;
		sent = true;
		const target = { team_name: team, pipeline_id: live.pipeline_id };
		call.lists.drop(team);
		await (wanted ? call.client.pipelines.pause(target) : call.client.pipelines.resume(target));
	}
	throw new StepError(
		now,
		`The service accepted that pipeline "${live.name ?? ""}" in team "${team}" is ${wanted ? "paused" : "resumed"}, but ` +
			`shows it as ${now.status ?? "unknown"}. Run the command again; if it stays, look at the pipeline in the web UI.`,
	);
}

const runOf = ({ job_runs }: Pipeline, job: string): JobRun | undefined =>
	job_runs?.find((run) => [run.name, run.created_job_id, run.job_id].includes(job));

type DoStep = (call: Call, args: PipelineArgs, live: Pipeline, removed: Set<string>) => Promise<Pipeline>;

/** Takes the declared jobs out, each by one request that is not repeated, and notes for which it may be done. */
const removeJobs: DoStep = async (call, args, live, removed) => {
	let now = await read(call, args.teamName, live);
	for (const job of args.removeJobs ?? []) {
		const run = runOf(now, job);
		if (run === undefined && isAmong(removed, job)) continue;
		if (run === undefined) {
			const names = (now.job_runs ?? []).map((each) => runLabel(call, each)).join(", ");
			throw new StepError(
				now,
				`removeJobs: pipeline "${now.name ?? ""}" in team "${args.teamName}" has no job "${job}". Its jobs are ${names || "none"}. ` +
					"The pipeline stays as it is until that is right.",
			);
		}
		now = await removeRun(call, args, live, run, () => removed.add(job));
	}
	return now;
};

const DO: Readonly<Record<Step, DoStep>> = {
	stayPaused: (call, args, live) => setPaused(call, args.teamName, live, true),
	removeJobs,
	start: (call, args, live) => setPaused(call, args.teamName, live, false),
	wait: async (call, args, live) => {
		const { pipeline, problem } = await waitForPipeline(call, args, live);
		if (problem === undefined) return pipeline;
		const next = hasEnded(pipeline) ? "" : ' Run "pulumi up" again to go on waiting for it.';
		throw new StepError(pipeline, problem + next);
	},
};

async function removeRun(
	call: Call,
	args: PipelineArgs,
	live: Pipeline,
	run: JobRun,
	note: () => void,
): Promise<Pipeline> {
	const job_id = runId(run);
	const request = { team_name: args.teamName, pipeline_id: live.pipeline_id, job_id };
	call.lists.drop(args.teamName);
	try {
		await call.client.pipelines.removeJob(request);
	} catch (error) {
		const mayBeDone = error instanceof ApiError && error.received !== false;
		// Whether it was removed all the same is what the next read says.
		if (!mayBeDone && !isMissing(error)) throw error;
	}
	// From here on a job that is no longer there is not a mistake.
	note();
	const done = await seenSoon(call, async () => {
		const now = await read(call, args.teamName, live);
		return runOf(now, job_id) ? undefined : now;
	});
	if (done !== undefined) return done;
	throw new Error(
		`the service accepted that job "${runLabel(call, run)}" is removed, but still shows it. Run "pulumi up" again.`,
	);
}

/** The inputs, and what the service adds to them; never its settings or error texts, which may hold secrets. */
export function pipelineOuts(
	call: Call,
	inputs: Props,
	pipeline: Pipeline,
	{ pending, removedJobs }: { pending: readonly Step[]; removedJobs: readonly string[] },
): Props {
	// A dataset is the name of a run, and of what the pipeline was made from.
	const isSecret = holdSecrets(call, ["datasets", "removeJobs"]);
	const unlessSecret = (dataset: string | null | undefined) => (isSecret ? undefined : dataset);
	const removed = removedJobs.map((job) => (isSecret ? withoutName(job) : job));
	return compact({
		...inputs,
		name: pipeline.name,
		pipelineId: pipeline.pipeline_id,
		status: pipeline.status,
		jobRuns: (pipeline.job_runs ?? []).map((run) =>
			setOnly({ name: unlessSecret(run.name), status: run.status, jobId: runId(run) || undefined }),
		),
		completed: pipeline.completed,
		total: pipeline.total,
		triggeredFrom: unlessSecret(pipeline.triggered_from),
		createdAt: pipeline.created_at,
		// What a deployment that failed half-way has not done yet.
		pending: pending.length > 0 ? pending : undefined,
		removedJobs: removed.length > 0 ? removed : undefined,
		serviceUrl: call.serviceUrl,
	});
}
