import { once } from "node:events";
import { z } from "zod";
import { ApiError, type CallOptions, NotAuthenticatedError, NotAuthorizedError } from "../api";
import { needlesFor, redact } from "../api/redaction";
import { withoutUrlCredentials } from "../schemas/credentials";
import { describeMillis, parseDuration } from "../schemas/duration";
import { isFinishedJobStatus } from "../schemas/job";
import type { Job } from "../schemas/wire/job";
import type { Call } from "./context";
import type { Props } from "./handler";
import { textsIn, valueAt } from "./secrets";
import type { Field } from "./table";

// ── The fields ──────────────────────────────────────────────────────────────────────────────────────────────────────

const DEFAULT_TIMEOUT = "1h";

/** How a deployment waits for what it started, which makes no difference to the service, and what starts it again. */
export const WAIT_FIELDS = {
	wait: { schema: z.boolean("must be true or false").optional(), change: "none" },
	timeout: {
		schema: z
			.union([z.string(), z.number()], { error: 'must be a string such as "30m", or a number of seconds' })
			.refine((value) => parseDuration(value) !== undefined, {
				error: 'must look like "90s", "30m" or "1h30m", or be a number of seconds, up to 24 days',
			})
			.optional(),
		change: "none",
	},
	/** Any value: another one runs it again. */
	triggers: { schema: z.unknown().optional(), change: "replace", hidden: true },
} as const satisfies Record<string, Field<never>>;

export const timeoutOf = (timeout: string | number | undefined): number =>
	parseDuration(timeout ?? DEFAULT_TIMEOUT) ?? 0;

// ── Waiting ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Pauses between looks at what is under way; the last one repeats. */
const PAUSES = [500, 1_000, 2_000, 3_000, 5_000] as const;
/** How long the service may fail to answer before a wait is given up. */
const SILENCE_MILLIS = 120_000;
/** How long the log of a job that has ended may take to be complete, over as many connections as it takes. */
const LOG_GRACE_MILLIS = 60_000;
/** The same for a job that had ended before anybody waited. */
const ENDED_MILLIS = 30_000;

/** A wait lasts as long as its own timeout, so its requests are not ended with the operation's minute. */
export const unhurried = (): CallOptions => ({ untimed: true });

/** Undefined if the service's list, asked for this very job, does not have it. */
export async function findJob(
	call: Call,
	team: string,
	id: string,
	options?: CallOptions,
): Promise<Job | undefined> {
	const jobs = await call.client.jobs.list({ team_name: team, job_id: id }, options);
	return jobs.find((job) => job.id === id);
}

/** A job or a pipeline that is waited for. */
interface Awaited<T> {
	/** `Job "a" (id 7) in team "ml"`. */
	which(now: T): string;
	look(): Promise<T | undefined>;
	isEnded(now: T): boolean;
	/** Why one that has ended is no success; undefined if it is one. */
	problem(ended: T): Promise<string | undefined>;
	/** Resolves when a look is likely to see the end. */
	readonly hint?: Promise<void> | undefined;
}

export interface Waited<T> {
	readonly latest: T;
	/** Why the wait ended without success; undefined if it succeeded. */
	readonly problem: string | undefined;
	/** True if the time was up; a wait may also end by an interrupt, or because the service does not answer. */
	readonly timedOut: boolean;
}

/** Shows status and log meanwhile. */
export async function waitForJob(
	call: Call,
	target: LogTarget,
	first: Job,
	timeoutMillis: number,
): Promise<Waited<Job>> {
	const log = new LogLines(call, target);
	try {
		return await waitFor(call, first, timeoutMillis, {
			which: (job) => nameOf(job, target),
			look: async () => {
				const job = await findJob(call, target.team, target.jobId, unhurried());
				if (job !== undefined) log.status(job.status);
				return job;
			},
			isEnded: ({ status }) => isFinishedJobStatus(status),
			problem: async (job) => jobProblem(job, target, await log.last(LOG_GRACE_MILLIS)),
			hint: log.ended,
		});
	} finally {
		log.stop();
	}
}

/** Why a job that ended before anybody waited is no success; its log is read only to explain a failure. */
export const problemOfEnded = async (call: Call, target: LogTarget, job: Job): Promise<string | undefined> =>
	isSuccess(job) ? undefined : jobProblem(job, target, await lastLines(call, target));

/** Looks until it has ended, and judges how; says why if the waiting ended first. */
export async function waitFor<T extends { readonly status?: string | null | undefined }>(
	call: Call,
	first: T,
	timeoutMillis: number,
	{ which, look, isEnded, problem, hint }: Awaited<T>,
): Promise<Waited<T>> {
	const { time } = call;
	const deadline = time.now() + timeoutMillis;
	let [latest, seenAt, isSeen, hinted] = [first, time.now(), false, false];
	const soon = hint?.then(() => {
		hinted = true;
	});
	const gaveUp = (why: string, timedOut = false) => ({
		latest,
		problem: `${which(latest)} is ${latest.status}, and ${why} It was left as it is.`,
		timedOut,
	});
	for (let round = 0; ; round += 1) {
		const failure = await look().then(
			(found) => {
				if (found === undefined) return "the service does not show it.";
				[latest, seenAt, isSeen] = [found, time.now(), true];
				return undefined;
			},
			(error: unknown) => {
				if (!(error instanceof ApiError)) throw error;
				if (error instanceof NotAuthenticatedError || error instanceof NotAuthorizedError) seenAt = -Infinity;
				return error.message;
			},
		);
		if (isSeen && isEnded(latest)) return { latest, problem: await problem(latest), timedOut: false };
		if (failure !== undefined && time.now() - seenAt > SILENCE_MILLIS) return gaveUp(failure);
		if (call.interrupt.aborted) return gaveUp("the deployment was interrupted.");
		const left = deadline - time.now();
		if (left <= 0) {
			return gaveUp(`it did not end within ${describeMillis(timeoutMillis)}, which is its timeout.`, true);
		}
		const woken = new AbortController();
		const length = Math.min(left, PAUSES[Math.min(round, PAUSES.length - 1)] ?? 0);
		// It listens for this pause only: a signal that outlives the wait must not collect listeners.
		const interrupted = once(call.interrupt, "abort", { signal: woken.signal }).catch(() => undefined);
		const pause = time.sleep(length, woken.signal);
		// The log tells the end sooner than the next look, but only once.
		await Promise.race([pause, interrupted, ...(soon === undefined || hinted ? [] : [soon])]);
		woken.abort();
	}
}

const nameOf = (job: Job, { jobId, team }: LogTarget): string =>
	`Job "${shownName(job)}" (id ${jobId}) in team "${team}"`;

export const shownName = ({ name }: Pick<Job, "name">): string => name ?? "without a name";

const isSuccess = ({ status }: Job): boolean => ["COMPLETE", "TASK"].includes(status.toUpperCase());

/** Why the job is no success, with its error and its last lines; undefined if it is one. */
function jobProblem(job: Job, target: LogTarget, lines: readonly string[]): string | undefined {
	if (isSuccess(job)) return undefined;
	const code = typeof job.exit_code === "number" ? ` with exit code ${job.exit_code}` : "";
	const error = job.error_message ? `: ${oneLine(target.clean(job.error_message))}` : "";
	const log =
		lines.length === 0 ? "" : `\nThe last lines of its log:\n${lines.map((line) => `  ${line}`).join("\n")}`;
	return `${nameOf(job, target)} ended as ${job.status}${code}${error}${log}`;
}

// ── Its log ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** As many lines of one job are shown while it runs; who writes more reads it elsewhere. */
const MOST_SHOWN = 1_000;
const LAST_LINES = 20;
/** A line that does not end is shown in pieces of this many characters. */
const LONGEST_PIECE = 65_536;

export interface LogTarget {
	readonly team: string;
	readonly jobId: string;
	/** How its lines are marked: the resource's name. */
	readonly label: string;
	/** Takes secrets out of what the job wrote. */
	readonly clean: Clean;
	/**
	 * Where its text, as the job wrote it but for secrets, and its status go. If omitted, its lines go to the deployment's own
	 * output, with the label, and with a bound.
	 */
	readonly to?: { text(text: string): void; status(status: string): void };
}

/** Shows a job's log while it grows, and keeps its end. Never fails: a log that cannot be followed is told once. */
export class LogLines {
	private readonly kept: string[] = [];
	private shown = 0;
	/** What has come of a line that goes on in the next message. */
	private begun = "";
	private lastStatus = "";
	private readonly stopping = new AbortController();
	private readonly done: Promise<void>;
	private tellEnd: () => void = () => {};
	/** Resolves when the log says that the job has ended, or breaks off for good. */
	readonly ended = new Promise<void>((resolve) => {
		this.tellEnd = resolve;
	});

	constructor(
		private readonly call: Call,
		private readonly target: LogTarget,
	) {
		this.done = this.follow();
	}

	/** The status as the log or a look at the job tells it; each is shown once. */
	status(status: string): void {
		if (status === this.lastStatus) return;
		this.lastStatus = status;
		const { to, label, jobId } = this.target;
		if (to !== undefined) to.status(status);
		else this.call.line(`${label}: job ${jobId} is ${status}`);
	}

	/** The last lines, once the log is complete, or as far as it came within the grace time. */
	async last(graceMillis: number): Promise<readonly string[]> {
		await Promise.race([this.done, this.call.time.sleep(graceMillis, this.stopping.signal)]);
		this.stop();
		this.endLine();
		return this.kept;
	}

	stop(): void {
		this.stopping.abort();
	}

	/** The client follows on over interruptions: the job goes on meanwhile. */
	private async follow(): Promise<void> {
		const { team, jobId, label } = this.target;
		const { signal } = this.stopping;
		const request = { team_name: team, job_id: jobId };
		const tell = (error: ApiError) =>
			this.call.notice(`${label}: its log cannot be followed. ${error.message}`);
		try {
			const options = { ...unhurried(), signal, onInterrupted: tell };
			for await (const event of this.call.client.jobs.followLogs(request, options)) {
				if (event.type === "line") this.take(event.message);
				else {
					this.status(event.status);
					if (isFinishedJobStatus(event.status)) this.tellEnd();
				}
			}
		} catch (error) {
			if (!(error instanceof ApiError)) throw error;
			if (!signal.aborted) tell(error);
		} finally {
			this.endLine();
			this.tellEnd();
		}
	}

	/** A message ends where it ends: its lines have line breaks of their own, and a secret may lie across two messages. */
	private take(message: string): void {
		const lines = (this.begun + message).split("\n");
		this.begun = lines.pop() ?? "";
		for (const line of lines) this.show(line);
		if (this.begun.length > LONGEST_PIECE) this.endLine("");
	}

	private endLine(end = "\n"): void {
		if (this.begun !== "") this.show(this.begun, end);
		this.begun = "";
	}

	private show(raw: string, end = "\n"): void {
		const { label, clean, to } = this.target;
		const text = clean(raw);
		const line = oneLine(text);
		this.kept.push(line);
		if (this.kept.length > LAST_LINES) this.kept.shift();
		this.shown += 1;
		if (to !== undefined) to.text(text + end);
		else if (this.shown <= MOST_SHOWN) this.call.line(`${label} | ${line}`);
		else if (this.shown === MOST_SHOWN + 1)
			this.call.line(`${label} | … more than ${MOST_SHOWN} lines; the rest is not shown here`);
	}
}

/** The last lines of a job that has ended, for a message; none if they cannot be read. */
export const lastLines = (call: Call, target: LogTarget): Promise<readonly string[]> =>
	new LogLines(call, { ...target, to: { text: () => {}, status: () => {} } }).last(ENDED_MILLIS);

const LONGEST_LINE = 2_000;

export type Clean = (text: string) => string;

/** What a job writes may repeat the secrets it was given; they are taken out. */
export function redactedFor({ secrets }: Pick<Call, "secrets">, inputs: Props): Clean {
	const texts = new Set(secrets.flatMap((path) => textsIn(valueAt(inputs, path))));
	const needles = [...texts].flatMap(needlesFor);
	return (text) => withoutUrlCredentials(redact(text, needles));
}

/** A line that is fit for a message. Its indentation stays, because tracebacks mean something by it. */
export function oneLine(text: string): string {
	const line = text
		.replaceAll("\t", "    ")
		.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
		.trimEnd();
	return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE).replace(/\p{Cs}/u, "")}…` : line;
}
