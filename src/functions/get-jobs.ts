import * as pulumi from "@pulumi/pulumi";
import { type CamelKeys, camelKeys } from "../schemas/camel";
import { jobSchema, type Job as WireJob } from "../schemas/job";
import { asOutput, type LookupOptions, lookUp } from "./lookup";

/** A job. Its environment is always a secret Output, because the service does not tell which values are. */
export type JobResult = Omit<CamelKeys<WireJob>, "environment"> & {
	environment: pulumi.Output<Record<string, string>>;
};

export interface GetJobsArgs {
	/** A status, or one of the groups `ACTIVE` and `INACTIVE`; case does not matter. */
	status?: string;
	jobId?: string;
	/** How many at most; the service gives 20 unless told. */
	limit?: number;
}

/** The team's jobs, newest first. */
export async function getJobs(args: GetJobsArgs = {}, options?: LookupOptions): Promise<JobResult[]> {
	const query = { status: args.status, job_id: args.jobId, limit: args.limit };
	const all = await lookUp(options, `jobs ${JSON.stringify(query)}`, (client) => client.jobs.list(query));
	return all.map((job) => {
		const { environment, ...rest } = camelKeys(jobSchema, job);
		return { ...rest, environment: pulumi.secret((environment ?? {}) as Record<string, string>) };
	});
}

export const getJobsOutput = asOutput<GetJobsArgs, JobResult[]>(getJobs);
