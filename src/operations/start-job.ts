import type { CallOptions } from "../client";
import { pollUntilDefinedAfterWrite } from "../client/read-back";
import { renderEnvironment } from "../schemas/environment";
import type { Job } from "../schemas/wire/job";
import type { ListMoment, OperationContext } from "./context";
import {
	type CreateRequest,
	createExactlyOnce,
	failureIsUndefined,
} from "./create-once";
import { findJob, shownName } from "./jobs";

/** A variable in the job's environment. Its value is a tag, by which the job is found if its id never arrives. */
export const JOB_TAG = "PULUMI_DATACHAIN_JOB";

/** The jobs that have the tag, or one that begins with it. The jobs of a task inherit the tag, and name the task as their parent. */
export const jobsWithTag = (jobs: readonly Job[], tag: string): Job[] =>
	jobs.filter(({ environment, parent_job_id }) => {
		const own = environment?.[JOB_TAG];
		return !parent_job_id && (own === tag || own?.startsWith(`${tag}-`) === true);
	});

type CreateJob = Parameters<OperationContext["client"]["jobs"]["create"]>[0];

/** What a create request carries, and its variables, which get the tag. */
export interface JobRequest extends Omit<CreateJob, "environment" | "team_name"> {
	readonly team_name: string;
	readonly variables: Readonly<Record<string, string>>;
}

interface JobStart extends Pick<CreateRequest<unknown, Job>, "advice"> {
	readonly request: JobRequest;
	/** No other job has it. */
	readonly tag: string;
}

/** Sends the job once; a lost response is found by its tag. */
export function startJob(
	context: OperationContext,
	{ request, tag, advice }: JobStart,
): Promise<Job> {
	const { variables, ...fields } = request;
	const team = request.team_name;
	const body = {
		...fields,
		environment: renderEnvironment({ ...variables, [JOB_TAG]: tag }),
	};
	const identify = async ({ id }: Job) => {
		const live = await pollUntilDefinedAfterWrite(context, "Job", () =>
			findJob(context, team, id).catch(failureIsUndefined),
		);
		// Without an environment in the list, the id in the response is all there is; an id with another tag is foreign.
		const isOurs = live?.environment == null || live.environment[JOB_TAG] === tag;
		return (
			(isOurs ? live : undefined) ?? "the response named no job that could be read."
		);
	};
	const candidates = async (since?: ListMoment) => {
		const [oldest] = jobsWithTag(
			await context.lists.jobs(team, since ?? "now"),
			tag,
		).reverse();
		return oldest === undefined ? [] : [oldest];
	};
	return createExactlyOnce(context, {
		subject: `job "${shownName({ name: request.query_name })}"`,
		team,
		listedBy: "jobs",
		send: (options: CallOptions) => context.client.jobs.create(body, options),
		identify,
		candidates,
		describe: (job) => `job "${shownName(job)}" (id ${job.id})`,
		advice,
	});
}
