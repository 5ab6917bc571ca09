import { isFinishedJobStatus } from "../schemas/job";
import type { Job } from "../schemas/wire/job";
import type { OperationContext } from "./context";
import { LogLines, type LogTarget, lastLines, oneLine } from "./job-log";
import { findJob, shownName } from "./jobs";
import { unhurried, type Waited, waitFor } from "./wait";

/** How long the log of a job that has ended may take to be complete, over as many connections as it takes. */
const LOG_GRACE_MILLIS = 60_000;

/** Shows status and log meanwhile. */
export async function waitForJob(
	context: OperationContext,
	target: LogTarget,
	first: Job,
	timeoutMillis: number,
): Promise<Waited<Job>> {
	const log = new LogLines(context, target);
	try {
		return await waitFor(context, first, timeoutMillis, {
			describe: (job) => nameOf(job, target),
			look: async () => {
				const job = await findJob(context, target.team, target.jobId, unhurried());
				if (job !== undefined) log.status(job.status);
				return job;
			},
			isEnded: ({ status }) => isFinishedJobStatus(status),
			problem: async (job) => jobProblem(job, target, await log.last(LOG_GRACE_MILLIS)),
			hint: log.whenEnded,
		});
	} finally {
		log.stop();
	}
}

/** Why a job that ended before anybody waited is no success; its log is read only to explain a failure. */
export const problemOfEnded = async (
	context: OperationContext,
	target: LogTarget,
	job: Job,
): Promise<string | undefined> =>
	isSuccess(job)
		? undefined
		: jobProblem(job, target, await lastLines(context, target));

const nameOf = (job: Job, { jobId, team }: LogTarget): string =>
	`Job "${shownName(job)}" (id ${jobId}) in team "${team}"`;

const isSuccess = ({ status }: Job): boolean =>
	["COMPLETE", "TASK"].includes(status.toUpperCase());

/** Why the job is no success, with its error and its last lines; undefined if it is one. */
function jobProblem(
	job: Job,
	target: LogTarget,
	lines: readonly string[],
): string | undefined {
	if (isSuccess(job)) return undefined;
	const code =
		typeof job.exit_code === "number" ? ` with exit code ${job.exit_code}` : "";
	const error = job.error_message
		? `: ${oneLine(target.clean(job.error_message))}`
		: "";
	const log =
		lines.length === 0
			? ""
			: `\nThe last lines of its log:\n${lines.map((line) => `  ${line}`).join("\n")}`;
	return `${nameOf(job, target)} ended as ${job.status}${code}${error}${log}`;
}
