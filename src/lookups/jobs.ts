import type * as pulumi from "@pulumi/pulumi";
import type { JobShown } from "../schemas/wire/results";
import { asOutput, type KeysOf, knownArgs, lookUp, results } from "./lookup";
import type { LookupOptions } from "./place";

/** A job. */
export interface JobResult extends JobShown {
	/** Names of its environment variables. */
	environmentNames: string[];
	/** With `withEnvironment`: all variables as one secret, because the service does not report which values are secret. */
	environment?: pulumi.Output<Record<string, string>>;
}

export interface GetJobsArgs {
	/** A status, or one of the groups `ACTIVE` and `INACTIVE`; case does not matter. */
	status?: string;
	/** Id of one job. */
	jobId?: string;
	/** Maximum number of jobs. Default: 20. */
	limit?: number;
	/** True adds the values of the environment variables, as a secret. Their names are always returned. */
	withEnvironment?: boolean;
}

const KEYS: KeysOf<GetJobsArgs> = { status: true, jobId: true, limit: true, withEnvironment: true };

/** The team's jobs, newest first. */
export async function getJobs(args: GetJobsArgs = {}, options?: LookupOptions): Promise<JobResult[]> {
	const { status, jobId, limit, withEnvironment } = knownArgs("getJobs", KEYS, args);
	const query = { status, job_id: jobId, limit };
	const all = await lookUp("getJobs", options, `jobs ${JSON.stringify(query)}`, (client) =>
		client.jobs.list(query),
	);
	return all.map((job) => results().jobResult(job, withEnvironment));
}

export const getJobsOutput = asOutput<GetJobsArgs, JobResult[]>(getJobs, KEYS);
