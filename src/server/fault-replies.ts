import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { EndpointName } from "../schemas/wire/endpoints";
import type { Failure, RuleOf } from "./fault-rules";
import type { FaultRequest, Faults } from "./faults";
import type { HonoEnv } from "./hono-env";
import { Refusal } from "./inputs";

const JSON_TYPE = { "Content-Type": "application/json" };
const SLOW_PIECES = 20;

/** Ends the connection as a crashed server or a dropped line would: with a reset, without a reply. */
export function resetConnection(c: Context<HonoEnv>): Response {
	c.set("sentStatus", 0);
	c.env.incoming.socket.resetAndDestroy();
	return RESPONSE_ALREADY_SENT;
}

/** The reply that the fault asks for instead of the real one. */
export function wrongReply(fault: RuleOf<"html" | "status">): Response {
	if (fault.kind === "html") {
		const { status = 502 } = fault;
		const page = `<!doctype html>\n<html><head><title>${status}</title></head><body><h1>${status} from a proxy</h1></body></html>\n`;
		return new Response(page, {
			status,
			headers: { "Content-Type": "text/html; charset=utf-8" },
		});
	}
	const headers: Record<string, string> =
		fault.retryAfter === undefined ? {} : { "Retry-After": String(fault.retryAfter) };
	throw new Refusal(
		fault.status,
		fault.message ?? `Fault: status ${fault.status} was asked for.`,
		headers,
	);
}

/** Sends the reply, in the way the fault wants it. */
export async function deliver(
	c: Context<HonoEnv>,
	body: unknown,
	fault: Failure | undefined,
): Promise<Response> {
	const text = JSON.stringify(body);
	switch (fault?.kind) {
		case "html":
		case "status":
			// Without `afterWork` the call has ended before the work.
			return wrongReply(fault);
		case "reset-after":
			return resetConnection(c);
		case "truncated-json":
			// The HTTP message is whole; what it says breaks off. Half of it never parses, `[]` and `{}` included.
			return new Response(text.slice(0, Math.ceil(text.length / 2)), {
				headers: JSON_TYPE,
			});
		case "slow-body":
			await trickle(c.env.outgoing, Buffer.from(text), fault.ms);
			return RESPONSE_ALREADY_SENT;
		default:
			return new Response(text, { headers: JSON_TYPE });
	}
}

async function trickle(
	outgoing: ServerResponse,
	bytes: Buffer,
	ms: number,
): Promise<void> {
	const size = Math.max(1, Math.ceil(bytes.length / SLOW_PIECES));
	outgoing.writeHead(200, { ...JSON_TYPE, "Content-Length": bytes.length });
	for (let at = 0; at < bytes.length && !outgoing.destroyed; at += size) {
		outgoing.write(bytes.subarray(at, at + size));
		await sleep(ms, undefined, { ref: false });
	}
	outgoing.end();
}

// ── What the reply says ──

/** The reply as the rules want it: cut short, or saying something else. */
export function reshape(
	faults: Faults,
	request: FaultRequest,
	name: EndpointName,
	reply: unknown,
): unknown {
	const cap = faults.take(request, ["capped-list"]);
	const capped =
		cap !== undefined && Array.isArray(reply) ? cut(name, reply, cap) : reply;
	const changed = rewritten(faults, request, capped);
	if (!Array.isArray(changed)) return changed;
	const ordered =
		faults.take(request, ["reversed-list"]) === undefined
			? changed
			: [...changed].reverse();
	return faults.take(request, ["wrapped-list"]) === undefined
		? ordered
		: { items: ordered };
}

/** The content as every matching rule has it. */
export function rewritten(
	faults: Faults,
	request: FaultRequest,
	content: unknown,
): unknown {
	const rewrites = faults.takeAll(request, ["rewrite"]);
	if (rewrites.length === 0) return content;
	// A reply may share parts with the state, which no rule is to change.
	const changed: unknown = JSON.parse(JSON.stringify(content));
	for (const rule of rewrites) rewrite(changed, rule);
	return changed;
}

/** The fields of a request as the rule has them. */
export function misread(
	fields: Readonly<Record<string, unknown>>,
	{ ignore = [], set = {} }: RuleOf<"misread">,
): Record<string, unknown> {
	const read = Object.entries(fields).filter(([name]) => !ignore.includes(name));
	return { ...Object.fromEntries(read), ...set };
}

/** The refusal as the rule has it: with another status, or with its reason in another field. */
export function otherRefusal(
	{ status, message, headers }: Refusal,
	rule: Pick<RuleOf<"refusal">, "status" | "field">,
): Response {
	const body = { [rule.field ?? "message"]: message };
	return Response.json(body, { status: rule.status ?? status, headers });
}

/** Lists that have the newest element in front; the others have it at the end. */
const NEWEST_FIRST: readonly EndpointName[] = ["listJobs", "listPipelines"];

function cut(
	name: EndpointName,
	list: unknown[],
	{ limit, which: end }: RuleOf<"capped-list">,
): unknown[] {
	const fromFront = NEWEST_FIRST.includes(name) === (end === "newest");
	return fromFront
		? list.slice(0, limit)
		: list.slice(Math.max(0, list.length - limit));
}

function rewrite(reply: unknown, rule: RuleOf<"rewrite">): void {
	const { set = {}, remove = [], fraction = {}, mask = {} } = rule;
	for (const path of remove) atPath(reply, path, Reflect.deleteProperty);
	for (const [path, value] of Object.entries(set)) {
		atPath(reply, path, (parent, key) => Reflect.set(parent, key, value));
	}
	for (const [path, digits] of Object.entries(fraction)) {
		atPath(reply, path, (parent, key) => {
			const instant: unknown = Reflect.get(parent, key);
			if (typeof instant === "string")
				Reflect.set(parent, key, withFraction(instant, digits));
		});
	}
	for (const [path, visiblePart] of Object.entries(mask)) {
		atPath(reply, path, (parent, key) => {
			const text: unknown = Reflect.get(parent, key);
			if (typeof text === "string") Reflect.set(parent, key, masked(text, visiblePart));
		});
	}
}

/** Calls back with each object that the path's last key belongs to; where there is none, nothing happens. */
function atPath(
	value: unknown,
	path: string,
	change: (parent: object, key: string) => void,
): void {
	if (typeof value !== "object" || value === null) return;
	const [key = "", ...rest] = path.split(".");
	for (const one of key === "*" ? Object.keys(value) : [key]) {
		if (rest.length === 0) change(value, one);
		else atPath(Reflect.get(value, one), rest.join("."), change);
	}
}

/** Which characters stay, and with what a service may hide the others. */
function masked(text: string, visiblePart: "head" | "tail" | "none"): string {
	if (visiblePart === "none") return "*".repeat(8);
	return visiblePart === "head"
		? `${text.slice(0, 3)}${"*".repeat(3)}`
		: `${"•".repeat(4)}${text.slice(-3)}`;
}

function withFraction(instant: string, digits: number): string {
	return instant.replace(
		/(:\d\d:\d\d)(?:\.(\d+))?/,
		(_, time: string, fraction = "") =>
			digits === 0
				? time
				: `${time}.${String(fraction).padEnd(digits, "0").slice(0, digits)}`,
	);
}
