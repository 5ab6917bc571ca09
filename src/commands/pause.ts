import type { Command } from "commander";
import { ApiError, isMissing } from "../client";
import type { OperationContext } from "../operations/context";
import {
	getPipeline,
	hasJob,
	jobIdOf,
	jobsCalled,
	readUntilRemoved,
	sendRemoveJob,
	setPaused,
	severalJobs,
} from "../operations/pipelines";
import { isPausedPipeline } from "../schemas/pipeline-status";
import type { JobRun, Pipeline } from "../schemas/wire/pipeline";
import { shellWord } from "../text/report";
import { didYouMean } from "../text/suggest";
import { someOf } from "../text/wording";
import { pipelineView } from "./pipelines";
import { orPipelines, type Session, type TeamOptions, teamCommand } from "./session";
import { withOperations } from "./with-operations";

export function definePause(command: Command): Command {
	const isPause = command.name() === "pause";
	return teamCommand(command).action((name: string, options: TeamOptions) =>
		withOperations(options, async (session, operations) => {
			const { client } = session;
			const context = withClientOf(session, operations);
			const action = `${command.name()} pipeline ${JSON.stringify(name)}`;
			const sendUnseen = async (error: unknown): Promise<Pipeline> => {
				if (!isMissing(error)) throw error;
				// A replica that lags behind may miss what the service can pause all the same.
				await client.pipelines[isPause ? "pause" : "resume"]({ name });
				return afterWrite(
					action,
					name,
					getPipeline(context, client.teamName, name, true),
				);
			};
			const live = await orPipelines(
				client,
				name,
				client.pipelines.status({ name }).catch(sendUnseen),
			);
			// It was there a moment ago: a read that misses it lags behind.
			context.lists.noteNew(client.teamName, name);
			const done = setPaused(context, client.teamName, live, isPause);
			const now = await pipelineView(session, await afterWrite(action, name, done));
			session.print(now, () => `${now.name}: ${now.status}\n`);
		}),
	);
}

/**
 * The session's client, not that of the operations: here Ctrl-C ends every request, as there is nothing to clean up.
 */
const withClientOf = (
	{ client }: Session,
	operations: OperationContext,
): OperationContext => ({ ...operations, client });

/** What a write came to. A read that fails after it says nothing about the write, which was sent. */
const afterWrite = <T>(action: string, name: string, done: Promise<T>): Promise<T> =>
	done.catch((error: unknown) => {
		if (!(error instanceof ApiError && error.method === "GET")) throw error;
		throw new Error(
			`The request to ${action} was sent, but its outcome is unknown: ${error.summary} ` +
				`"pulumi-datachain pipelines ${shellWord(name)}" shows it.`,
			{ cause: error },
		);
	});

export const defineRemoveJob = (command: Command): Command =>
	teamCommand(command).action((name: string, job: string, options: TeamOptions) =>
		withOperations(options, async (session, operations) => {
			const { pipeline, run } = await removeJob(
				withClientOf(session, operations),
				name,
				job,
			);
			const view = await pipelineView(session, pipeline);
			const removed = {
				...view,
				removed: { id: jobIdOf(run), name: run.name ?? null },
			};
			session.print(
				removed,
				() =>
					`Removed job ${JSON.stringify(run.name ?? "")} (${jobIdOf(run)}) from pipeline ${JSON.stringify(name)}.\n`,
			);
		}),
	);

/** Removes a job, named by an id or by its dataset, and reads the pipeline until the job is gone. */
async function removeJob(context: OperationContext, name: string, job: string) {
	const { client } = context;
	const before = await orPipelines(client, name, client.pipelines.status({ name }));
	const run = removableRun(before, name, job);
	const jobId = jobIdOf(run);
	await sendRemoveJob(context, { name, job_id: jobId });
	const action = `remove job ${JSON.stringify(job)} from pipeline ${JSON.stringify(name)}`;
	const read = () => client.pipelines.status({ name });
	const pipeline = await afterWrite(
		action,
		name,
		readUntilRemoved(context, read, jobId),
	);
	if (!hasJob(pipeline, jobId)) return { pipeline, run };
	throw new Error(
		`The service still lists job ${JSON.stringify(job)} in pipeline ${JSON.stringify(name)} after the request to remove it. ` +
			`"pulumi-datachain pipelines ${shellWord(name)}" shows whether it still exists. If so, run the command again.`,
	);
}

/** The service removes only jobs that wait, and only from a paused pipeline. */
function removableRun(pipeline: Pipeline, name: string, job: string): JobRun {
	const runs = pipeline.job_runs ?? [];
	const called = jobsCalled(pipeline, job);
	const [first] = called;
	if (first === undefined) {
		const names = runs.map((each) => each.name ?? jobIdOf(each));
		const there =
			names.length === 0 ? "It has no jobs." : `Its jobs are ${someOf(names)}.`;
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
	const pending = called.filter(
		({ status }) => (status ?? "PENDING").toUpperCase() === "PENDING",
	);
	if (called.length > 1 && pending.length !== 1)
		throw new Error(`Pipeline ${JSON.stringify(name)} ${severalJobs(called, job)}`);
	const [run] = pending;
	if (run === undefined) {
		throw new Error(
			`Job ${JSON.stringify(first.name ?? job)} of pipeline ${JSON.stringify(name)} is ${first.status}, and only a PENDING job can be ` +
				`removed. "pulumi-datachain cancel ${jobIdOf(first)}" cancels a running job.`,
		);
	}
	return run;
}
