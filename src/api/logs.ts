import { z } from "zod";
import { LONGEST_TIMER } from "../schemas/duration";
import { isFinishedJobStatus } from "../schemas/job";
import type { Caller } from "./call";
import { Clock, stopError } from "./clock";
import type { ConnectionSettings } from "./connection";
import {
	type ApiError,
	type CallFacts,
	errorCode,
	InvalidRequestError,
	LogStreamError,
	NetworkError,
	NotAuthenticatedError,
	NotAuthorizedError,
	TimeoutError,
	UnexpectedReplyError,
} from "./errors";
import { LogReader, LogSocket, type ReadEnd } from "./log-stream";
import { type CallOptions, type Limits, positive } from "./options";
import { proxyFor } from "./proxy";
import { backoffMillis, mayRetry, retryInfo } from "./queue";
import { type Secrets, secretsOf, whichObject } from "./redaction";
import { statusError } from "./reply";
import { followRequestSchema, problemsOf } from "./requests";

/** What to follow. */
export interface FollowLogsRequest {
	job_id: string;
	/** Default: the client's team. */
	team_name?: string | undefined;
	/** Passed on as it is. The log then ends when the service closes it, whether the job has ended or not. */
	no_follow?: boolean | undefined;
}

export interface FollowLogsOptions extends CallOptions {
	/**
	 * Told when as many connections in a row have failed as a call may make attempts. The log is then followed on
	 * until it is back, instead of being given up.
	 */
	readonly onInterrupted?: ((error: ApiError) => void) | undefined;
}

/** What a followed log gives: its lines in order, each once, and the job's status whenever it changes. */
export type LogEvent =
	| {
			readonly type: "line";
			/** The service's number of the line; lines from a stored log have none. */
			readonly id?: number;
			/** As the service sent it, usually with its newline. */
			readonly message: string;
	  }
	| { readonly type: "status"; readonly status: string };

interface FollowSettings {
	readonly connection: ConnectionSettings;
	readonly limits: Limits;
	readonly caller: Caller;
	/** Fires when the client is closed. */
	readonly closed: AbortSignal;
}

/**
 * Follows a job's log until the job has ended and its log is complete. Reconnects by itself; `deadlineMillis`
 * bounds the whole, and without it there is no limit.
 */
export function followLogs(
	settings: FollowSettings,
	request: FollowLogsRequest,
	options: FollowLogsOptions = {},
): AsyncIterableIterator<LogEvent> {
	const returned = new AbortController();

	async function* run(): AsyncGenerator<LogEvent, void, undefined> {
		const call = factsOf(settings, request);
		const checked = followRequestSchema.safeParse(request);
		if (!checked.success)
			throw InvalidRequestError.unsent({ ...call, attempts: 0 }, problemsOf(checked.error));
		const limit = positive("deadlineMillis", options.deadlineMillis ?? LONGEST_TIMER);
		const { signals } = settings.caller.scopes.endsOf(options);
		const clock = new Clock(limit, ...signals, settings.closed, returned.signal);
		try {
			yield* new LogFollower({ ...settings, ...options, clock, call, request: checked.data }).run();
		} catch (error) {
			if (!returned.signal.aborted) throw error;
		} finally {
			clock.close();
		}
	}

	const events = run();
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		next: () => events.next(),
		// A generator hears of `return` only when it next yields, which a quiet log may not do for hours.
		return: () => {
			returned.abort();
			return events.return();
		},
	};
}

function factsOf({ connection }: FollowSettings, request: FollowLogsRequest): CallFacts {
	const teamName = request.team_name ?? connection.teamName;
	return {
		what: `follow the log of a job${whichObject({ job_id: request.job_id })} in team ${JSON.stringify(teamName)}`,
		method: "GET",
		path: "/logs/follow/",
		attempts: 1,
		teamName,
		namesObject: true,
		receivedBefore: false,
		baseUrl: connection.baseUrl,
	};
}

export interface FollowerSettings extends FollowSettings, Pick<FollowLogsOptions, "onInterrupted"> {
	readonly clock: Clock;
	readonly call: CallFacts;
	readonly request: FollowLogsRequest;
}

/** The service pings; a connection without even that is dead. */
const SILENCE_MILLIS = 60_000;
/**
 * After the job's end the service closes. Where it does not, this much silence on the connection that told of the end
 * means that all has come.
 */
const GRACE_MILLIS = 5_000;
/** A connection that held this long is no sign of trouble when it ends, even if the job had nothing to say. */
const HEALTHY_MILLIS = 30_000;

const GOING_AWAY = 1001;
/** Normal, going away, and a close without a code. */
const ORDERLY: readonly number[] = [1000, GOING_AWAY, 1005];

/** Follows one job's log over as many connections as it takes. */
class LogFollower {
	private readonly reader: LogReader;
	private readonly secrets: Secrets;
	private finished = false;
	/** The status by the REST API, in case no connection brings it. */
	private endStatus = "";
	private failures = 0;

	constructor(private readonly settings: FollowerSettings) {
		this.secrets = secretsOf(settings.connection.token, {}, settings.caller.scopes.secrets);
		this.reader = new LogReader(settings, this.secrets);
	}

	async *run(): AsyncGenerator<LogEvent, void, undefined> {
		for (;;) {
			this.refuseStopped();
			const openedAt = performance.now();
			const before = this.reader.progress;
			const end = yield* this.connection();
			this.refuseStopped();
			if (this.isComplete(end)) break;
			// While the job runs it may have nothing to say; after its end a connection without news is no progress.
			const lasted = !this.finished && performance.now() - openedAt > HEALTHY_MILLIS;
			this.failures = this.reader.progress > before || lasted ? 1 : this.failures + 1;
			const call = { ...this.settings.call, attempts: this.failures };
			await this.pause(endError(end, call, this.secrets));
			await this.askStatus();
		}
		yield* this.reader.status(this.endStatus);
	}

	private async *connection(): AsyncGenerator<LogEvent, ReadEnd, undefined> {
		const { connection, request, call, limits, clock } = this.settings;
		const query = new URLSearchParams({
			job_id: request.job_id,
			team_name: request.team_name ?? connection.teamName,
			...(request.no_follow ? { no_follow: "true" } : {}),
		});
		const url = new URL(`${connection.baseUrl.replace(/^http/, "ws")}${call.path}?${query}`);
		let proxy: URL | undefined;
		try {
			proxy = proxyFor(url);
		} catch (error) {
			return { kind: "failed", code: errorCode(error) };
		}
		const socket = new LogSocket({
			url,
			proxy,
			headers: { authorization: `Bearer ${connection.token}`, "user-agent": limits.userAgent },
			handshakeTimeoutMillis: limits.attemptTimeoutMillis,
			signal: clock.signal,
		});
		this.reader.toldOfEnd = false;
		let heardAt = performance.now();
		try {
			for (;;) {
				const limit = this.reader.toldOfEnd ? GRACE_MILLIS : SILENCE_MILLIS;
				const left = Math.ceil(heardAt + limit - performance.now());
				const item = await socket.next(Math.max(0, left), !this.finished);
				if (typeof item !== "string") return item;
				const end = yield* this.reader.read(item);
				if (end) return end;
				this.finished ||= this.reader.toldOfEnd;
				// A job that has ended may be pinged for ever; only what it has to say counts then.
				if (!this.finished || this.reader.hadContent) heardAt = performance.now();
			}
		} finally {
			socket.close();
		}
	}

	/**
	 * Each connection sends the log from its beginning, so one that was opened or informed after the job's end and
	 * then closed in good order has brought everything. Silence, and the close of a service that goes away, mean that
	 * only on a connection that told of the end.
	 */
	private isComplete(end: ReadEnd): boolean {
		if (end.kind === "silent") return this.reader.toldOfEnd;
		if (end.kind !== "closed") return false;
		if (end.code === GOING_AWAY && !this.reader.toldOfEnd) return false;
		return ORDERLY.includes(end.code) && (this.finished || this.settings.request.no_follow === true);
	}

	/** Waits before the next connection, or throws the error if there will be none. */
	private async pause(error: ApiError): Promise<void> {
		const { limits, clock, onInterrupted } = this.settings;
		if (!mayRetry("always", error)) throw error;
		if (this.failures >= limits.maxAttempts && !onInterrupted) throw error;
		if (this.failures === limits.maxAttempts) onInterrupted?.(error);
		const delayMillis = error.retryAfterMillis ?? backoffMillis(this.failures, limits.random);
		if (delayMillis >= clock.leftMillis) throw error;
		limits.onRetry(retryInfo(error, this.failures, delayMillis));
		await clock.wait(delayMillis);
		this.refuseStopped();
	}

	/** A lost connection does not tell whether the job ended meanwhile; the REST API does. */
	private async askStatus(): Promise<void> {
		if (this.finished) return;
		const { caller, request, clock, limits } = this.settings;
		const { job_id, team_name } = request;
		try {
			const options = { signal: clock.signal, deadlineMillis: limits.attemptTimeoutMillis, untimed: true };
			const jobs = await caller.call("listJobs", { job_id, team_name, limit: 1 }, options);
			const job = jobs.find(({ id }) => id === job_id);
			if (job && isFinishedJobStatus(job.status)) {
				this.finished = true;
				this.endStatus = job.status;
			}
		} catch (error) {
			// Everything else shows, and is counted, when the next connection is tried.
			if (error instanceof NotAuthenticatedError || error instanceof NotAuthorizedError) throw error;
		}
	}

	private refuseStopped(): void {
		if (this.settings.clock.stopped) throw stopError(this.settings.call, this.settings.clock, "unknown");
	}
}

const TOO_BIG = 1009;
const POLICY = 1008;

/** The error to throw if the connection that ended so was the last one. */
function endError(end: ReadEnd, call: CallFacts, secrets: Secrets): ApiError {
	switch (end.kind) {
		case "refused":
			return statusError(end, call, secrets);
		case "closed":
			if (end.code === TOO_BIG) return tooBig(call);
			if (end.code === POLICY)
				return new LogStreamError(
					call,
					"the service closed the log as not permitted",
					"Check the token and the team.",
				);
			return new NetworkError(call, `WebSocket close ${end.code}`, "unknown");
		case "failed":
			if (end.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return tooBig(call);
			return new NetworkError(call, end.code, "unknown");
		case "broken-frame":
			return new UnexpectedReplyError(call, {
				why: "a part of the log does not have the documented form",
				received: true,
				transient: true,
			});
		case "silent":
			return new TimeoutError(call, "reply", "unknown", end.millis);
	}
}

const tooBig = (call: CallFacts) =>
	new LogStreamError(call, "a part of the log is larger than 2 MiB", "Read the log in the web UI.");

/** A job's log as far as the response could be read. */
export interface JobLogs {
	readonly text: string;
	readonly lines: readonly JobLogLine[];
	/** False for a response in a form that is not known; there may be a log all the same. */
	readonly isReadable: boolean;
}

export interface JobLogLine {
	readonly id?: number;
	readonly message: string;
}

const lineSchema = z.union([
	z.string().transform((message): JobLogLine => ({ message })),
	z
		.looseObject({ id: z.int().nullish(), message: z.string() })
		.transform(({ id, message }): JobLogLine => (typeof id === "number" ? { id, message } : { message })),
]);

/**
 * The API's reference does not show this reply. Taken are the forms the service uses elsewhere: `{"logs": …}`, a bare
 * array of lines, a JSON string and plain text. Anything else cannot be read.
 */
export function readJobLogs(reply: unknown): JobLogs {
	const logs = typeof reply === "object" && reply !== null && "logs" in reply ? reply.logs : reply;
	if (typeof logs === "string") return { text: logs, lines: splitLines(logs), isReadable: true };
	const { success: isReadable, data: lines = [] } = z.array(lineSchema).safeParse(logs ?? []);
	return { text: joinLines(lines), lines, isReadable };
}

function splitLines(text: string): JobLogLine[] {
	return (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((message) => ({ message }));
}

/** Lines of the service end in a newline of their own; if they do not, one is put between them. */
function joinLines(lines: readonly JobLogLine[]): string {
	return lines
		.map(({ message }, index) =>
			message.endsWith("\n") || index === lines.length - 1 ? message : `${message}\n`,
		)
		.join("");
}
