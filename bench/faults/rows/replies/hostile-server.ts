import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { endpoints } from "../../../../src/schemas/endpoints";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { ENDPOINTS, NAMES } from "./calls";
import { type WireReply, whole } from "./spoil";

/** The reply to one team's requests at one endpoint; a case travels as the team, which every request names. */
export interface Plan {
	readonly endpoint: EndpointName;
	reply(valid: unknown, echo: string): WireReply;
	met: boolean;
}

export type HostileServer = Awaited<ReturnType<typeof startHostileServer>>;

/** Only the client's own limits shall end an endless reply; this ends it where they do not. */
const FLOOD_LIMIT = 64 * 1024 * 1024;
const DRIP_LIMIT = 1_000;

/** A raw socket server: what it answers no HTTP library would send. */
export async function startHostileServer() {
	/** By team; what has no plan is answered as it should be. */
	const plans = new Map<string, Plan>();
	/** Replies that were spoilt, and the most bytes that an endless one could send. */
	const counts = { spoilt: 0, longestFlood: 0 };
	const sockets = new Set<Socket>();
	const answer = (head: string, body: string): WireReply => {
		const [method = "", target = "/"] = (head.split("\r\n", 1)[0] ?? "").split(" ");
		const url = new URL(target, "http://hostile");
		const team = url.searchParams.get("team_name") ?? /"team_name":"([^"]*)"/.exec(body)?.[1] ?? "";
		const endpoint = endpointOf(method, url.pathname.replace(/^\/api/, ""));
		const valid = endpoint && ENDPOINTS[endpoint].valid;
		const plan = plans.get(team);
		if (plan?.endpoint !== endpoint || plan === undefined)
			return whole(200, Buffer.from(JSON.stringify(valid ?? {})));
		counts.spoilt += 1;
		plan.met = true;
		// The token and the body are what a careless service would repeat.
		return plan.reply(valid, `${/^authorization: *(.*)$/im.exec(head)?.[1]} ${body}`);
	};
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.setNoDelay(true);
		socket.on("error", () => {});
		socket.on("close", () => sockets.delete(socket));
		readRequests(socket, async (head, body) => {
			const sent = await play(socket, answer(head, body));
			counts.longestFlood = Math.max(counts.longestFlood, sent);
		});
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		plans,
		counts,
		async close(): Promise<void> {
			const closed = once(server, "close");
			server.close();
			for (const socket of sockets) socket.destroy();
			await closed;
		},
	};
}

/** Requests one after another, as HTTP/1.1 sends them without chunks; the client here never pipelines. */
function readRequests(socket: Socket, onRequest: (head: string, body: string) => void): void {
	let waiting = Buffer.alloc(0);
	socket.on("data", (part) => {
		waiting = Buffer.concat([waiting, part]);
		for (;;) {
			const headEnd = waiting.indexOf("\r\n\r\n");
			if (headEnd < 0) return;
			const head = waiting.toString("latin1", 0, headEnd);
			const end = headEnd + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
			if (waiting.length < end) return;
			const body = waiting.toString("utf8", headEnd + 4, end);
			waiting = waiting.subarray(end);
			onRequest(head, body);
		}
	});
}

const PATTERNS = NAMES.map((name) => ({
	name,
	pattern: new RegExp(`^${endpoints[name].method} ${endpoints[name].path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));
const endpointOf = (method: string, path: string): EndpointName | undefined =>
	PATTERNS.find(({ pattern }) => pattern.test(`${method} ${path}`))?.name;

/** Sends the reply and, for those without an end, more until the client hangs up. Tells how much an endless one sent. */
async function play(socket: Socket, { bytes, ending, more }: WireReply): Promise<number> {
	if (bytes.length > 0) socket.write(bytes);
	if (ending === "close") socket.end();
	// Written first and reset later, so that sometimes the bytes and sometimes only the reset arrive.
	if (ending === "reset") setImmediate(() => socket.resetAndDestroy());
	if (ending !== "drip" && ending !== "flood") return 0;
	const most = ending === "drip" ? DRIP_LIMIT * more.length : FLOOD_LIMIT;
	let sent = 0;
	for (; sent < most && !socket.destroyed; sent += more.length) {
		const drained = socket.write(more);
		if (ending === "drip") await new Promise((resolve) => setTimeout(resolve, 20));
		else if (!drained) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
	}
	socket.destroy();
	return ending === "flood" ? sent : 0;
}
