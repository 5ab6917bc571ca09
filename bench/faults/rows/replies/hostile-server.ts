import { once } from "node:events";
import type { Socket } from "node:net";
import { endpoints } from "../../../../src/schemas/endpoints";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { calls } from "../../../../test/helpers/api-calls";
import { type RecordedRequest, startRawServer } from "../../../../test/helpers/api-servers";
import { type WireReply, whole } from "./spoil";

/** What becomes of one team's requests; a case travels as the team, which every request names. */
export interface Plan {
	/** So many requests are answered as they should be; the next one names the endpoint whose replies are spoilt. */
	skip: number;
	endpoint?: EndpointName | undefined;
	reply(valid: unknown, echo: string): WireReply;
	met: boolean;
}

export type HostileServer = Awaited<ReturnType<typeof startHostileServer>>;

export const NAMES = Object.keys(endpoints) as EndpointName[];
const PATTERNS = NAMES.map((name) => {
	const { method, path } = endpoints[name];
	return { name, pattern: new RegExp(`^${method} /api${path.replace(/\{\w+\}/g, "[^/]+")}$`) };
});

/** Only the client's own limits shall end an endless reply; this ends it where they do not. */
const FLOOD_LIMIT = 64 * 1024 * 1024;
const DRIP_LIMIT = 1_000;

/** Answers on the bare socket: no HTTP library would send such replies. */
export async function startHostileServer() {
	/** By team; what has no plan is answered as it should be. */
	const plans = new Map<string, Plan>();
	/** Replies that were spoilt, and the most bytes that an endless one could send. */
	const counts = { spoilt: 0, longestFlood: 0 };
	const answer = ({ method, path, query, headers, body }: RecordedRequest): WireReply => {
		const team = new Map(query).get("team_name") ?? /"team_name":"([^"]*)"/.exec(body)?.[1] ?? "";
		const endpoint = PATTERNS.find(({ pattern }) => pattern.test(`${method} ${path}`))?.name;
		const valid = endpoint && calls[endpoint].reply;
		const plan = plans.get(team);
		if (plan !== undefined && plan.skip-- <= 0) plan.endpoint ??= endpoint;
		if (plan?.endpoint !== endpoint || plan === undefined) return whole(200, JSON.stringify(valid ?? {}));
		counts.spoilt += 1;
		plan.met = true;
		// The token and the body are what a careless service would repeat.
		return plan.reply(valid, `${headers.authorization} ${body}`);
	};
	const server = await startRawServer(async ({ request, socket }) => {
		const sent = await play(socket, answer(request));
		counts.longestFlood = Math.max(counts.longestFlood, sent);
		// Its memory is part of what is measured.
		server.requests.length = 0;
	});
	return { url: server.url, close: server.close, plans, counts };
}

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
