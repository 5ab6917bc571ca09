import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { invalid, Refusal } from "../refusal";
import { errorReply, makeApp } from "./app";
import type { ServerContext } from "./context";
import { headProblem, refuseRequest, refuseSocket } from "./head";
import { makeLogSocket } from "./log-socket";

const MOST_CONNECTIONS = 2_000;
const HEADERS_MILLIS = 15_000;

export async function listen(context: ServerContext, host: string, port: number) {
	const app = makeApp(context);
	const listener = getRequestListener((request, env) => app.fetch(request, env), {
		// A Host header or path that makes no URL never reaches the app.
		errorHandler: () => errorReply(new Refusal(400, "The request's address or Host header is not valid.")),
		overrideGlobalObjects: false,
	});
	const headersTimeout = Math.min(HEADERS_MILLIS, context.limits.bodyMillis);
	const server = createServer(
		{
			headersTimeout,
			// Bodies have time limits of their own; an upload may take long as long as it moves.
			requestTimeout: 0,
			keepAliveTimeout: 10_000,
			connectionsCheckingInterval: Math.ceil(headersTimeout / 3),
			maxHeaderSize: 32 * 1024,
			// Checked here, because Node refuses without a message.
			requireHostHeader: false,
		},
		(incoming, outgoing) => {
			const problem = headProblem(incoming);
			if (problem === undefined) void listener(incoming, outgoing);
			else refuseRequest(outgoing, problem);
		},
	);
	server.maxConnections = MOST_CONNECTIONS;
	const sockets = trackSockets(server);
	server.on("upgrade", makeLogSocket(context));
	server.on("clientError", answerMalformed);
	server.on("connect", (_, socket) => refuseSocket(socket, new Refusal(405, "This server is no proxy.")));
	server.on("checkExpectation", (_, outgoing) =>
		refuseRequest(outgoing, new Refusal(417, "The only expectation that can be met is 100-continue.")),
	);
	await once(server.listen(port, host), "listening");
	return {
		port: (server.address() as AddressInfo).port,
		close: () =>
			new Promise<void>((resolve) => {
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

const MALFORMED: Readonly<Record<string, Refusal>> = {
	HPE_HEADER_OVERFLOW: new Refusal(431, "The request's headers are too large."),
	ERR_HTTP_REQUEST_TIMEOUT: new Refusal(408, "The request did not arrive in time."),
};

/** What is not HTTP at all is answered in the same shape as everything else. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
	if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
	refuseSocket(socket, MALFORMED[error.code ?? ""] ?? invalid("The request is not valid HTTP."));
}
