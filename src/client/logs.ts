import { isFinishedJobStatus, type LogFrame, logFrameSchema } from "../schemas/job";
import { LONGEST_TIMER } from "../text/duration";
import type { Caller } from "./call";
import { Clock, stopError } from "./clock";
import {
	type ApiError,
	type CallFacts,
	errorCode,
	InvalidRequestError,
	LogStreamError,
	NotAuthenticatedError,
	NotAuthorizedError,
	UnexpectedReplyError,
} from "./errors";
import { LogSocket, linesFrom, type SocketEnd, storedLogUrl } from "./log-stream";
import { NetworkError, TimeoutError } from "./network-errors";
import { type CallOptions, positive } from "./options";
import { proxyFor } from "./proxy";
import { delayAfter, retryInfo } from "./queue";
import { cleanServerMessage, type Secrets, secretsOf } from "./redaction";
import { parseJson, statusError } from "./reply";
import { followRequestSchema, problemsOf } from "./requests";
import { codeOf, download } from "./transport";

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

/**
 * Follows a job's log until the job has ended and its log is complete. Reconnects by itself; `deadlineMillis`
 * bounds the whole, and without it there is no limit.
 */
export function followLogs(
	caller: Caller,
	request: FollowLogsRequest,
	options: FollowLogsOptions = {},
): AsyncIterableIterator<LogEvent> {
	const returned = new AbortController();

	async function* run(): AsyncGenerator<LogEvent, void, undefined> {
		const where = { method: "GET", path: "/logs/follow/" } as const;
		const call = caller.facts("follow the log of a job", { ...request }, where);
		const checked = followRequestSchema.safeParse(request);
		if (!checked.success)
			throw InvalidRequestError.unsent(call, problemsOf(checked.error));
		call.attempts = 1;
		const limit = positive("deadlineMillis", options.deadlineMillis ?? LONGEST_TIMER);
		const { signals } = caller.scopes.endsOf(options);
		const clock = new Clock(limit, ...signals, returned.signal);
		try {
			yield* new LogFollower({
				...options,
				caller,
				clock,
				call,
				request: checked.data,
			}).run();
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

interface FollowerSettings extends Pick<FollowLogsOptions, "onInterrupted"> {
	readonly caller: Caller;
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

/** How reading a connection ended; the last is found in its frames. */
type ReadEnd = SocketEnd | { readonly kind: "broken-frame" };

/** Follows one job's log over as many connections as it takes. */
class LogFollower {
	/** Texts that must not appear in a message. */
	private readonly secrets: Secrets;
	/** A connection sends everything from the beginning; numbers tell which live lines are new. */
	private lastId = Number.NEGATIVE_INFINITY;
	/** How much of the log was delivered; a stored log is read from there on. */
	private bytes = 0;
	private storedLogRead = false;
	private latest: string | undefined;
	private finished = false;
	/** True once the current connection has told of the job's end. */
	private toldOfEnd = false;
	/** The status by the REST API, in case no connection brings it. */
	private endStatus = "";
	/** Connections in a row that have failed; an event delivered in between counts them anew. */
	private failures = 0;

	constructor(private readonly settings: FollowerSettings) {
		this.secrets = secretsOf(
			settings.caller.settings.token,
			{},
			settings.caller.scopes.secrets,
		);
	}

	async *run(): AsyncGenerator<LogEvent, void, undefined> {
		for (;;) {
			this.refuseStopped();
			const openedAt = performance.now();
			const end = yield* this.connection();
			this.refuseStopped();
			if (this.isComplete(end)) break;
			// While the job runs it may have nothing to say; after its end a connection without news is no progress.
			if (!this.finished && performance.now() - openedAt > HEALTHY_MILLIS)
				this.failures = 0;
			this.failures += 1;
			const call = { ...this.settings.call, attempts: this.failures };
			await this.pause(endError(end, call, this.secrets));
			await this.askStatus();
		}
		yield* this.status(this.endStatus);
	}

	private async *connection(): AsyncGenerator<LogEvent, ReadEnd, undefined> {
		const { caller, request, call, clock } = this.settings;
		const { baseUrl, token, limits } = caller.settings;
		const query = new URLSearchParams({
			job_id: request.job_id,
			team_name: call.teamName,
			...(request.no_follow ? { no_follow: "true" } : {}),
		});
		const url = new URL(`${baseUrl.replace(/^http/, "ws")}${call.path}?${query}`);
		let proxy: URL | undefined;
		try {
			proxy = proxyFor(url);
		} catch (error) {
			return { kind: "failed", code: errorCode(error) };
		}
		const socket = new LogSocket({
			url,
			proxy,
			headers: { authorization: `Bearer ${token}`, "user-agent": limits.userAgent },
			handshakeTimeoutMillis: limits.attemptTimeoutMillis,
			signal: clock.signal,
		});
		this.toldOfEnd = false;
		try {
			await socket.opened;
			let heardAt = performance.now();
			for (;;) {
				const limit = this.toldOfEnd ? GRACE_MILLIS : SILENCE_MILLIS;
				const left = Math.ceil(heardAt + limit - performance.now());
				const item = await socket.next(Math.max(0, left));
				if (typeof item !== "string") return item;
				const { data: frame } = logFrameSchema.safeParse(parseJson(item));
				if (!frame) return { kind: "broken-frame" };
				const end = yield* this.read(frame);
				if (end) return end;
				this.finished ||= this.toldOfEnd;
				// A job that has ended may be pinged for ever; only what it has to say counts then.
				if (!this.finished || hasContent(frame)) heardAt = performance.now();
			}
		} finally {
			socket.close();
		}
	}

	/** The events of one frame; returns how reading ended if this frame ends it. */
	private async *read(
		frame: LogFrame,
	): AsyncGenerator<LogEvent, ReadEnd | undefined, undefined> {
		const { logs, log_blobs: blobs, job, message } = frame;
		if (typeof message === "string" && !hasContent(frame) && frame.type !== "ping") {
			const says = cleanServerMessage({ message }, this.secrets);
			const next = "Check the job's id and the team.";
			throw new LogStreamError(
				this.settings.call,
				"the service ended the log",
				next,
				says,
			);
		}
		if (logs && !this.storedLogRead) yield* this.lines(logs);
		if (blobs && blobs.length > 0 && !this.storedLogRead) {
			const failure = yield* this.storedLog(blobs);
			if (failure) return failure;
		}
		if (job) {
			this.toldOfEnd ||= isFinishedJobStatus(job.status);
			yield* this.status(job.status);
		}
		return undefined;
	}

	/** The status as an event, if it differs from the last one. */
	private *status(status: string): Generator<LogEvent, void, undefined> {
		if (status === "" || status === this.latest) return;
		this.latest = status;
		this.failures = 0;
		yield { type: "status", status };
	}

	private *lines(
		logs: NonNullable<LogFrame["logs"]>,
	): Generator<LogEvent, void, undefined> {
		for (const { id, message } of [...logs].sort((a, b) => a.id - b.id)) {
			if (id <= this.lastId) continue;
			this.lastId = id;
			this.bytes += Buffer.byteLength(message);
			this.failures = 0;
			yield { type: "line", id, message };
		}
	}

	/** The service stores the whole log of a job that ended, and what it sends live after that is in there too. */
	private async *storedLog(
		blobs: readonly string[],
	): AsyncGenerator<LogEvent, ReadEnd | undefined, undefined> {
		const { caller, call, clock } = this.settings;
		const { attemptTimeoutMillis } = caller.settings.limits;
		const urls = blobs.flatMap((blob) => storedLogUrl(blob) ?? []);
		if (urls.length < blobs.length) {
			// The address itself may be signed, so it is not repeated.
			throw new LogStreamError(
				call,
				"the service points to a stored log at an address that is neither https nor on this machine",
				"Ask the operator of the service to store logs behind https.",
			);
		}
		async function* downloads(): AsyncGenerator<Buffer, void, undefined> {
			for (const url of urls) yield* download(url, attemptTimeoutMillis, clock.signal);
		}
		try {
			for await (const message of linesFrom(this.bytes, downloads())) {
				this.bytes += Buffer.byteLength(message);
				this.failures = 0;
				yield { type: "line", message };
			}
		} catch (error) {
			return { kind: "failed", code: `stored log: ${codeOf(error)}` };
		}
		this.storedLogRead = true;
		return undefined;
	}

	/**
	 * Each connection sends the log from its beginning, so one that was opened or informed after the job's end and
	 * then closed in good order has brought everything. Silence, and the close of a service that goes away, mean that
	 * only on a connection that told of the end.
	 */
	private isComplete(end: ReadEnd): boolean {
		if (end.kind === "silent") return this.toldOfEnd;
		if (end.kind !== "closed") return false;
		if (end.code === GOING_AWAY && !this.toldOfEnd) return false;
		return (
			ORDERLY.includes(end.code) &&
			(this.finished || this.settings.request.no_follow === true)
		);
	}

	/** Waits before the next connection, or throws the error if there will be none. */
	private async pause(error: ApiError): Promise<void> {
		const { caller, clock, onInterrupted } = this.settings;
		const { limits } = caller.settings;
		if (!error.transient) throw error;
		if (this.failures >= limits.maxAttempts && !onInterrupted) throw error;
		if (this.failures === limits.maxAttempts) onInterrupted?.(error);
		const delayMillis = delayAfter(this.failures, error, clock, limits);
		if (delayMillis === undefined) throw error;
		limits.onRetry(retryInfo(error, this.failures, delayMillis));
		await clock.wait(delayMillis);
		this.refuseStopped();
	}

	/** A lost connection does not tell whether the job ended meanwhile; the REST API does. */
	private async askStatus(): Promise<void> {
		if (this.finished) return;
		const { caller, request, clock } = this.settings;
		const deadlineMillis = caller.settings.limits.attemptTimeoutMillis;
		const { job_id, team_name } = request;
		try {
			const options = { signal: clock.signal, deadlineMillis, untimed: true };
			const jobs = await caller.call(
				"listJobs",
				{ job_id, team_name, limit: 1 },
				options,
			);
			const job = jobs.find(({ id }) => id === job_id);
			if (job && isFinishedJobStatus(job.status)) {
				this.finished = true;
				this.endStatus = job.status;
			}
		} catch (error) {
			// Everything else shows, and is counted, when the next connection is tried.
			if (error instanceof NotAuthenticatedError || error instanceof NotAuthorizedError)
				throw error;
		}
	}

	private refuseStopped(): void {
		if (this.settings.clock.stopped)
			throw stopError(this.settings.call, this.settings.clock, "unknown");
	}
}

/** Whether a frame is more than a ping. */
const hasContent = ({ logs, log_blobs, job }: LogFrame): boolean =>
	Boolean(logs || log_blobs || job);

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
				reason: "a part of the log does not have the documented form",
				received: true,
				transient: true,
			});
		case "silent":
			return new TimeoutError(call, "reply", "unknown", SILENCE_MILLIS);
	}
}

const tooBig = (call: CallFacts) =>
	new LogStreamError(
		call,
		"a part of the log is larger than 2 MiB",
		"Read the log in the web UI.",
	);
