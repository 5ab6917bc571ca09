import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { JOB_ID } from "./api-calls";

export interface LogServer {
	readonly url: string;
	/** One per WebSocket handshake that was tried. */
	readonly handshakes: { readonly url: string; readonly authorization: string | undefined }[];
	/** One per stored log that was fetched. */
	readonly downloads: { readonly path: string; readonly authorization: string | undefined }[];
	/** The job's status as the REST side tells it, and the code with which it answers. */
	status: string;
	code: number;
	/** What is stored under each path. */
	readonly stored: Map<string, Buffer>;
	readonly open: () => number;
	close(): Promise<void>;
}

/** How a handshake is refused; a length beyond the body's leaves the reply open. */
interface Refusal {
	readonly status: number;
	readonly body?: string;
	readonly length?: number;
	readonly retryAfter?: number;
}
const REFUSED = JSON.stringify({ message: "refused here" });

/** A log WebSocket that does what the test says with each connection, a job list, and stored logs. */
export async function startLogServer(
	connected: (socket: WebSocket, index: number) => void,
	refuse: (request: IncomingMessage, index: number) => number | Refusal | undefined = () => undefined,
	handshakeMillis: (index: number) => number = () => 0,
): Promise<LogServer> {
	const handshakes: LogServer["handshakes"] = [];
	const downloads: LogServer["downloads"] = [];
	const stored = new Map<string, Buffer>();
	const refused: Duplex[] = [];
	const sockets = new WebSocketServer({ noServer: true });
	const state = { status: "RUNNING", code: 200 };
	const http = createServer((request, response) => {
		const path = new URL(request.url ?? "/", "http://log").pathname;
		if (path === "/api/datachain/jobs/") {
			response.writeHead(state.code, { "content-type": "application/json" });
			const found = [{ id: JOB_ID, status: state.status }];
			response.end(JSON.stringify(state.code === 200 ? found : { message: "not now" }));
			return;
		}
		downloads.push({ path, authorization: request.headers.authorization });
		const content = stored.get(path);
		response.writeHead(content ? 200 : 404).end(content);
	});
	http.on("upgrade", (request, socket, head) => {
		const index = handshakes.length;
		handshakes.push({ url: request.url ?? "", authorization: request.headers.authorization });
		const refusal = refuse(request, index);
		if (refusal !== undefined) {
			refused.push(socket.on("error", () => {}));
			const {
				status,
				body = REFUSED,
				length = body.length,
				retryAfter,
			}: Refusal = typeof refusal === "number" ? { status: refusal } : refusal;
			const wait = retryAfter === undefined ? "" : `Retry-After: ${retryAfter}\r\n`;
			socket.write(
				`HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${wait}Connection: close\r\n\r\n${body}`,
			);
			if (length === body.length) socket.end();
			return;
		}
		setTimeout(
			() => sockets.handleUpgrade(request, socket, head, (ws) => connected(ws, index)),
			handshakeMillis(index),
		);
	});
	await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
	const { port } = http.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		handshakes,
		downloads,
		stored,
		get status() {
			return state.status;
		},
		set status(status: string) {
			state.status = status;
		},
		get code() {
			return state.code;
		},
		set code(code: number) {
			state.code = code;
		},
		open: () => sockets.clients.size,
		close: () =>
			new Promise((resolve) => {
				for (const ws of sockets.clients) ws.terminate();
				for (const socket of refused) socket.destroy();
				http.close(() => resolve());
				http.closeAllConnections();
			}),
	};
}

export const frame = (content: unknown): string => JSON.stringify(content);

export const logs = (...ids: number[]): string =>
	frame({ logs: ids.map((id) => ({ id, message: `line ${id}\n` })) });

export const status = (value: string): string => frame({ job: { status: value } });
