import { isFinishedJobStatus } from "../../schemas/job";
import type { CallClock } from "../call-clock";
import type { Caller } from "../caller";
import { type ApiError, type CallFacts, NotAuthenticatedError, NotAuthorizedError } from "../errors";
import { stopError } from "../fault-error";
import type { Limits } from "../options";
import { secretsOf } from "../redact";
import { askedDelay, mayRepeat } from "../retry-policy";
import { backoffMillis } from "../retry-timing";
import type { ConnectionSettings } from "../settings";
import { endError } from "./end-error";
import type { FollowLogsRequest } from "./follow-request";
import type { LogEvent } from "./log-event";
import { LogReader, type ReadEnd } from "./log-reader";
import { LogSocket } from "./log-socket";

export interface FollowerSettings {
	readonly connection: ConnectionSettings;
	readonly limits: Limits;
	readonly caller: Caller;
	readonly clock: CallClock;
	readonly call: CallFacts;
	readonly request: FollowLogsRequest;
	readonly path: string;
}

/** The service pings; a connection without even that is dead. */
const SILENCE_MILLIS = 60_000;
/** After the job's end the service closes. Where it does not, this much silence means that all has come. */
const GRACE_MILLIS = 5_000;
/** A connection that held this long is no sign of trouble when it ends, even if the job had nothing to say. */
const HEALTHY_MILLIS = 30_000;

/** Follows one job's log over as many connections as it takes. */
export class LogFollower {
	private readonly reader: LogReader;
	private finished = false;
	/** As the REST side has it, for the case that no connection brings it. */
	private endStatus = "";
	private failures = 0;

	constructor(private readonly settings: FollowerSettings) {
		const { call, clock, limits, connection } = settings;
		this.reader = new LogReader({
			call,
			signal: clock.signal,
			timeoutMillis: limits.attemptTimeoutMillis,
			secrets: secretsOf(connection.token, {}),
		});
	}

	async *run(): AsyncGenerator<LogEvent, void, undefined> {
		for (;;) {
			const openedAt = performance.now();
			const before = this.reader.progress;
			const end = yield* this.connection();
			this.refuseStopped();
			if (this.isComplete(end)) break;
			const healthy = this.reader.progress > before || performance.now() - openedAt > HEALTHY_MILLIS;
			this.failures = healthy ? 1 : this.failures + 1;
			const { call, connection } = this.settings;
			const secrets = secretsOf(connection.token, {});
			await this.pause(endError(end, { ...call, attempts: this.failures }, secrets));
			await this.askStatus();
		}
		yield* this.reader.status(this.endStatus);
	}

	private async *connection(): AsyncGenerator<LogEvent, ReadEnd, undefined> {
		const { connection, request, path, limits, clock } = this.settings;
		const query = new URLSearchParams({
			job_id: request.job_id,
			team_name: request.team_name ?? connection.teamName,
			...(request.no_follow ? { no_follow: "true" } : {}),
		});
		const socket = new LogSocket({
			url: `${connection.baseUrl.replace(/^http/, "ws")}${path}?${query}`,
			headers: { authorization: `Bearer ${connection.token}`, "user-agent": limits.userAgent },
			handshakeTimeoutMillis: limits.attemptTimeoutMillis,
			signal: clock.signal,
		});
		try {
			for (;;) {
				const item = await socket.next(this.finished ? GRACE_MILLIS : SILENCE_MILLIS);
				if (typeof item !== "string") return item;
				const end = yield* this.reader.read(item);
				if (end) return end;
				if (isFinishedJobStatus(this.reader.lastStatus ?? "")) this.finished = true;
			}
		} finally {
			socket.close();
		}
	}

	/**
	 * Each connection sends the log from its beginning, so one that was opened or informed after the job's end and
	 * then closed in good order has brought everything.
	 */
	private isComplete(end: ReadEnd): boolean {
		if (end.kind === "silent") return this.finished;
		const orderly = end.kind === "closed" && (end.code === 1000 || end.code === 1001 || end.code === 1005);
		return orderly && (this.finished || this.settings.request.no_follow === true);
	}

	/** Waits before the next connection, or throws the error where there will be none. */
	private async pause(error: ApiError): Promise<void> {
		const { limits, clock } = this.settings;
		if (this.failures >= limits.maxAttempts || !mayRepeat("always", error)) throw error;
		const delayMillis = askedDelay(error) ?? backoffMillis(this.failures, limits.random);
		if (delayMillis >= clock.leftMillis) throw error;
		limits.onRetry({
			method: error.method,
			path: error.path,
			attempt: this.failures,
			delayMillis,
			because: error.name,
		});
		await clock.wait(delayMillis);
		this.refuseStopped();
	}

	/** A lost connection does not tell whether the job ended meanwhile; the REST side does. */
	private async askStatus(): Promise<void> {
		if (this.finished) return;
		const { caller, request, clock, limits } = this.settings;
		const { job_id, team_name } = request;
		try {
			const options = { signal: clock.signal, deadlineMillis: limits.attemptTimeoutMillis };
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
		this.refuseStopped();
	}

	private refuseStopped(): void {
		if (this.settings.clock.stopped) throw stopError(this.settings.call, this.settings.clock, false);
	}
}
