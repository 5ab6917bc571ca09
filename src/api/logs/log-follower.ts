import { isFinishedJobStatus } from "../../schemas/job";
import type { CallClock } from "../call-clock";
import { errorCode } from "../error-code";
import { type ApiError, NotAuthenticatedError, NotAuthorizedError } from "../errors";
import type { CallFacts } from "../errors/api-error";
import { stopError } from "../fault-error";
import { proxyFor } from "../proxy";
import { type Secrets, secretsOf } from "../redact";
import { askedDelay, backoffMillis, mayRetry, retryInfo } from "../retry-policy";
import { endError } from "./end-error";
import type { FollowSettings } from "./follow-logs";
import type { FollowLogsRequest, LogEvent } from "./follow-types";
import { LogReader, type ReadEnd } from "./log-reader";
import { LogSocket } from "./log-socket";

export interface FollowerSettings extends FollowSettings {
	readonly clock: CallClock;
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
export class LogFollower {
	private readonly reader: LogReader;
	private readonly secrets: Secrets;
	private finished = false;
	/** As the REST side has it, for the case that no connection brings it. */
	private endStatus = "";
	private failures = 0;

	constructor(private readonly settings: FollowerSettings) {
		this.secrets = secretsOf(settings.connection.token, {});
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
			// A job that has ended has no more pauses, so that a connection which only lasts is of no use.
			const lasted = !this.finished && performance.now() - openedAt > HEALTHY_MILLIS;
			// A stored log that breaks may give the same lines each time, so that they are no progress.
			const healthy = end.kind !== "blob-failed" && (this.reader.progress > before || lasted);
			this.failures = healthy ? 1 : this.failures + 1;
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
				const patience = Math.ceil(heardAt + limit - performance.now());
				const item = await socket.next(Math.max(0, patience), !this.finished);
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

	/** Waits before the next connection, or throws the error where there will be none. */
	private async pause(error: ApiError): Promise<void> {
		const { limits, clock } = this.settings;
		if (this.failures >= limits.maxAttempts || !mayRetry("always", error)) throw error;
		const delayMillis = askedDelay(error) ?? backoffMillis(this.failures, limits.random);
		if (delayMillis >= clock.leftMillis) throw error;
		limits.onRetry(retryInfo(error, this.failures, delayMillis));
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
	}

	private refuseStopped(): void {
		if (this.settings.clock.stopped) throw stopError(this.settings.call, this.settings.clock, "unknown");
	}
}
