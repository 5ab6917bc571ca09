import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type ClientOptions, createClient, type DataChainClient } from "../../src/api";

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

export interface RawServer {
	readonly url: string;
	readonly requests: RecordedRequest[];
	close(): Promise<void>;
}

/** An HTTP server that knows nothing of the API: it records what comes and answers as the test says. */
export async function startRawServer(answer: (exchange: Exchange) => void): Promise<RawServer> {
	const requests: RecordedRequest[] = [];
	const server = createServer((incoming, response) => {
		const parts: Buffer[] = [];
		incoming.on("data", (part: Buffer) => parts.push(part));
		incoming.on("error", () => {});
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
			answer({ request, index: requests.length - 1, response, socket: incoming.socket });
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}`,
		requests,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** Answers with JSON. */
export function json(
	response: ServerResponse,
	status: number,
	content: unknown,
	headers: Record<string, string> = {},
): void {
	response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(content));
}

export const TOKEN = "dcp_canary-token-4711";

/** A client for that server which does not wait between attempts. */
export function clientFor(url: string, options: ClientOptions = {}): DataChainClient {
	return createClient({ baseUrl: url, token: TOKEN, teamName: "ml" }, { random: () => 0, ...options });
}

/** A loopback port on which nothing listens. */
export async function closedPort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	await new Promise<void>((resolve) => server.close(() => resolve()));
	return port;
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
