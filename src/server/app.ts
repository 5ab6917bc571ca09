import { setTimeout as sleep } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { requestId } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import { z } from "zod";
import { endpoints } from "../schemas/endpoints";
import { parseInstant } from "../schemas/instant";
import { openObject } from "../schemas/primitives";
import type { EndpointName } from "../schemas/wire/endpoints";
import { requireTeam, type Tokens } from "./auth";
import { deliver, resetConnection, reshape, wrongReply } from "./fault-replies";
import { FAILURES, type FaultRequest, type Faults } from "./faults";
import { receiveFile } from "./files";
import { handlers } from "./handlers";
import { invalid, notFound, Refusal } from "./inputs";
import { openApiDocument } from "./openapi";
import type { Store } from "./persistence";
import type { RequestLog } from "./request-log";
import { jobById } from "./state";
import type { Call, World } from "./world";

/** What every request handler works with. */
export interface ServerContext {
	readonly world: World;
	readonly store: Store;
	readonly tokens: Tokens;
	readonly faults: Faults;
	readonly requests: RequestLog;
	readonly log: (line: string) => void;
}

export interface HonoEnv {
	Bindings: HttpBindings;
	Variables: { sentStatus?: number };
}

const names = Object.keys(endpoints) as EndpointName[];
/** `{job_id}` in the table, `:job_id` in the router. */
const routeOf = (name: EndpointName): string => `/api${endpoints[name].path.replace(/\{(\w+)\}/g, ":$1")}`;
const endpointOf = new Map(names.map((name) => [`${endpoints[name].method} ${routeOf(name)}`, name]));

export function makeApp(context: ServerContext): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.use("*", requestId());
	app.use("*", (c, next) => record(context, c, next));
	for (const name of names) {
		app.on(endpoints[name].method, routeOf(name), (c) => serveCall(context, name, c));
	}
	app.get("/api/openapi.json", () => Response.json(openApiDocument()));
	extraRoutes(app, context);
	app.notFound(({ req: { path, method } }) => {
		const asked = `${method} ${path.slice(0, 200)}`;
		return errorReply(notFound(`There is no ${asked}. Paths are exact, trailing slash included.`));
	});
	app.onError((error) => {
		if (error instanceof Refusal) return errorReply(error);
		context.log(`error: ${error.name}: ${error.message}`);
		return errorReply(new Refusal(500, "The server failed to answer this request."));
	});
	return app;
}

/** The one shape of an error that the service's own client reads. */
export function errorReply({ status, message, headers }: Refusal): Response {
	return Response.json({ message }, { status, headers });
}

async function record(context: ServerContext, c: Context<HonoEnv>, next: () => Promise<void>): Promise<void> {
	const began = performance.now();
	const { method } = c.req;
	const url = new URL(c.req.url);
	const [endpoint] = matchedRoutes(c).flatMap(({ path }) => endpointOf.get(`${method} ${path}`) ?? []);
	const done = context.requests.begin({ method, path: url.pathname, query: url.search.slice(1), endpoint });
	await next();
	const status = c.get("sentStatus") ?? c.res.status;
	done(status);
	context.log(`${method} ${url.pathname} ${status} ${Math.round(performance.now() - began)}ms`);
}

// ── One request ──

/** One request to an endpoint of the table: token, scope, body, faults, fields, team, work, save, reply. */
async function serveCall(context: ServerContext, name: EndpointName, c: Context<HonoEnv>): Promise<Response> {
	const { tokens, faults, world } = context;
	const { access, query, body, bodyType } = endpoints[name];
	const grant = tokens.authenticate(c.req.header("authorization"), access);
	// The fields travel in the body, or in the query where there is none; those of an upload come beside the file.
	const isJson = body !== undefined && bodyType !== "multipart";
	const sent = isJson ? await readJson(c) : decodeQuery(query, new URL(c.req.url).searchParams);
	const { team_name: named } = sent;
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
	const fields = { ...parseShape(isJson ? body : query, sent), ...c.req.param() };
	const team = requireTeam(world, grant, asked.team);
	// The team of an upload comes with the query, so a refusal does not have to wait for the file.
	const input = bodyType === "multipart" ? await receiveFile(c.req) : fields;
	const call = { world, team: faults.view(asked, team), user: grant.user, input };
	if (failure?.kind === "late-commit") {
		world.after(failure.ms, team, () => workUnseen(name, call));
		return resetConnection(c);
	}
	const reply = faults.work(asked, () => work(name, call));
	// A write is acknowledged only once it is safe on disk.
	if (access === "write") context.store.save();
	return deliver(c, reshape(faults, asked, name, reply), failure);
}

function work(name: EndpointName, call: Call): unknown {
	// The table ties each handler to its own call; only the name that joins them is dynamic here.
	const handler = handlers[name] as (call: Call) => unknown;
	return handler(call);
}

/** Nobody waits for the outcome: the connection is gone, and a refused call changes nothing. */
function workUnseen(name: EndpointName, call: Call): void {
	try {
		work(name, call);
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
	}
}

/** A JSON object with its null fields left out: the service's client sends what is not set as null. */
async function readJson(c: Context<HonoEnv>): Promise<Record<string, unknown>> {
	const text = await c.req.text();
	try {
		const body = openObject.parse(JSON.parse(text || "{}"));
		return Object.fromEntries(Object.entries(body).filter(([, field]) => field !== null));
	} catch {
		throw invalid("The body must be a JSON object.");
	}
}

/** Query parameters are text; the schema of each says what the text stands for. */
function decodeQuery(shape: z.ZodRawShape, query: URLSearchParams): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const [name, schema] of Object.entries(shape)) {
		// `status=` says as much as no status at all.
		const texts = query.getAll(name).filter((text) => text !== "");
		if (texts.length > 0) values[name] = decodeValue(schema, texts);
	}
	return values;
}

function decodeValue(schema: z.core.$ZodType, texts: string[]): unknown {
	const [text = ""] = texts;
	if (schema instanceof z.ZodOptional) return decodeValue(schema.unwrap(), texts);
	if (schema instanceof z.ZodArray) return texts;
	if (schema instanceof z.ZodNumber && /^-?\d{1,20}$/.test(text)) return Number(text);
	// The service's client is written in Python and sends True.
	if (schema instanceof z.ZodBoolean && /^(true|1)$/i.test(text)) return true;
	if (schema instanceof z.ZodBoolean && /^(false|0)$/i.test(text)) return false;
	return text;
}

/** Unknown fields are ignored, as everywhere in this API; wrong ones are named, without their value. */
function parseShape(shape: z.ZodRawShape, values: Record<string, unknown>): Record<string, unknown> {
	const parsed = z.object(shape).safeParse(values);
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
	throw invalid(`${problems.join("; ")}.`);
}

// ── Beside the table ──

/** Paths that the REST document does not have: one the service's client asks for, and the switches for tests. */
function extraRoutes(app: Hono<HonoEnv>, context: ServerContext): void {
	app.get("/api/datachain/datasets/dataset_job_versions", (c) => {
		const grant = context.tokens.authenticate(c.req.header("authorization"), "read");
		const team = requireTeam(context.world, grant, c.req.query("team_name"));
		return c.json({ dataset_versions: jobById(team, c.req.query("job_id") ?? "")?.produced ?? [] });
	});
	app.on(["POST", "DELETE"], "/api/_test/faults", async (c) => {
		const { faults } = context;
		requireSwitch(context, c, faults.enabled, "Faults are off. Start the server with --faults.");
		if (c.req.method === "POST") faults.add(await readJson(c));
		else faults.clear();
		return c.json({ ok: true });
	});
	app.post("/api/_test/clock", async (c) => {
		const { clock } = context.world;
		requireSwitch(context, c, clock.manual, "The clock is the system's and cannot be moved.");
		const move = clockMove.safeParse(await readJson(c));
		if (!move.success)
			throw invalid("Give advance_ms (a number of milliseconds) or set (an ISO 8601 date-time).");
		if ("set" in move.data) clock.set(move.data.set);
		else clock.advance(move.data.advance_ms);
		context.store.save();
		return c.json({ now: new Date(clock.now()).toISOString() });
	});
}

/** The token comes first: without one nobody learns which switches there are. */
function requireSwitch(context: ServerContext, c: Context<HonoEnv>, on: boolean, message: string): void {
	context.tokens.authenticate(c.req.header("authorization"), "write");
	if (!on) throw notFound(message);
}

const clockMove = z.union([
	z.strictObject({ advance_ms: z.number().min(0).max(1e12) }),
	z.strictObject({ set: z.string().refine((text) => parseInstant(text) !== undefined) }),
]);
