import { ApiError, NetworkError, RateLimitedError, ServerError, TimeoutError } from "../../api";
import { isFinishedJobStatus } from "../../schemas/job";
import type { Call } from "../context";
import { unhurried } from "./find-job";
import type { Clean } from "./without-secrets";

/** As many lines of one job are shown while it runs; who writes more reads it elsewhere. */
const MOST_SHOWN = 1_000;
const LAST_LINES = 20;
/** A line that does not end is shown in pieces of this many characters. */
const LONGEST_LINE = 65_536;
const AGAIN_MILLIS = 2_000;
/** Failures that may be over a little later. */
const PASSING = [NetworkError, RateLimitedError, ServerError, TimeoutError] as const;

export interface LogTarget {
	readonly team: string;
	readonly jobId: string;
	/** How its lines are marked: the resource's name. */
	readonly label: string;
	readonly clean: Clean;
	/** Where its lines and its status go; the deployment's own output, with the label and a bound, where left out. */
	readonly to?: { line(text: string): void; status(status: string): void };
}

/** Shows a job's log while it grows, and keeps its end. Never fails: a log that cannot be followed is told once. */
export class LogLines {
	private readonly kept: string[] = [];
	private shown = 0;
	/** Characters of the log that were taken so far. */
	private delivered = 0;
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

	/** Begins anew where the client has given up for a while: the job goes on meanwhile. */
	private async follow(): Promise<void> {
		const { signal } = this.stopping;
		try {
			while (!signal.aborted) {
				try {
					return await this.followOnce();
				} catch (error) {
					if (!(error instanceof ApiError)) throw error;
					if (signal.aborted) return;
					this.call.notice(`${this.target.label}: its log cannot be followed. ${error.message}`);
					if (!PASSING.some((kind) => error instanceof kind)) return;
					await this.call.time.sleep(AGAIN_MILLIS, signal);
				}
			}
		} finally {
			this.endLine();
			this.tellEnd();
		}
	}

	/** A log always comes from its beginning, so that what was delivered before is passed over. */
	private async followOnce(): Promise<void> {
		const { team, jobId } = this.target;
		const request = { team_name: team, job_id: jobId };
		let passed = 0;
		for await (const event of this.call.client.jobs.followLogs(request, { signal: this.stopping.signal })) {
			if (event.type === "line") {
				const fresh = event.message.slice(Math.max(0, this.delivered - passed));
				passed += event.message.length;
				if (passed <= this.delivered) continue;
				this.delivered = passed;
				this.take(fresh);
			} else {
				this.status(event.status);
				if (isFinishedJobStatus(event.status)) this.tellEnd();
			}
		}
	}

	/** A message ends where it ends: its lines have line breaks of their own, and a secret may lie across two messages. */
	private take(message: string): void {
		const lines = (this.begun + message).split("\n");
		this.begun = lines.pop() ?? "";
		for (const line of lines) this.show(line);
		if (this.begun.length > LONGEST_LINE) this.endLine();
	}

	private endLine(): void {
		if (this.begun !== "") this.show(this.begun);
		this.begun = "";
	}

	private show(raw: string): void {
		const { label, clean, to } = this.target;
		const text = clean(raw);
		this.kept.push(text);
		if (this.kept.length > LAST_LINES) this.kept.shift();
		this.shown += 1;
		if (to !== undefined) to.line(text);
		else if (this.shown <= MOST_SHOWN) this.call.line(`${label} | ${text}`);
		else if (this.shown === MOST_SHOWN + 1)
			this.call.line(`${label} | … more than ${MOST_SHOWN} lines; the rest is not shown here`);
	}
}

/** The last lines of a job that has ended, for a message; none where they cannot be read. */
export async function lastLines(call: Call, { team, jobId, clean }: LogTarget): Promise<readonly string[]> {
	let end: string[] = [];
	const request = { team_name: team, job_id: jobId };
	try {
		const options = { ...unhurried(), deadlineMillis: 30_000 };
		for await (const event of call.client.jobs.followLogs(request, options)) {
			if (event.type !== "line") continue;
			end = `${end.join("\n")}${event.message}`.split("\n").slice(-LAST_LINES - 1);
		}
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
	}
	if (end.at(-1) === "") end.pop();
	return end.slice(-LAST_LINES).map(clean);
}
