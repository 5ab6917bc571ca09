import { connect } from "node:net";

/** Bytes to send; a number is a pause of that many milliseconds. */
export type Piece = string | Buffer | number;

export interface RawReply {
	readonly status: number;
	readonly head: string;
	readonly body: string;
}

export interface Exchange {
	/** One after another; the last may be cut off. */
	readonly replies: readonly RawReply[];
	/** What came back, as Latin-1. */
	readonly received: string;
	/** Whether the server ended the connection. */
	readonly closed: boolean;
}

/** Sends bytes as they are, which no HTTP client would, and collects what comes back until it is quiet. */
export function exchange(url: string, pieces: readonly Piece[], quietMillis = 80): Promise<Exchange> {
	const { hostname, port } = new URL(url);
	return new Promise((resolve) => {
		const chunks: Buffer[] = [];
		const socket = connect(Number(port), hostname);
		let closed = false;
		const settle = (): void => {
			clearTimeout(timer);
			socket.destroy();
			const received = Buffer.concat(chunks).toString("latin1");
			resolve({ replies: parseReplies(received), received, closed });
		};
		let timer = setTimeout(settle, 8_000);
		socket.on("data", (chunk: Buffer) => {
			chunks.push(chunk);
			clearTimeout(timer);
			timer = setTimeout(settle, quietMillis);
		});
		// A reset is how a server refuses to read on; what it said before counts.
		socket.on("error", () => {});
		socket.on("end", () => {
			closed = true;
		});
		socket.on("close", () => {
			closed = true;
			settle();
		});
		socket.on("connect", async () => {
			for (const piece of pieces) {
				if (socket.destroyed) return;
				if (typeof piece === "number") await new Promise((next) => setTimeout(next, piece));
				else if (!socket.write(piece))
					await new Promise<void>((next) => socket.once("drain", next).once("close", next));
			}
		});
	});
}

function parseReplies(text: string): RawReply[] {
	const end = text.indexOf("\r\n\r\n");
	if (!text.startsWith("HTTP/1.1 ") || end < 0) return [];
	const head = text.slice(0, end);
	const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
	const body = Buffer.from(text.slice(end + 4, end + 4 + length), "latin1").toString("utf8");
	const status = Number(head.split(" ")[1]);
	const rest = parseReplies(text.slice(end + 4 + length));
	// 100 only says that the body may come.
	return status === 100 ? rest : [{ status, head, body }, ...rest];
}
