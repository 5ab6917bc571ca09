import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Refusal } from "../refusal";
import { errorReply, makeApp } from "./app";
import type { ServerContext } from "./context";
import { makeLogSocket } from "./log-socket";

const MOST_CONNECTIONS = 2_000;

export interface Listener {
	readonly port: number;
	readonly close: () => Promise<void>;
}

export async function listen(context: ServerContext, host: string, port: number): Promise<Listener> {
	const app = makeApp(context);
	const listener = getRequestListener((request, env) => app.fetch(request, env), {
		// A Host header or path that makes no URL never reaches the app.
		errorHandler: () => errorReply(new Refusal(400, "The request's address or Host header is not valid.")),
		overrideGlobalObjects: false,
	});
	const server = createServer(
		{
			headersTimeout: 15_000,
			// Bodies have time limits of their own; an upload may take long as long as it moves.
			requestTimeout: 0,
			keepAliveTimeout: 10_000,
			connectionsCheckingInterval: 5_000,
			maxHeaderSize: 32 * 1024,
		},
		(incoming, outgoing) => void listener(incoming, outgoing),
	);
	server.maxConnections = MOST_CONNECTIONS;
	const sockets = trackSockets(server);
	const logSocket = makeLogSocket(context);
	server.on("upgrade", logSocket.upgrade);
	server.on("clientError", answerMalformed);
	await bind(server, host, port);
	return {
		port: (server.address() as AddressInfo).port,
		close: () =>
			new Promise((resolve) => {
				logSocket.close();
				server.close(() => resolve());
				for (const socket of sockets) socket.destroy();
			}),
	};
}

function trackSockets(server: Server): Set<Socket> {
	const sockets = new Set<Socket>();
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
	});
	return sockets;
}

/** What is not HTTP at all is answered in the same shape as everything else. */
function answerMalformed(error: NodeJS.ErrnoException, socket: import("node:stream").Duplex): void {
	if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
	const [status, message] =
		error.code === "HPE_HEADER_OVERFLOW"
			? ["431 Too Large", "The request's headers are too large."]
			: error.code === "ERR_HTTP_REQUEST_TIMEOUT"
				? ["408 Timeout", "The request did not arrive in time."]
				: ["400 Bad Request", "The request is not valid HTTP."];
	const body = JSON.stringify({ message });
	socket.end(
		`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
	);
}

function bind(server: Server, host: string, port: number): Promise<void> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, () => {
			server.off("error", reject);
			resolve();
		});
	});
}
