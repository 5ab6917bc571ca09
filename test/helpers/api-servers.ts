import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import {
	type ClientOptions,
	createClient,
	type DataChainClient,
} from "../../src/client";
import { JOB_ID } from "./api-calls";
import { type Exchange, onLoopback, rawServer } from "./raw-server";

export type RawServer = Awaited<ReturnType<typeof startRawServer>>;

/** The same until the test's end: any server on a loopback port, and one that answers as the test says. */
export async function loopbackOfTest(server: Server) {
	const listening = await onLoopback(server);
	onTestFinished(listening.close);
	return listening;
}

export async function startRawServer(answer: (exchange: Exchange) => void) {
	const raw = rawServer(answer);
	return { ...raw, ...(await loopbackOfTest(raw.http)) };
}

/** Answers with JSON. */
export function json(
	response: ServerResponse,
	status: number,
	content: unknown,
	headers: Record<string, string> = {},
): void {
	response
		.writeHead(status, { "content-type": "application/json", ...headers })
		.end(JSON.stringify(content));
}

export const TOKEN = "dcp_canary-token-4711";

/** A client for that server, until the test's end, which does not wait between attempts. */
export function clientFor(url: string, options: ClientOptions = {}): DataChainClient {
	const connection = { baseUrl: url, token: TOKEN, teamName: "ml" };
	const client = createClient(connection, { random: () => 0, ...options });
	onTestFinished(() => client.close());
	return client;
}

/** The error a promise fails with; fails the test where it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
	return promise.then(
		() => {
			throw new Error("expected a failure, and it succeeded");
		},
		(error: unknown) => error,
	);
}

export type LogServer = Awaited<ReturnType<typeof startLogServer>>;

/** How a handshake is refused; a content-length beyond the body's leaves the response open. */
interface Refusal {
	readonly status: number;
	readonly headers?: Readonly<Record<string, string | number>>;
}
const REFUSED = JSON.stringify({ message: "refused here" });

/** A log WebSocket that does what the test says with each connection, a job list, and stored logs. */
export async function startLogServer(
	connected: (socket: WebSocket, index: number) => void,
	refuse: (request: IncomingMessage, index: number) => Refusal | undefined = () =>
		undefined,
) {
	/** The job's status as the REST side tells it, and the code with which it answers; with none it does not answer. */
	const told = { status: "RUNNING", code: 200 };
	/** One per WebSocket handshake that was tried. */
	const handshakes: {
		readonly url: string;
		readonly authorization: string | undefined;
	}[] = [];
	/** What is stored under each path. */
	const stored = new Map<string, Buffer>();
	const refused: Duplex[] = [];
	const sockets = new WebSocketServer({ noServer: true });
	const raw = await startRawServer(({ request: { path }, response }) => {
		if (path === "/api/datachain/jobs/") {
			if (told.code === 0) return;
			const found = [
				{ id: "another", status: "COMPLETE" },
				{ id: JOB_ID, status: told.status },
			];
			return json(
				response,
				told.code,
				told.code === 200 ? found : { message: "not now" },
			);
		}
		const content = stored.get(path);
		response.writeHead(content ? 200 : 404).end(content);
	});
	raw.http.on("upgrade", (request, socket, head) => {
		const index = handshakes.length;
		handshakes.push({
			url: request.url ?? "",
			authorization: request.headers.authorization,
		});
		const refusal = refuse(request, index);
		if (refusal !== undefined) {
			const headers = {
				"content-type": "application/json",
				"content-length": REFUSED.length,
				...refusal.headers,
			};
			const lines = Object.entries(headers).map(
				([name, value]) => `${name}: ${value}\r\n`,
			);
			refused.push(socket.on("error", () => {}));
			socket.write(
				`HTTP/1.1 ${refusal.status} Refused\r\n${lines.join("")}connection: close\r\n\r\n${REFUSED}`,
			);
			if (headers["content-length"] === REFUSED.length) socket.end();
			return;
		}
		sockets.handleUpgrade(request, socket, head, (ws) => connected(ws, index));
	});
	onTestFinished(() => {
		for (const ws of sockets.clients) ws.terminate();
		for (const socket of refused) socket.destroy();
	});
	return Object.assign(told, {
		...raw,
		handshakes,
		stored,
		open: () => sockets.clients.size,
	});
}

export const frame = (content: unknown): string => JSON.stringify(content);

export const logs = (...ids: number[]): string =>
	frame({ logs: ids.map((id) => ({ id, message: `line ${id}\n` })) });

export const status = (value: string): string => frame({ job: { status: value } });
