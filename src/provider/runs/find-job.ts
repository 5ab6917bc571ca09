import type { CallOptions } from "../../api";
import type { Job } from "../../schemas/wire/job";
import type { Call } from "../context";

/** Undefined where the service's list, asked for this very job, does not have it. */
export async function findJob(
	call: Call,
	team: string,
	id: string,
	options?: CallOptions,
): Promise<Job | undefined> {
	const jobs = await call.client.jobs.list({ team_name: team, job_id: id }, options);
	return jobs.find((job) => job.id === id);
}

/** A wait lasts as long as its own timeout, so its requests are not ended with the operation's minute. */
export const unhurried = (): CallOptions => ({ signal: new AbortController().signal });
