import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import { errorCode } from "../error-code";
import { tunnelAgent } from "../proxy";
import type { RawReply } from "../transport";

/** Loaded with the first log that is followed. */
const ws = () => require("ws") as typeof import("ws");

/** How a connection ended. */
export type SocketEnd =
	| { readonly kind: "closed"; readonly code: number }
	| { readonly kind: "failed"; readonly code: string }
	| ({ readonly kind: "refused" } & RawReply)
	| { readonly kind: "silent"; readonly millis: number }
	| { readonly kind: "stopped" };

export interface SocketSettings {
	readonly url: URL;
	/** Through which to connect, where the environment names one. */
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

/** One WebSocket connection, read frame by frame at the reader's own pace. */
export class LogSocket {
	private readonly socket: WebSocket;
	private readonly waiting: string[] = [];
	private ended: SocketEnd | undefined;
	private notify: () => void = () => {};
	private pingsCount = true;

	constructor(private readonly settings: SocketSettings) {
		const { url, proxy } = settings;
		this.socket = new (ws().WebSocket)(url, {
			agent: proxy && tunnelAgent(proxy, url, settings.handshakeTimeoutMillis),
			headers: { ...settings.headers },
			handshakeTimeout: settings.handshakeTimeoutMillis,
			maxPayload: MAX_FRAME_BYTES,
			followRedirects: false,
			perMessageDeflate: false,
		});
		this.socket.on("message", (data) => this.push(data.toString()));
		this.socket.on("ping", () => this.pingsCount && this.notify());
		this.socket.on("close", (code) => this.end({ kind: "closed", code }));
		this.socket.on("error", (error) => this.end({ kind: "failed", code: errorCode(error, "WS_ERROR") }));
		this.socket.on("unexpected-response", (request, reply) => {
			// The handshake's own limit would end the reading first, and as a failure of the network.
			request.setTimeout(0);
			void this.readRefusal(reply).finally(() => request.destroy());
		});
		if (settings.signal.aborted) this.stop();
		else settings.signal.addEventListener("abort", this.stop);
	}

	/**
	 * The next frame's text, or how the connection ended; silence for that long ends it too. `pingsCount` says whether
	 * the pings of the protocol break the silence.
	 */
	async next(silenceMillis: number, pingsCount: boolean): Promise<string | SocketEnd> {
		this.pingsCount = pingsCount;
		for (;;) {
			const frame = this.waiting.shift();
			if (frame !== undefined) {
				if (this.waiting.length < MAX_WAITING / 2 && this.socket.isPaused) this.socket.resume();
				return frame;
			}
			if (this.ended) return this.ended;
			// A service that takes its time to open the connection is not silent yet.
			const opening = this.socket.readyState === ws().WebSocket.CONNECTING;
			const millis = Math.max(silenceMillis, opening ? this.settings.handshakeTimeoutMillis : 0);
			if (!(await this.activity(millis))) this.end({ kind: "silent", millis });
		}
	}

	/** Cuts the connection at once; a polite goodbye could wait for a server that is gone. */
	close(): void {
		this.settings.signal.removeEventListener("abort", this.stop);
		this.end({ kind: "stopped" });
		this.socket.terminate();
	}

	private readonly stop = (): void => {
		this.waiting.length = 0;
		this.close();
	};

	private push(frame: string): void {
		this.waiting.push(frame);
		if (this.waiting.length >= MAX_WAITING) this.socket.pause();
		this.notify();
	}

	private end(how: SocketEnd): void {
		this.ended ??= how;
		this.notify();
	}

	private activity(limitMillis: number): Promise<boolean> {
		return new Promise((resolve) => {
			const timer = setTimeout(() => resolve(false), limitMillis);
			this.notify = () => {
				clearTimeout(timer);
				resolve(true);
			};
		});
	}

	private async readRefusal(reply: IncomingMessage): Promise<void> {
		const parts: Buffer[] = [];
		let size = 0;
		const timer = setTimeout(() => reply.destroy(), this.settings.handshakeTimeoutMillis);
		try {
			for await (const part of reply) {
				size += part.length;
				if (size > MAX_REFUSAL_BYTES) break;
				parts.push(part);
			}
		} catch {
			// The status is what counts; its explanation is welcome but not needed.
		} finally {
			clearTimeout(timer);
		}
		const body = Buffer.concat(parts);
		this.end({ kind: "refused", status: reply.statusCode ?? 0, headers: reply.headers, body });
	}
}
