import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import type { Board } from "../board/board";
import { BOARD_PATHS, handle, isAddressOr, KEY_HEADER, keyOfToken } from "../board/http";
import { errorReply, type HonoEnv, makeApp, type ServerContext } from "./app";
import { Refusal } from "./inputs";
import { makeLogSocket } from "./logs";

const MOST_CONNECTIONS = 2_000;
/** Long enough for a large upload. */
const REQUEST_MILLIS = 3_600_000;

export async function listen(context: ServerContext, host: string, port: number) {
	const app = makeApp(context);
	const page = pageRoutes(app, context);
	const listener = getRequestListener((request, env) => app.fetch(request, env), {
		// A Host header or path that makes no URL never reaches the app.
		errorHandler: () => errorReply(new Refusal(400, "The request's address or Host header is not valid.")),
		overrideGlobalObjects: false,
	});
	const server = createServer(
		{ requestTimeout: REQUEST_MILLIS, keepAliveTimeout: 10_000, maxHeaderSize: 32 * 1024 },
		(incoming, outgoing) => void listener(incoming, outgoing),
	);
	server.maxConnections = MOST_CONNECTIONS;
	const sockets = trackSockets(server);
	server.on("upgrade", makeLogSocket(context));
	await once(server.listen(port, host), "listening");
	return {
		port: (server.address() as AddressInfo).port,
		close: async () => {
			await page.close();
			await new Promise<void>((resolve) => {
				server.close(() => resolve());
				for (const socket of sockets) socket.destroy();
			});
		},
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

/** The board at the root. Its key follows from the token, which the page never gets. */
function pageRoutes(app: Hono<HonoEnv>, context: ServerContext): { close(): Promise<void> } {
	const { own } = context;
	const access = { key: keyOfToken(own.token), isOwnHost: (host: string) => isAddressOr(own.host, host) };
	let opened: { board: Board; close(): Promise<void> } | undefined;
	const board = (): Board => {
		opened ??= openBoard(context);
		return opened.board;
	};
	for (const path of BOARD_PATHS) {
		app.all(path, async ({ req }) => {
			const reply = await handle(board, access, {
				method: req.method,
				path,
				query: new URL(req.url).searchParams,
				host: req.header("host"),
				origin: req.header("origin"),
				key: req.header(KEY_HEADER),
			});
			return new Response(reply?.body ?? "", {
				status: reply?.status ?? 404,
				headers: { ...reply?.headers },
			});
		});
	}
	return { close: async () => opened?.close() };
}

/**
 * The board asks this server over HTTP, as it asks the real service. Loaded with the first page: most servers in tests
 * are never looked at.
 */
function openBoard(context: ServerContext) {
	const { openBoard: open } = require("../board/board") as typeof import("../board/board");
	const { token, teamName } = context.own;
	// Whoever tries things out wants to see them at once.
	const options = {
		service: context.url(),
		now: () => context.world.now(),
		revision: () => context.world.revision,
	};
	return open({ baseUrl: `${context.url()}/api`, token, teamName }, options);
}
