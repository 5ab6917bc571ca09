import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import { type EndpointName, endpoints } from "../../schemas/endpoints";
import type { FaultRule } from "../faults";
import { requireAccess, requireTeam, type TokenGrant } from "./auth";
import { parseJsonObject, readBody, requireJsonType } from "./body";
import type { HonoEnv, ServerContext } from "./context";
import { decodeQuery, parseShape } from "./decode";
import { deliver, resetConnection, wrongReply } from "./deliver";
import { type Call, handlers, queryShapeOf } from "./handlers";
import { receiveFile } from "./upload";

/** One request to an endpoint of the table: token, scope, fault, fields, team, work, save, reply. */
export async function serveCall(
	context: ServerContext,
	name: EndpointName,
	c: Context<HonoEnv>,
): Promise<Response> {
	const grant = context.tokens.authenticate(c.req.header("authorization"));
	requireAccess(grant, endpoints[name].access);
	// Behind the token, so that nobody without one meets a fault, or learns that there are any.
	const fault = context.faults.take(name);
	const early = await failEarly(c, fault);
	if (early !== undefined) return early;
	const call = await readCall(context, name, grant, c, fault);
	if (fault?.kind === "late-commit") {
		workLater(context, name, call, fault.ms);
		return resetConnection(c);
	}
	return deliver(c, await work(context, name, call), fault, context.closing);
}

/** Faults that strike before any work is done. */
async function failEarly(c: Context<HonoEnv>, fault: FaultRule | undefined): Promise<Response | undefined> {
	switch (fault?.kind) {
		case "delay":
			await sleep(fault.ms, undefined, { ref: false });
			return undefined;
		case "reset-before":
			return resetConnection(c);
		case "html":
		case "status":
			return fault.afterWork === true ? undefined : wrongReply(fault);
		default:
			return undefined;
	}
}

async function readCall(
	context: ServerContext,
	name: EndpointName,
	grant: TokenGrant,
	c: Context<HonoEnv>,
	fault: FaultRule | undefined,
): Promise<Call> {
	const { body: bodyShape, bodyType } = endpoints[name];
	const params = new URL(c.req.url).searchParams;
	const query = parseShape(queryShapeOf(name), decodeQuery(queryShapeOf(name), params));
	const team = (values: Record<string, unknown>) =>
		requireTeam(context.world, grant, typeof values.team_name === "string" ? values.team_name : undefined);
	const common = {
		world: context.world,
		user: grant.user,
		query,
		jobId: c.req.param("job_id") ?? "",
		serverUrl: context.url(),
		failUpload:
			fault?.kind === "failed-upload" ? (fault.message ?? "The file could not be stored.") : undefined,
	};
	if (bodyType === "multipart") {
		// The team comes with the query, so a refusal does not have to wait for the file.
		const allowed = team(query);
		const { uploadBytes, bodyMillis } = context.limits;
		const body = await receiveFile(c.env.incoming, { bytes: uploadBytes, idleMillis: bodyMillis });
		return { ...common, team: allowed, body };
	}
	// A GET may announce a body type and send none, or one nobody knows the meaning of: it is never read.
	if (bodyShape === undefined) {
		const current = team(query);
		const past = fault?.kind === "stale-list" ? context.past.team(current.name, fault.ms) : undefined;
		return { ...common, team: past ?? current, body: undefined };
	}
	const bytes = await readBody(c.env.incoming, context.limits.jsonBytes, context.limits.bodyMillis);
	requireJsonType(c.req.header("content-type"), bytes);
	const body = parseShape(bodyShape, parseJsonObject(bytes));
	return { ...common, team: team(body), body };
}

/** A write is acknowledged only once it is safe on disk. */
async function work(context: ServerContext, name: EndpointName, call: Call): Promise<unknown> {
	// The table ties each handler to its own call; only the name that joins them is dynamic here.
	const handler = handlers[name] as (call: Call) => unknown;
	const reply = handler(call);
	if (endpoints[name].access === "write") await context.store.saved();
	return reply;
}

function workLater(context: ServerContext, name: EndpointName, call: Call, ms: number): void {
	const late = async (): Promise<void> => {
		await sleep(ms, undefined, { ref: false, signal: context.closing });
		await work(context, name, call);
	};
	// Nobody waits for the outcome: the connection is gone, and a refused call changes nothing.
	late().catch(() => {});
}
