import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { JOB_ID } from "./api-calls";

export interface LogServer {
	readonly url: string;
	/** One per WebSocket handshake that was tried. */
	readonly handshakes: { readonly url: string; readonly authorization: string | undefined }[];
	/** One per stored log that was fetched. */
	readonly downloads: { readonly path: string; readonly authorization: string | undefined }[];
	/** The job's status as the REST side tells it. */
	status: string;
	/** What is stored under each path. */
	readonly stored: Map<string, Buffer>;
	readonly open: () => number;
	close(): Promise<void>;
}

/** A log WebSocket that does what the test says with each connection, a job list, and stored logs. */
export async function startLogServer(
	connected: (socket: WebSocket, index: number) => void,
	refuse: (request: IncomingMessage, index: number) => number | undefined = () => undefined,
	handshakeMillis: (index: number) => number = () => 0,
): Promise<LogServer> {
	const handshakes: LogServer["handshakes"] = [];
	const downloads: LogServer["downloads"] = [];
	const stored = new Map<string, Buffer>();
	const sockets = new WebSocketServer({ noServer: true });
	const state = { status: "RUNNING" };
	const http = createServer((request, response) => {
		const path = new URL(request.url ?? "/", "http://log").pathname;
		if (path === "/api/datachain/jobs/") {
			response.writeHead(200, { "content-type": "application/json" });
			response.end(JSON.stringify([{ id: JOB_ID, status: state.status }]));
			return;
		}
		downloads.push({ path, authorization: request.headers.authorization });
		const content = stored.get(path);
		response.writeHead(content ? 200 : 404).end(content);
	});
	http.on("upgrade", (request, socket, head) => {
		const index = handshakes.length;
		handshakes.push({ url: request.url ?? "", authorization: request.headers.authorization });
		const status = refuse(request, index);
		if (status !== undefined) {
			const body = JSON.stringify({ message: "refused here" });
			socket.end(
				`HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
			);
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
		open: () => sockets.clients.size,
		close: () =>
			new Promise((resolve) => {
				for (const ws of sockets.clients) ws.terminate();
				http.close(() => resolve());
				http.closeAllConnections();
			}),
	};
}

export const frame = (content: unknown): string => JSON.stringify(content);

export const logs = (...ids: number[]): string =>
	frame({ logs: ids.map((id) => ({ id, message: `line ${id}\n` })) });

export const status = (value: string): string => frame({ job: { status: value } });
