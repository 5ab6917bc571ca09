import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A private store on a free loopback port, holding one object. It answers only who signs in correctly. */
export interface PrivateStore {
	readonly url: string;
	/** Method, path and answer of each request, for a look when something fails. */
	readonly requests: readonly string[];
	close(): Promise<void>;
}

export interface Reply {
	readonly status: number;
	readonly body?: string | Buffer;
	readonly headers?: Readonly<Record<string, string>>;
}

export type Answer = (request: IncomingMessage, url: URL, body: string) => Reply;

export async function privateStore(answer: Answer): Promise<PrivateStore> {
	const requests: string[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const url = new URL(request.url ?? "/", "http://store");
			const reply = answer(request, url, Buffer.concat(chunks).toString("utf8"));
			requests.push(`${request.method} ${url.pathname} ${reply.status}`);
			send(request, response, reply);
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

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
	const whole = Buffer.from(reply.body ?? "");
	const asked = reply.status === 200 ? range(request, whole.length) : undefined;
	const body = asked ? whole.subarray(asked.from, asked.to + 1) : whole;
	response.writeHead(asked ? 206 : reply.status, {
		"content-length": String(body.length),
		...(asked && { "content-range": `bytes ${asked.from}-${asked.to}/${whole.length}` }),
		...reply.headers,
	});
	response.end(request.method === "HEAD" ? undefined : body);
}

function range(request: IncomingMessage, length: number): { from: number; to: number } | undefined {
	const header = request.headers.range ?? request.headers["x-ms-range"];
	const match = /^bytes=(\d+)-(\d*)$/.exec(String(header ?? ""));
	if (match === null || length === 0) return undefined;
	return { from: Number(match[1]), to: Math.min(match[2] ? Number(match[2]) : length - 1, length - 1) };
}
