import type * as pulumi from "@pulumi/pulumi";
import { asOutput } from "./as-output";
import type { LookupOptions } from "./connection";
import { type KeysOf, knownArgs } from "./keys";
import { lookUp, results } from "./lookup";

/** A job. Its environment is always a secret Output, because the service does not tell which values are. */
export interface JobResult {
	id: string;
	/** Link to the job in the web interface. */
	url?: string;
	status: string;
	createdAt?: string;
	createdBy?: string;
	startedAt?: string;
	finishedAt?: string;
	/** The job's script. */
	query?: string;
	queryType?: string;
	team?: string;
	name?: string;
	workers?: number;
	pythonVersion?: string;
	requirements?: string;
	repository?: string;
	environment: pulumi.Output<Record<string, string>>;
	exitCode?: number;
	errorMessage?: string;
	errorStack?: string;
	params?: Record<string, unknown>;
	metrics?: Record<string, unknown>;
	parentJobId?: string;
	rerunFromJobId?: string;
	runGroupId?: string;
	computeClusterId?: number | string;
	computeClusterName?: string;
	steps?: Record<string, unknown>[];
}

export interface GetJobsArgs {
	/** A status, or one of the groups `ACTIVE` and `INACTIVE`; case does not matter. */
	status?: string;
	jobId?: string;
	/** How many at most; the service gives 20 unless told. */
	limit?: number;
}

const KEYS: KeysOf<GetJobsArgs> = { status: true, jobId: true, limit: true };

/** The team's jobs, newest first. */
export async function getJobs(args: GetJobsArgs = {}, options?: LookupOptions): Promise<JobResult[]> {
	const { status, jobId, limit } = knownArgs("getJobs", KEYS, args);
	const query = { status, job_id: jobId, limit };
	const all = await lookUp("getJobs", options, `jobs ${JSON.stringify(query)}`, (client) =>
		client.jobs.list(query),
	);
	return all.map(results().jobResult);
}

export const getJobsOutput = asOutput<GetJobsArgs, JobResult[]>(getJobs, KEYS);
