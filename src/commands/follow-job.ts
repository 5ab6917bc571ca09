import { randomBytes } from "node:crypto";
import type { OperationContext } from "../operations/context";
import { runAgain } from "../operations/create-once";
import { cleanOf } from "../operations/job-log";
import { waitForJob } from "../operations/job-wait";
import { type JobRequest, startJob } from "../operations/start-job";
import { timeoutOf } from "../operations/wait";
import { isFinishedJobStatus } from "../schemas/job";
import type { Job } from "../schemas/wire/job";
import { announceStart, type FollowOptions, reportEnd } from "./follow";
import { jobView, logText } from "./jobs";
import type { Session } from "./session";
import { progress } from "./terminal";

/** Starts a job with a tag of its own, by which it is found if the response is lost. */
export const startTagged = (
	context: OperationContext,
	request: JobRequest,
): Promise<Job> =>
	startJob(context, {
		request,
		tag: randomBytes(16).toString("hex"),
		advice: runAgain,
	});

/** Prints the id of a job that was started, or with --wait its log until it ends. */
export async function followJob(
	session: Session,
	context: OperationContext,
	options: FollowOptions,
	request: JobRequest,
	started: Job,
): Promise<void> {
	if (!options.wait) return session.print(jobView(started), () => `${started.id}\n`);
	announceStart(`Job ${started.id}`, started.url ?? undefined);
	const target = {
		team: request.team_name,
		jobId: started.id,
		label: started.name ?? "job",
		clean: cleanOf(Object.values(request.variables)),
		to: {
			text: (text: string) => {
				progress.clear();
				if (!options.json) process.stdout.write(logText(text));
			},
			status: progress.show,
		},
	};
	const {
		latest: job,
		problem,
		timedOut,
	} = await waitForJob(context, target, started, timeoutOf(options.timeout));
	await reportEnd(options, session.interrupt, {
		what: `Job ${job.id}`,
		hasEnded: isFinishedJobStatus(job.status),
		problem: problem?.split("\n")[0],
		timedOut: timedOut === true,
		exitCode: exitCodeOf(job),
		next: `Continue with "pulumi-datachain logs ${job.id} --follow".`,
		// The session's own client makes no calls after Ctrl-C.
		end: () => context.client.jobs.cancel({ job_id: job.id }),
		consequence: "asked to end",
	});
	if (options.json) session.print(jobView(job), () => "");
}

/** Of a job that failed. A process can only say eight bits, and of 256 they would say success. */
export const exitCodeOf = ({ exit_code: code }: Pick<Job, "exit_code">): number =>
	(code ?? 0) & 0xff || 1;
