import { once } from "node:events";
import { ApiError, NotAuthenticatedError, NotAuthorizedError } from "../../api";
import { describeMillis } from "../../schemas/duration";
import { isFinishedJobStatus } from "../../schemas/job";
import type { Job } from "../../schemas/wire/job";
import type { Call } from "../context";
import { findJob, unhurried } from "./find-job";
import { LogLines, type LogTarget } from "./log-lines";

/** Pauses between looks at what is under way; the last one repeats. */
const PAUSES = [500, 1_000, 2_000, 3_000, 5_000] as const;
/** How long the service may fail to answer before a wait is given up. */
const SILENCE_MILLIS = 120_000;
/** How long the log of a job that has ended may take to be complete, over as many connections as it takes. */
const LOG_GRACE_MILLIS = 60_000;

export interface Waited {
	readonly job: Job;
	/** Why the wait ended without the job's success; undefined where it succeeded. */
	readonly problem: string | undefined;
	/** True where the time was up; a wait may also end by an interrupt, or because the service does not answer. */
	readonly timedOut: boolean;
}

/** Waits until the job ends, shows its status and its log meanwhile, and says how it ended. */
export async function waitForJob(
	call: Call,
	target: LogTarget,
	first: Job,
	timeoutMillis: number,
): Promise<Waited> {
	const log = new LogLines(call, target);
	try {
		const { latest, why, timedOut } = await untilEnded(
			call,
			timeoutMillis,
			async () => {
				const job = await findJob(call, target.team, target.jobId, unhurried());
				if (job !== undefined) log.status(job.status);
				return job;
			},
			(job) => isFinishedJobStatus(job.status),
			log.ended,
		);
		const job = latest ?? first;
		if (why !== undefined) {
			const problem = `${nameOf(job, target)} is ${job.status}, and ${why} It was left as it is.`;
			return { job, problem, timedOut };
		}
		const lines = await log.last(LOG_GRACE_MILLIS);
		return { job, problem: jobProblem(job, target, lines), timedOut };
	} finally {
		log.stop();
	}
}

/** Looks until it has ended; says why where the waiting ended first. */
export async function untilEnded<T>(
	call: Call,
	timeoutMillis: number,
	look: () => Promise<T | undefined>,
	isEnded: (found: T) => boolean,
	hint?: Promise<void>,
): Promise<{ latest: T | undefined; why: string | undefined; timedOut: boolean }> {
	const { time } = call;
	const deadline = time.now() + timeoutMillis;
	let [latest, seenAt, hinted]: [T | undefined, number, boolean] = [undefined, time.now(), false];
	const soon = hint?.then(() => {
		hinted = true;
	});
	const interrupted = once(call.interrupt, "abort");
	const result = (why: string | undefined, timedOut = false) => ({ latest, why, timedOut });
	for (let round = 0; ; round += 1) {
		const failure = await look().then(
			(found) => {
				if (found === undefined) return "the service does not show it.";
				[latest, seenAt] = [found, time.now()];
				return undefined;
			},
			(error: unknown) => {
				if (!(error instanceof ApiError)) throw error;
				if (error instanceof NotAuthenticatedError || error instanceof NotAuthorizedError) seenAt = -Infinity;
				return error.message;
			},
		);
		if (latest !== undefined && isEnded(latest)) return result(undefined);
		if (failure !== undefined && time.now() - seenAt > SILENCE_MILLIS) return result(failure);
		if (call.interrupt.aborted) return result("the deployment was interrupted.");
		const left = deadline - time.now();
		if (left <= 0) {
			return result(`it did not end within ${describeMillis(timeoutMillis)}, which is its timeout.`, true);
		}
		const woken = new AbortController();
		const length = Math.min(left, PAUSES[Math.min(round, PAUSES.length - 1)] ?? 0);
		const pause = time.sleep(length, woken.signal);
		// The log tells the end sooner than the next look, but only once.
		await Promise.race([pause, interrupted, ...(soon === undefined || hinted ? [] : [soon])]);
		woken.abort();
	}
}

const nameOf = (job: Job, { jobId, team }: LogTarget): string =>
	`Job "${job.name ?? "without a name"}" (id ${jobId}) in team "${team}"`;

/** Why the job is no success, with its error and its last lines; undefined where it is one. */
export function jobProblem(job: Job, target: LogTarget, lines: readonly string[]): string | undefined {
	if (["COMPLETE", "TASK"].includes(job.status.toUpperCase())) return undefined;
	const code = typeof job.exit_code === "number" ? ` with exit code ${job.exit_code}` : "";
	const error = job.error_message ? `: ${target.clean(job.error_message)}` : "";
	const log =
		lines.length === 0 ? "" : `\nThe last lines of its log:\n${lines.map((line) => `  ${line}`).join("\n")}`;
	return `${nameOf(job, target)} ended as ${job.status}${code}${error}${log}`;
}
