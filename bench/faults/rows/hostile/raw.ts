import { connect } from "node:net";

/** Bytes to send; a number is a pause of that many milliseconds, "end" closes our side. */
export type Piece = string | Buffer | number | "end";

/** One HTTP reply, as far as it came. */
export interface RawReply {
	readonly status: number;
	readonly headers: ReadonlyMap<string, string>;
	readonly body: string;
}

export interface Exchange {
	readonly replies: readonly RawReply[];
	/** What came back, as Latin-1. */
	readonly received: string;
	/** Whether the server ended the connection. */
	readonly closed: boolean;
	readonly millis: number;
}

export interface ExchangeOptions {
	/** Ends the exchange after this long. */
	readonly limitMillis?: number;
	/** How long to wait for more once something has come: a smuggled request would show as a second reply. */
	readonly quietMillis?: number;
}

/** Sends bytes as they are, which no HTTP client would, and collects what comes back. */
export function exchange(
	url: string,
	pieces: readonly Piece[],
	{ limitMillis = 8_000, quietMillis = 80 }: ExchangeOptions = {},
): Promise<Exchange> {
	const { hostname, port } = new URL(url);
	const began = performance.now();
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		const socket = connect(Number(port), hostname);
		let [ended, settled] = [false, false];
		const settle = (): void => {
			if (settled) return;
			settled = true;
			clearTimeout(limit);
			clearTimeout(quiet);
			socket.destroy();
			const received = Buffer.concat(chunks).toString("latin1");
			resolve({
				replies: parseReplies(received),
				received,
				closed: ended,
				millis: performance.now() - began,
			});
		};
		const limit = setTimeout(settle, limitMillis);
		let quiet: NodeJS.Timeout | undefined;
		const listenOn = (): void => {
			clearTimeout(quiet);
			quiet = setTimeout(settle, quietMillis);
		};
		socket.on("data", (chunk: Buffer) => {
			chunks.push(chunk);
			listenOn();
		});
		// A reset is how a server refuses to read on; what it said before counts.
		socket.on("error", () => {});
		socket.on("close", () => {
			ended = true;
			settle();
		});
		socket.on("end", () => {
			ended = true;
		});
		socket.on("connect", () => void sendAll(pieces));
		const sendAll = async (rest: readonly Piece[]): Promise<void> => {
			for (const piece of rest) {
				if (settled || socket.destroyed) return;
				if (typeof piece === "number") await new Promise((next) => setTimeout(next, piece));
				else if (piece === "end") socket.end();
				else if (!socket.write(piece)) await drained();
			}
		};
		const drained = (): Promise<void> =>
			new Promise((next) => {
				socket.once("drain", next).once("close", next);
			});
	});
}

/** Reads replies one after another; the last may be cut off. */
function parseReplies(text: string): RawReply[] {
	const replies: RawReply[] = [];
	let rest = text;
	while (rest.startsWith("HTTP/1.1 ")) {
		const end = rest.indexOf("\r\n\r\n");
		if (end < 0) break;
		const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
		const headers = new Map(
			lines.map((line): [string, string] => {
				const at = line.indexOf(":");
				return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
			}),
		);
		const length = Number(headers.get("content-length") ?? "0");
		const body = Buffer.from(rest.slice(end + 4, end + 4 + length), "latin1").toString("utf8");
		const status = Number(first.split(" ")[1]);
		rest = rest.slice(end + 4 + length);
		// 100 only says that the body may come.
		if (status !== 100) replies.push({ status, headers, body });
	}
	return replies;
}

/** The text of `{"message": …}`; undefined where the reply is not that. */
export function messageOf(reply: RawReply): string | undefined {
	try {
		const value: unknown = JSON.parse(reply.body);
		if (typeof value !== "object" || value === null || !("message" in value)) return undefined;
		return typeof value.message === "string" && value.message !== "" ? value.message : undefined;
	} catch {
		return undefined;
	}
}
