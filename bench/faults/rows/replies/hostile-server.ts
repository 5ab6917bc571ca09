import { createServer, type Socket } from "node:net";
import { endpoints } from "../../../../src/schemas/endpoints";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { Random } from "../../random";
import type { Templates } from "./templates";
import { drawKind, type WireReply, wireReply } from "./wire";

/** Both processes find a case's random stream by this name. */
export const caseRandom = (seed: string, endpoint: EndpointName, index: number): Random =>
	new Random(`${seed}/${endpoint}/${index}`);

/** A case travels as the team of the request: the one field that every endpoint has. */
export const caseTeam = (endpoint: EndpointName, index: number): string => `case-${endpoint}-${index}`;
export const VALID_TEAM = "valid";

export interface HostileServer {
	readonly url: string;
	/** How many replies were spoilt, and how many of the client's own cases met one. */
	readonly spoilt: () => { readonly replies: number; readonly cases: number };
	/** The most bytes that one endless reply could send before the client hung up. */
	readonly longestFlood: () => number;
	close(): Promise<void>;
}

/** Only the client's own limits shall end an endless reply; this ends it where they do not. */
const FLOOD_LIMIT = 64 * 1024 * 1024;
const DRIP_LIMIT = 1_000;

/** A raw socket server that answers each request with the spoilt reply its team asks for, and others with valid ones. */
export async function startHostileServer(
	seed: string,
	templates: Templates,
	perEndpoint: number,
): Promise<HostileServer> {
	const counts = { spoilt: 0, longest: 0 };
	const cases = new Set<string>();
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.setNoDelay(true);
		socket.on("error", () => {});
		socket.on("close", () => sockets.delete(socket));
		readRequests(socket, (request) => {
			const reply = answer(seed, templates, request);
			if (reply.index !== undefined) {
				counts.spoilt += 1;
				if (reply.index < perEndpoint) cases.add(request.team);
			}
			void play(socket, reply).then((sent) => {
				counts.longest = Math.max(counts.longest, sent);
			});
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	return {
		url: `http://127.0.0.1:${port}`,
		spoilt: () => ({ replies: counts.spoilt, cases: cases.size }),
		longestFlood: () => counts.longest,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				for (const socket of sockets) socket.destroy();
			}),
	};
}

interface Request {
	readonly endpoint: EndpointName | undefined;
	readonly team: string;
	/** The token and the body: what a careless service would repeat. */
	readonly echo: string;
}

/** Requests one after another, as HTTP/1.1 sends them without chunks; the client here never pipelines. */
function readRequests(socket: Socket, onRequest: (request: Request) => void): void {
	let waiting = Buffer.alloc(0);
	socket.on("data", (part) => {
		waiting = Buffer.concat([waiting, part]);
		for (;;) {
			const headEnd = waiting.indexOf("\r\n\r\n");
			if (headEnd < 0) return;
			const head = waiting.toString("latin1", 0, headEnd);
			const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
			const end = headEnd + 4 + length;
			if (waiting.length < end) return;
			const body = waiting.toString("utf8", headEnd + 4, end);
			waiting = waiting.subarray(end);
			onRequest(parseRequest(head, body));
		}
	});
}

function parseRequest(head: string, body: string): Request {
	const [method = "", target = "/"] = (head.split("\r\n", 1)[0] ?? "").split(" ");
	const url = new URL(target, "http://hostile");
	const team = url.searchParams.get("team_name") ?? /"team_name":"([^"]*)"/.exec(body)?.[1] ?? "";
	const token = /^authorization: *(.*)$/im.exec(head)?.[1] ?? "";
	return { endpoint: endpointOf(method, url.pathname.replace(/^\/api/, "")), team, echo: `${token} ${body}` };
}

const PATHS = (Object.keys(endpoints) as EndpointName[]).map((name) => ({
	name,
	method: endpoints[name].method,
	path: new RegExp(`^${endpoints[name].path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));

const endpointOf = (method: string, path: string): EndpointName | undefined =>
	PATHS.find((candidate) => candidate.method === method && candidate.path.test(path))?.name;

function answer(seed: string, templates: Templates, request: Request): WireReply & { index?: number } {
	const { endpoint, team, echo } = request;
	if (endpoint === undefined) return { bytes: Buffer.from("HTTP/1.1 500 X\r\n\r\n"), ending: "close" };
	const [, target, index] = /^case-(\w+)-(\d+)$/.exec(team) ?? [];
	if (target !== endpoint) return valid(templates[endpoint]);
	const random = caseRandom(seed, endpoint, Number(index));
	return { ...wireReply(drawKind(random), templates[endpoint], random, echo), index: Number(index) };
}

function valid(content: unknown): WireReply {
	const body = JSON.stringify(content);
	const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
	return { bytes: Buffer.from(head + body), ending: "keep" };
}

/** Sends the reply and, for those without an end, more until the client hangs up. Tells how much an endless one sent. */
async function play(socket: Socket, { bytes, ending, more = Buffer.alloc(0) }: WireReply): Promise<number> {
	if (bytes.length > 0) socket.write(bytes);
	if (ending === "close") socket.end();
	// Written first and reset later, so that sometimes the bytes and sometimes only the reset arrive.
	if (ending === "reset") setImmediate(() => socket.resetAndDestroy());
	if (ending === "drip") await drip(socket, more);
	return ending === "flood" ? flood(socket, more) : 0;
}

async function drip(socket: Socket, more: Buffer): Promise<void> {
	for (let times = 0; times < DRIP_LIMIT && !socket.destroyed; times += 1) {
		socket.write(more);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	socket.destroy();
}

async function flood(socket: Socket, more: Buffer): Promise<number> {
	let sent = 0;
	while (sent < FLOOD_LIMIT && !socket.destroyed) {
		sent += more.length;
		if (socket.write(more)) continue;
		await new Promise<void>((resolve) => {
			const done = () => {
				socket.off("drain", done);
				socket.off("close", done);
				resolve();
			};
			socket.on("drain", done);
			socket.on("close", done);
		});
	}
	socket.destroy();
	return sent;
}
