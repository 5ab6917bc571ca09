import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import { join } from "node:path";
import { repository } from "../../tools/repository";

/** A request as it arrived, byte for byte. */
export interface RecordedRequest {
	readonly method: string;
	readonly path: string;
	readonly query: readonly (readonly [string, string])[];
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
}

export interface Exchange {
	readonly request: RecordedRequest;
	/** How many came before this one. */
	readonly index: number;
	readonly response: ServerResponse;
	readonly socket: Socket;
}

/** An HTTP server that knows nothing of the API: it records what comes and answers as it is told. */
export function rawServer(answer: (exchange: Exchange) => void) {
	const requests: RecordedRequest[] = [];
	const http = createServer((incoming, response) => {
		const parts: Buffer[] = [];
		incoming.on("data", (part: Buffer) => parts.push(part));
		incoming.on("end", () => {
			const url = new URL(incoming.url ?? "/", "http://raw");
			const request = {
				method: incoming.method ?? "",
				path: url.pathname,
				query: [...url.searchParams],
				headers: incoming.headers,
				body: Buffer.concat(parts).toString("utf8"),
			};
			requests.push(request);
			answer({
				request,
				index: requests.length - 1,
				response,
				socket: incoming.socket,
			});
		});
	});
	return { http, requests };
}

/** Starts a server on a free loopback port; its end is that of all its connections. */
export async function onLoopback(server: Server) {
	const sockets = new Set<Socket>();
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("error", () => {}).on("close", () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		port,
		url: `http://127.0.0.1:${port}`,
		close: () =>
			new Promise<void>((resolve) => {
				server.close(() => resolve());
				for (const socket of sockets) socket.destroy();
			}),
	};
}

/** A service behind TLS: its name, its certificate, which no machine trusts, and what its server needs. */
export const TLS_HOST = "studio.test";
export const CERTIFICATE = join(repository, "test/fixtures/tls/studio.test.pem");
export const identity = () => ({
	cert: readFileSync(CERTIFICATE),
	key: readFileSync(CERTIFICATE.replace(/pem$/, "key")),
});
