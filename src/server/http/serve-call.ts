import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import { endpoints } from "../../schemas/endpoints";
import type { EndpointName } from "../../schemas/wire/endpoints";
import { FAILURES, type FaultRequest } from "../fault-rules";
import { writeLate } from "../late-effects";
import { Refusal } from "../refusal";
import type { TeamState } from "../state";
import type { World } from "../world";
import { requireTeam } from "./auth";
import { readJson } from "./body";
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
	const { tokens, faults, world, limits } = context;
	const { access, body: bodyShape, bodyType } = endpoints[name];
	const grant = tokens.authenticate(c.req.header("authorization"), access);
	// A GET may announce a body type and send none, or one nobody knows the meaning of: it is never read.
	const body = bodyShape === undefined || bodyType === "multipart" ? undefined : await readJson(c, limits);
	const query = decodeQuery(queryShapeOf(name), new URL(c.req.url).searchParams);
	const { team_name: named } = body ?? query;
	const asked: FaultRequest = { target: name, team: typeof named === "string" ? named : grant.defaultTeam };
	// Behind the token, so that nobody without one meets a fault, or learns that there are any.
	const wait = faults.secondsToWait(asked);
	if (wait !== undefined) throw new Refusal(429, "Too many requests.", { "Retry-After": String(wait) });
	const failure = faults.take(asked, FAILURES);
	if (failure?.kind === "delay") await sleep(failure.ms, undefined, { ref: false });
	if (failure?.kind === "reset-before") return resetConnection(c);
	if ((failure?.kind === "html" || failure?.kind === "status") && failure.afterWork !== true) {
		return wrongReply(failure);
	}
	const fields = {
		...parseShape(queryShapeOf(name), query),
		...(body === undefined ? {} : parseShape(bodyShape ?? {}, body)),
		...c.req.param(),
	};
	const team = requireTeam(world, grant, asked.team);
	// The team of an upload comes with the query, so a refusal does not have to wait for the file.
	const input = bodyType === "multipart" ? await receiveFile(c.env.incoming, limits) : fields;
	const failUpload =
		failure?.kind === "failed-upload" ? (failure.message ?? "The file could not be stored.") : undefined;
	const call: Call = { world, team, user: grant.user, input, serverUrl: context.url(), failUpload };
	if (failure?.kind === "late-commit") {
		world.after(failure.ms, team, () => workUnseen(name, call));
		return resetConnection(c);
	}
	const late = faults.take(asked, ["late-effect"]);
	const reply =
		late === undefined
			? work(name, call, world, faults.view(asked, team))
			: writeLate(world, team, late.ms, (draft, copy) => work(name, call, draft, copy));
	// A write is acknowledged only once it is safe on disk.
	if (access === "write") await context.store.saved();
	return deliver(c, reshape(faults, asked, name, reply), failure);
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
