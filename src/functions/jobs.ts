import type * as pulumi from "@pulumi/pulumi";
import { asOutput, type KeysOf, knownArgs, lookUp, results } from "./lookup";
import type { LookupOptions } from "./place";

/** A job. */
export interface JobResult {
	/** The service's id of the job. */
	id: string;
	/** Link to the job in the web interface. */
	url?: string;
	/** Status of the job, such as `RUNNING` or `COMPLETE`. */
	status: string;
	/** When it was created. */
	createdAt?: string;
	/** User name of who created it. */
	createdBy?: string;
	/** When it started. */
	startedAt?: string;
	/** When it ended. */
	finishedAt?: string;
	/** The job's script. */
	query?: string;
	/** `PYTHON` or `SHELL`. */
	queryType?: string;
	/** Name of its team. */
	team?: string;
	/** Name of the job. */
	name?: string;
	/** Number of its workers. */
	workers?: number;
	/** Python version that it runs with. */
	pythonVersion?: string;
	/** Packages that it installs. */
	requirements?: string;
	/** Repository that it clones, without credentials. */
	repository?: string;
	/** Names of its environment variables. */
	environmentNames: string[];
	/** With `withEnvironment`: all variables as one secret, because the service does not report which values are secret. */
	environment?: pulumi.Output<Record<string, string>>;
	/** Exit code of its script. */
	exitCode?: number;
	/** Why it failed. */
	errorMessage?: string;
	/** Stack trace of the failure. */
	errorStack?: string;
	/** Parameters that it was started with. */
	params?: Record<string, unknown>;
	/** Metrics that it reported. */
	metrics?: Record<string, unknown>;
	/** Id of the job that started it. */
	parentJobId?: string;
	/** Id of the job that it runs again. */
	rerunFromJobId?: string;
	/** Id that a job and its reruns share. */
	runGroupId?: string;
	/** Id of its compute cluster. */
	computeClusterId?: number | string;
	/** Name of its compute cluster. */
	computeClusterName?: string;
	/** Its steps, as the service reports them. */
	steps?: Record<string, unknown>[];
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
