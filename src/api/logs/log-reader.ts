import { isFinishedJobStatus } from "../../schemas/job";
import { type LogFrame, logFrameSchema } from "../../schemas/log-frame";
import { LogStreamError } from "../errors";
import { cleanServerMessage, type Secrets } from "../redact";
import { parseJson } from "../reply";
import { download, ExchangeFault } from "../transport";
import type { LogEvent } from "./follow-types";
import type { FollowerSettings } from "./log-follower";
import type { SocketEnd } from "./log-socket";
import { Delivered, newLines, storedLogUrl } from "./stored-log";

/** How reading a connection ended; the last two are found in its frames. */
export type ReadEnd =
	| SocketEnd
	| { readonly kind: "broken-frame" }
	| { readonly kind: "blob-failed"; readonly code: string };

/** A stored log is passed on as it comes, so this bounds a server that never ends and not the memory. */
const MAX_STORED_BYTES = 4 * 2 ** 30;

/** Turns frames into events, and remembers over all connections what was delivered. */
export class LogReader {
	private readonly delivered = new Delivered();
	private storedLogRead = false;
	private latest: string | undefined;
	/** Grows with each event delivered. */
	progress = 0;
	/** Whether the last frame was more than a ping. */
	hadContent = false;
	/** Whether the connection at hand told of the job's end itself; the follower takes it back for the next one. */
	toldOfEnd = false;

	constructor(
		private readonly settings: Pick<FollowerSettings, "call" | "clock" | "limits">,
		/** Texts that must not appear in a message. */
		private readonly secrets: Secrets,
	) {}

	/** The events of one frame; returns how reading ended where this frame ends it. */
	async *read(text: string): AsyncGenerator<LogEvent, ReadEnd | undefined, undefined> {
		const { data: frame } = logFrameSchema.safeParse(parseJson(text));
		if (!frame) return { kind: "broken-frame" };
		const { logs, log_blobs: blobs, job, message } = frame;
		this.hadContent = Boolean(logs || blobs || job);
		if (typeof message === "string" && !this.hadContent && frame.type !== "ping") {
			const { call } = this.settings;
			const says = cleanServerMessage({ message }, this.secrets);
			throw new LogStreamError(call, "the service ended the log", "Check the job's id and the team.", says);
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

	/** The status as an event, where it differs from the last one. */
	*status(status: string): Generator<LogEvent, void, undefined> {
		if (status === "" || status === this.latest) return;
		this.latest = status;
		this.progress += 1;
		yield { type: "status", status };
	}

	private *lines(logs: NonNullable<LogFrame["logs"]>): Generator<LogEvent, void, undefined> {
		for (const { id, message } of [...logs].sort((a, b) => a.id - b.id)) {
			if (!this.delivered.takeLine(id, message)) continue;
			this.progress += 1;
			yield { type: "line", id, message };
		}
	}

	/** The service stores the whole log of a job that ended, and what it sends live after that is in there too. */
	private async *storedLog(
		blobs: readonly string[],
	): AsyncGenerator<LogEvent, ReadEnd | undefined, undefined> {
		const urls = blobs.map((blob) => this.checkUrl(blob));
		const { signal } = this.settings.clock;
		const timeoutMillis = this.settings.limits.attemptTimeoutMillis;
		async function* open(): AsyncGenerator<Buffer, void, undefined> {
			for (const url of urls) yield* download({ url, maxBytes: MAX_STORED_BYTES, timeoutMillis, signal });
		}
		try {
			for await (const message of newLines(open, this.delivered)) {
				this.progress += 1;
				yield { type: "line", message };
			}
		} catch (error) {
			if (!(error instanceof ExchangeFault)) throw error;
			if (error.kind === "too-large") {
				const why = `the stored log is larger than ${MAX_STORED_BYTES} bytes`;
				throw new LogStreamError(this.settings.call, why, "Read it in the web UI.");
			}
			const code = error.status === undefined ? error.code : `status ${error.status}`;
			return { kind: "blob-failed", code };
		}
		this.storedLogRead = true;
		return undefined;
	}

	private checkUrl(blob: string): URL {
		const url = storedLogUrl(blob);
		if (url) return url;
		// The address itself may be signed, so it is not repeated.
		throw new LogStreamError(
			this.settings.call,
			"the service points to a stored log at an address that is neither https nor on this machine",
			"Ask whoever runs the service to store logs behind https.",
		);
	}
}
