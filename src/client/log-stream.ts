import { on } from "node:events";
import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { z } from "zod";
import { isLoopback } from "./connection";
import { errorCode } from "./errors";
import { tunnelAgent } from "./proxy";
import { type RawReply, readAll } from "./transport";

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
		.transform(
			({ id, message }): JobLogLine =>
				typeof id === "number" ? { id, message } : { message },
		),
]);

/**
 * The API's reference does not show this reply. Taken are the forms the service uses elsewhere: `{"logs": …}`, a bare
 * array of lines, a JSON string and plain text. Anything else cannot be read.
 */
export function readJobLogs(reply: unknown): JobLogs {
	const logs =
		typeof reply === "object" && reply !== null && "logs" in reply ? reply.logs : reply;
	if (typeof logs === "string")
		return {
			text: logs,
			lines: linesOf(logs).map((message) => ({ message })),
			isReadable: true,
		};
	const { success: isReadable, data: lines = [] } = z
		.array(lineSchema)
		.safeParse(logs ?? []);
	return { text: joinLines(lines), lines, isReadable };
}

/** Lines of the service end in a newline of their own; if they do not, one is put between them. */
function joinLines(lines: readonly JobLogLine[]): string {
	return lines
		.map(({ message }, index) =>
			message.endsWith("\n") || index === lines.length - 1 ? message : `${message}\n`,
		)
		.join("");
}

/** A URL that may be fetched for a stored log: https, or http on this machine; undefined for anything else. */
export function storedLogUrl(text: string): URL | undefined {
	if (!URL.canParse(text)) return undefined;
	const url = new URL(text);
	if (url.username !== "" || url.password !== "") return undefined;
	return url.protocol === "https:" ||
		(url.protocol === "http:" && isLoopback(url.hostname))
		? url
		: undefined;
}

/** Longer lines come in pieces; a log without newlines must not fill the memory. */
const LONGEST_LINE = 1024 * 1024;

/** The lines of a stored log after the bytes that came live, because a stored log begins with those. */
export async function* linesFrom(
	skippedBytes: number,
	chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
	const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
	let skip = skippedBytes;
	let rest = "";
	for await (const chunk of chunks) {
		const fresh = chunk.subarray(Math.min(skip, chunk.length));
		skip -= chunk.length - fresh.length;
		const lines = linesOf(rest + decoder.decode(fresh, { stream: true }));
		const last = lines.at(-1) ?? "";
		const isBegun = !last.endsWith("\n") && last.length <= LONGEST_LINE;
		rest = isBegun ? last : "";
		yield* isBegun ? lines.slice(0, -1) : lines;
	}
	yield* linesOf(rest + decoder.decode());
}

/** Each with its newline, if it has one. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Loaded with the first log that is followed. */
const ws = () => require("ws") as typeof import("ws");

/** How a connection ended. */
export type SocketEnd =
	| { readonly kind: "closed"; readonly code: number }
	| { readonly kind: "failed"; readonly code: string }
	| ({ readonly kind: "refused" } & RawReply)
	| { readonly kind: "silent" };

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
	/** Resolves once it is open, or never will be: the handshake has a limit of its own. */
	readonly opened: Promise<unknown>;
	private socketEnd: SocketEnd | undefined;

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
		// The two kinds of pings mean the same.
		this.socket.on("ping", () => this.socket.emit("message", PING));
		this.opened = new Promise((resolve) =>
			this.socket.once("open", resolve).once("close", resolve),
		);
		this.socket.on("close", (code) => this.end({ kind: "closed", code }));
		this.socket.on("error", (error) =>
			this.end({ kind: "failed", code: errorCode(error, "WS_ERROR") }),
		);
		this.socket.on("unexpected-response", (request, reply) => {
			// The handshake's own limit would end the reading first, and as a failure of the network.
			request.setTimeout(0);
			void this.readRefusal(reply);
		});
		signal.addEventListener("abort", this.close);
	}

	/** The next frame's text, or how the connection ended; silence for that long ends it too. */
	async next(millis: number): Promise<string | SocketEnd> {
		// Frames that came and were not read yet are dropped.
		if (this.settings.signal.aborted) return STOPPED;
		const timer = setTimeout(() => this.end({ kind: "silent" }), millis);
		const frame = await this.frames.next().catch(() => undefined);
		clearTimeout(timer);
		return frame?.value ? String(frame.value[0]) : (this.socketEnd ?? STOPPED);
	}

	/** Cuts the connection at once; a polite goodbye could wait for a server that is gone. */
	readonly close = (): void => {
		this.settings.signal.removeEventListener("abort", this.close);
		this.end(STOPPED);
	};

	private end(how: SocketEnd): void {
		this.socketEnd ??= how;
		this.socket.terminate();
	}

	private async readRefusal(reply: IncomingMessage): Promise<void> {
		const timer = setTimeout(
			() => reply.destroy(),
			this.settings.handshakeTimeoutMillis,
		);
		// The status is what counts; its explanation is welcome but not needed.
		const body = await readAll(reply, MAX_REFUSAL_BYTES).catch(() => Buffer.alloc(0));
		clearTimeout(timer);
		this.end({
			kind: "refused",
			status: reply.statusCode ?? 0,
			headers: reply.headers,
			body,
		});
	}
}

const PING = JSON.stringify({ type: "ping" });

/** Whoever reads the log has ended it. */
const STOPPED: SocketEnd = { kind: "failed", code: "closed here" };
