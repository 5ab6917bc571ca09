import { asOutput, checkedArgs, type KeysOf, lookUp, resultsModule } from "./lookup";
import type { LookupOptions } from "./place";
import type { JobResult } from "./result-types";

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

const KEYS: KeysOf<GetJobsArgs> = {
	status: true,
	jobId: true,
	limit: true,
	withEnvironment: true,
};

export interface GetJobsResult {
	/** The jobs that match. */
	jobs: JobResult[];
}

/**
 * The team's jobs, newest first.
 *
 * ```ts
 * datachain.getJobsOutput({ status: "ACTIVE", limit: 5 }).jobs
 * ```
 */
export async function getJobs(
	args: GetJobsArgs = {},
	options?: LookupOptions,
): Promise<GetJobsResult> {
	const { status, jobId, limit, withEnvironment } = checkedArgs("getJobs", KEYS, args);
	const query = { status, job_id: jobId, limit };
	const all = await lookUp(
		"getJobs",
		options,
		`jobs ${JSON.stringify(query)}`,
		(client) => client.jobs.list(query),
	);
	if (all.length === 0 && status !== undefined)
		resultsModule().warnOfStatuses("getJobs", [status.toUpperCase()]);
	return { jobs: all.map((job) => resultsModule().jobResult(job, withEnvironment)) };
}

export const getJobsOutput = asOutput<GetJobsArgs, GetJobsResult>(getJobs, KEYS);
