import { on } from "node:events";
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { isFinishedJobStatus, type LogFrame, logFrameSchema } from "../schemas/job";
import { isLoopback } from "./connection";
import { errorCode, LogStreamError } from "./errors";
import type { FollowerSettings, LogEvent } from "./logs";
import { tunnelAgent } from "./proxy";
import { cleanServerMessage, type Secrets } from "./redaction";
import { parseJson } from "./reply";
import { bounded, download as downloadFrom, ExchangeFault, type RawReply } from "./transport";

/** How reading a connection ended; the last is found in its frames. */
export type ReadEnd = SocketEnd | { readonly kind: "broken-frame" };

/** Turns frames into events, and remembers over all connections what was delivered. */
export class LogReader {
	/** A connection sends everything from the beginning; numbers tell which live lines are new. */
	private lastId = Number.NEGATIVE_INFINITY;
	/** How much of the log was delivered; a stored log is read from there on. */
	private bytes = 0;
	private storedLogRead = false;
	private latest: string | undefined;
	/** Grows with each event delivered. */
	progress = 0;
	/** Whether the last frame was more than a ping. */
	hadContent = false;
	/** True once the current connection has told of the job's end; the follower resets it for each connection. */
	toldOfEnd = false;

	constructor(
		private readonly settings: Pick<FollowerSettings, "call" | "clock" | "limits">,
		/** Texts that must not appear in a message. */
		private readonly secrets: Secrets,
	) {}

	/** The events of one frame; returns how reading ended if this frame ends it. */
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

	/** The status as an event, if it differs from the last one. */
	*status(status: string): Generator<LogEvent, void, undefined> {
		if (status === "" || status === this.latest) return;
		this.latest = status;
		this.progress += 1;
		yield { type: "status", status };
	}

	private *lines(logs: NonNullable<LogFrame["logs"]>): Generator<LogEvent, void, undefined> {
		for (const { id, message } of [...logs].sort((a, b) => a.id - b.id)) {
			if (id <= this.lastId) continue;
			this.lastId = id;
			this.bytes += Buffer.byteLength(message);
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
		async function* download(): AsyncGenerator<Buffer, void, undefined> {
			for (const url of urls) yield* downloadFrom({ url, timeoutMillis, signal });
		}
		try {
			for await (const line of linesFrom(this.bytes, download())) {
				this.bytes += line.length;
				this.progress += 1;
				yield { type: "line", message: line.toString("utf8") };
			}
		} catch (error) {
			if (!(error instanceof ExchangeFault)) throw error;
			const code = error.status === undefined ? error.code : `status ${error.status}`;
			return { kind: "failed", code: `stored log: ${code}` };
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
			"Ask the operator of the service to store logs behind https.",
		);
	}
}

/** A URL that may be fetched for a stored log: https, or http on this machine; undefined for anything else. */
export function storedLogUrl(text: string): URL | undefined {
	if (!URL.canParse(text)) return undefined;
	const url = new URL(text);
	if (url.username !== "" || url.password !== "") return undefined;
	return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
		? url
		: undefined;
}

/** Lines longer than this come in pieces; a log without newlines must not fill the memory. */
const MAX_LINE_BYTES = 1024 * 1024;

/** The lines of a stored log after the bytes that came live, because a stored log begins with those. */
export async function* linesFrom(
	skippedBytes: number,
	chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void, undefined> {
	let skip = skippedBytes;
	let rest: Buffer = Buffer.alloc(0);
	for await (const chunk of chunks) {
		const fresh = chunk.subarray(Math.min(skip, chunk.length));
		skip -= chunk.length - fresh.length;
		rest = Buffer.concat([rest, fresh]);
		let start = 0;
		for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10, start)) {
			yield rest.subarray(start, at + 1);
			start = at + 1;
		}
		rest = rest.subarray(start);
		while (rest.length > MAX_LINE_BYTES) {
			const end = characterBoundary(rest, MAX_LINE_BYTES);
			yield rest.subarray(0, end);
			rest = rest.subarray(end);
		}
	}
	if (rest.length > 0) yield rest;
}

/** The last place at or before `at` that does not cut a UTF-8 character. */
function characterBoundary(bytes: Buffer, at: number): number {
	let end = at;
	while (end > at - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
	return end;
}

/** Loaded with the first log that is followed. */
const ws = () => require("ws") as typeof import("ws");

/** How a connection ended. */
type SocketEnd =
	| { readonly kind: "closed"; readonly code: number }
	| { readonly kind: "failed"; readonly code: string }
	| ({ readonly kind: "refused" } & RawReply)
	| { readonly kind: "silent"; readonly millis: number };

interface SocketSettings {
	readonly url: URL;
	/** Through which to connect, if the environment names one. */
	readonly proxy: URL | undefined;
	readonly headers: Readonly<Record<string, string>>;
	readonly handshakeTimeoutMillis: number;
	readonly signal: AbortSignal;
}

/** The service keeps frames under 1 MiB; twice that allows for one that counts differently. */
const MAX_FRAME_BYTES = 2 * 1024 * 1024;
/** Beyond this many unread frames the socket is paused, so that a slow reader holds little memory. */
const MAX_WAITING = 64;
const MAX_REFUSAL_BYTES = 64 * 1024;

/** One WebSocket connection, read frame by frame, as fast as its reader takes them. */
export class LogSocket {
	private readonly socket: WebSocket;
	private readonly frames: AsyncIterator<unknown[]>;
	private ended: SocketEnd | undefined;

	constructor(private readonly settings: SocketSettings) {
		const { url, proxy, signal, handshakeTimeoutMillis } = settings;
		this.socket = new (ws().WebSocket)(url, {
			agent: proxy && tunnelAgent(proxy, url, handshakeTimeoutMillis),
			headers: { ...settings.headers },
			handshakeTimeout: handshakeTimeoutMillis,
			maxPayload: MAX_FRAME_BYTES,
			followRedirects: false,
			perMessageDeflate: false,
		});
		const waiting = { highWaterMark: MAX_WAITING, lowWaterMark: MAX_WAITING / 2 };
		this.frames = on(this.socket, "message", { close: ["close"], ...waiting });
		this.socket.on("close", (code) => this.end({ kind: "closed", code }));
		this.socket.on("error", (error) => this.end({ kind: "failed", code: errorCode(error, "WS_ERROR") }));
		this.socket.on("unexpected-response", (request, reply) => {
			// The handshake's own limit would end the reading first, and as a failure of the network.
			request.setTimeout(0);
			void this.readRefusal(reply);
		});
		signal.addEventListener("abort", this.close);
	}

	/**
	 * The next frame's text, or how the connection ended; silence for that long ends it too. `pingsCount` says whether
	 * the pings of the protocol break the silence.
	 */
	async next(millis: number, pingsCount: boolean): Promise<string | SocketEnd> {
		// Frames that came and were not read yet are dropped.
		if (this.settings.signal.aborted) return STOPPED;
		let timer: NodeJS.Timeout | undefined;
		const listen = () => {
			clearTimeout(timer);
			timer = setTimeout(() => this.end({ kind: "silent", millis }), millis);
		};
		// A service that takes its time to open the connection is not silent yet; the handshake has its own limit.
		if (this.socket.readyState !== ws().WebSocket.CONNECTING) listen();
		const signs = pingsCount ? ["open", "ping"] : ["open"];
		for (const sign of signs) this.socket.on(sign, listen);
		const frame = await this.frames.next().catch(() => undefined);
		for (const sign of signs) this.socket.off(sign, listen);
		clearTimeout(timer);
		return frame?.value ? String(frame.value[0]) : (this.ended ?? STOPPED);
	}

	/** Cuts the connection at once; a polite goodbye could wait for a server that is gone. */
	readonly close = (): void => {
		this.settings.signal.removeEventListener("abort", this.close);
		this.end(STOPPED);
	};

	private end(how: SocketEnd): void {
		this.ended ??= how;
		this.socket.terminate();
	}

	private async readRefusal(reply: IncomingMessage): Promise<void> {
		const parts: Buffer[] = [];
		const timer = setTimeout(() => reply.destroy(), this.settings.handshakeTimeoutMillis);
		try {
			for await (const part of bounded(reply, MAX_REFUSAL_BYTES)) parts.push(part);
		} catch {
			// The status is what counts; its explanation is welcome but not needed.
		} finally {
			clearTimeout(timer);
		}
		const body = Buffer.concat(parts);
		this.end({ kind: "refused", status: reply.statusCode ?? 0, headers: reply.headers, body });
	}
}

/** Whoever reads the log has ended it. */
const STOPPED: SocketEnd = { kind: "failed", code: "closed here" };
