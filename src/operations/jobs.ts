import {
	type CallOptions,
	ConflictError,
	InvalidRequestError,
	isMissing,
} from "../client";
import { pollUntil } from "../client/read-back";
import type { Job } from "../schemas/wire/job";
import type { OperationContext } from "./context";

/** Undefined if the service's list, asked for this very job, does not have it. */
export async function findJob(
	{ client }: Pick<OperationContext, "client">,
	team: string,
	id: string,
	options?: CallOptions,
): Promise<Job | undefined> {
	const jobs = await client.jobs.list({ team_name: team, job_id: id }, options);
	return jobs.find((job) => job.id === id);
}

/** A job's name as a message has it. */
export const shownName = ({ name }: Pick<Job, "name">): string =>
	name ?? "without a name";

/** What tells whether the cancellation of a job is done. */
interface Cancellation {
	readonly team: string;
	/** Whether a job of this status ends, or has ended. */
	isEnding(status: string): boolean;
	/** Whether a replica may not have the job yet: it refuses to cancel it, and does not list it either. */
	mayBeUnlisted(): boolean;
}

/** Cancels the job unless it ends already, and reads until the service shows it. */
export async function cancelJob(
	context: OperationContext,
	live: Job,
	{ team, isEnding, mayBeUnlisted }: Cancellation,
): Promise<void> {
	if (isEnding(live.status)) return;
	const refused = await context.client.jobs
		.cancel({ team_name: team, job_id: live.id })
		.then(
			() => undefined,
			(error: unknown) => {
				// A refusal may say that the job has ended in the meantime; the read below tells whether that is so.
				if (
					isMissing(error) ||
					error instanceof ConflictError ||
					error instanceof InvalidRequestError
				)
					return error;
				throw error;
			},
		);
	const isGone = () => refused === undefined || !mayBeUnlisted();
	const now = await pollUntil(
		context,
		() => findJob(context, team, live.id),
		(job) => (job === undefined ? isGone() : isEnding(job.status)),
	);
	if (now === undefined || isEnding(now.status)) return;
	if (refused !== undefined) throw refused;
	throw new Error(
		`The service accepted the cancellation of job "${shownName(live)}" (id ${live.id}) in team "${team}", but shows it as ` +
			"running. Run the command again; if that does not help, cancel the job in the web UI.",
	);
}
