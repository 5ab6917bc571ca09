import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import { endpoints } from "../../schemas/endpoints";
import type { EndpointName } from "../../schemas/wire/endpoints";
import { FAILURES, type Failure, type FaultRequest } from "../fault-rules";
import { writeLate } from "../late-effects";
import { Refusal } from "../refusal";
import type { TeamState } from "../state";
import type { World } from "../world";
import { type Access, requireTeam } from "./auth";
import { parseJsonObject, readBody, requireJsonType } from "./body";
import type { HonoEnv, ServerContext } from "./context";
import { decodeQuery, parseShape } from "./decode";
import { deliver, resetConnection, wrongReply } from "./deliver";
import { type Call, handlers, queryShapeOf } from "./handlers";
import { reshape } from "./reshape";
import { receiveFile } from "./upload";

/** One request to an endpoint of the table: token, scope, body, faults, fields, team, work, save, reply. */
export async function serveCall(
	context: ServerContext,
	name: EndpointName,
	c: Context<HonoEnv>,
): Promise<Response> {
	const { tokens, faults, world } = context;
	const access = tokens.authenticate(c.req.header("authorization"), endpoints[name].access);
	const body = await readJson(context, name, c);
	const team = teamOf(access, body ?? { team_name: paramsOf(c).get("team_name") || undefined });
	const asked: FaultRequest = { target: name, team };
	// Behind the token, so that nobody without one meets a fault, or learns that there are any.
	const wait = faults.secondsToWait(asked);
	if (wait !== undefined) throw new Refusal(429, "Too many requests.", { "Retry-After": String(wait) });
	const failure = faults.take(asked, FAILURES);
	const early = await failEarly(c, failure);
	if (early !== undefined) return early;
	const call = await readCall(context, name, access, c, body, failure);
	if (failure?.kind === "late-commit") {
		world.after(failure.ms, call.team, () => workUnseen(name, call));
		return resetConnection(c);
	}
	const late = faults.take(asked, ["late-effect"]);
	const reply =
		late === undefined
			? work(name, call, world, faults.view(asked, call.team))
			: writeLate(world, call.team, late.ms, (draft, team) => work(name, call, draft, team));
	// A write is acknowledged only once it is safe on disk.
	if (endpoints[name].access === "write") await context.store.saved();
	return deliver(c, reshape(faults, asked, name, reply), failure);
}

/** Faults that strike before any work is done. */
async function failEarly(c: Context<HonoEnv>, failure: Failure | undefined): Promise<Response | undefined> {
	switch (failure?.kind) {
		case "delay":
			await sleep(failure.ms, undefined, { ref: false });
			break;
		case "reset-before":
			return resetConnection(c);
		case "html":
		case "status":
			if (failure.afterWork !== true) return wrongReply(failure);
	}
	return undefined;
}

/** The JSON body of a request that has one; a fault may depend on the team it names. */
async function readJson(
	{ limits }: ServerContext,
	name: EndpointName,
	c: Context<HonoEnv>,
): Promise<Record<string, unknown> | undefined> {
	const { body, bodyType } = endpoints[name];
	// A GET may announce a body type and send none, or one nobody knows the meaning of: it is never read.
	if (body === undefined || bodyType === "multipart") return undefined;
	const bytes = await readBody(c.env.incoming, limits);
	requireJsonType(c.req.header("content-type"), bytes);
	return parseJsonObject(bytes);
}

const paramsOf = (c: Context<HonoEnv>): URLSearchParams => new URL(c.req.url).searchParams;

const teamOf = (access: Access, values: Record<string, unknown>): string | undefined =>
	typeof values.team_name === "string" ? values.team_name : access.defaultTeam;

async function readCall(
	context: ServerContext,
	name: EndpointName,
	access: Access,
	c: Context<HonoEnv>,
	body: Record<string, unknown> | undefined,
	failure: Failure | undefined,
): Promise<Call> {
	const query = parseShape(queryShapeOf(name), decodeQuery(queryShapeOf(name), paramsOf(c)));
	const { body: bodyShape, bodyType } = endpoints[name];
	const fields = bodyShape === undefined || body === undefined ? undefined : parseShape(bodyShape, body);
	const team = requireTeam(context.world, access, teamOf(access, fields ?? query));
	return {
		world: context.world,
		team,
		user: access.user,
		// The team of an upload comes with the query, so a refusal does not have to wait for the file.
		input:
			bodyType === "multipart"
				? await receiveFile(c.env.incoming, context.limits)
				: { ...query, ...fields, ...c.req.param() },
		serverUrl: context.url(),
		failUpload:
			failure?.kind === "failed-upload" ? (failure.message ?? "The file could not be stored.") : undefined,
	};
}

function work(name: EndpointName, call: Call, world: World, team: TeamState): unknown {
	// The table ties each handler to its own call; only the name that joins them is dynamic here.
	const handler = handlers[name] as (call: Call) => unknown;
	return handler({ ...call, world, team });
}

/** Nobody waits for the outcome: the connection is gone, and a refused call changes nothing. */
function workUnseen(name: EndpointName, call: Call): void {
	try {
		work(name, call, call.world, call.team);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
	}
}
