import { setTimeout as sleep } from "node:timers/promises";
import { type Context, Hono } from "hono";
import { requestId } from "hono/request-id";
import { matchedRoutes } from "hono/route";
import { z } from "zod";
import { endpoints } from "../schemas/endpoints";
import { openObject } from "../schemas/primitives";
import type { EndpointName } from "../schemas/wire/endpoints";
import { parseInstant } from "../text/instant";
import { requireTeam, type Tokens } from "./auth";
import {
	deliver,
	misread,
	otherRefusal,
	resetConnection,
	reshape,
	rewritten,
	wrongReply,
} from "./fault-replies";
import { FAILURES } from "./fault-rules";
import type { FaultRequest, Faults } from "./faults";
import { receiveFile } from "./files";
import { handlers } from "./handlers";
import type { HonoEnv } from "./hono-env";
import { conflict, invalid, notFound, Refusal } from "./inputs";
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

const names = Object.keys(endpoints) as EndpointName[];
/** `{job_id}` in the table, `:job_id` in the router. */
const routeOf = (name: EndpointName): string =>
	`/api${endpoints[name].path.replace(/\{(\w+)\}/g, ":$1")}`;
const endpointOf = new Map(
	names.map((name) => [`${endpoints[name].method} ${routeOf(name)}`, name]),
);

export function makeApp(context: ServerContext): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.use("*", requestId());
	app.use("*", (c, next) => record(context, c, next));
	for (const name of names) {
		app.on(endpoints[name].method, routeOf(name), (c) => serveCall(context, name, c));
	}
	app.get("/api/openapi.json", (c) => serveDescription(context, c));
	extraRoutes(app, context);
	const methodsOf = methodsByPath(app);
	app.notFound(({ req: { path, method } }) => {
		const asked = `${method} ${path.slice(0, 200)}`;
		const allowed = methodsOf(path);
		if (allowed.length === 0)
			return errorReply(
				notFound(`There is no ${asked}. Paths are exact, trailing slash included.`),
			);
		const allow = allowed.join(", ");
		return errorReply(
			new Refusal(405, `There is no ${asked}. This path takes ${allow}.`, {
				Allow: allow,
			}),
		);
	});
	app.onError((error, c) => {
		if (error instanceof Refusal) return refuse(context, c, error);
		context.log(`error: ${error.name}: ${error.message}`);
		return errorReply(new Refusal(500, "The server failed to answer this request."));
	});
	return app;
}

/** Which methods a path takes. */
function methodsByPath({ routes }: Hono<HonoEnv>): (path: string) => string[] {
	const methodRoutes = routes
		.filter(({ method }) => method !== "ALL")
		.map(({ method, path }) => {
			const segments = path
				.split("/")
				.map((part) => (part.startsWith(":") ? "[^/]+" : part));
			return { method, pattern: new RegExp(`^${segments.join("/")}$`) };
		});
	return (path) => {
		const methods = methodRoutes
			.filter(({ pattern }) => pattern.test(path))
			.map(({ method }) => method);
		return [
			...new Set(
				methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])),
			),
		];
	};
}

/** A refusal, in the form that a fault may want. */
function refuse(
	{ faults }: ServerContext,
	c: Context<HonoEnv>,
	error: Refusal,
): Response {
	const [name] = matchedRoutes(c).flatMap(
		({ path }) => endpointOf.get(`${c.req.method} ${path}`) ?? [],
	);
	if (name === undefined) return errorReply(error);
	const rule = faults.takeRefusal(
		{ target: name, team: c.req.query("team_name") },
		error.status,
	);
	return rule === undefined ? errorReply(error) : otherRefusal(error, rule);
}

/** The server's own description, which needs no token. */
async function serveDescription(
	{ faults }: ServerContext,
	c: Context<HonoEnv>,
): Promise<Response> {
	const asked: FaultRequest = { target: "openApi" };
	const failure = faults.take(asked, FAILURES);
	if (failure?.kind === "delay") await sleep(failure.ms, undefined, { ref: false });
	if (failure?.kind === "reset-before") return resetConnection(c);
	return deliver(c, rewritten(faults, asked, openApiDocument()), failure);
}

/** The one shape of an error that the service's own client reads. */
export function errorReply({ status, message, headers }: Refusal): Response {
	return Response.json({ message }, { status, headers });
}

async function record(
	context: ServerContext,
	c: Context<HonoEnv>,
	next: () => Promise<void>,
): Promise<void> {
	const began = performance.now();
	const { method } = c.req;
	const url = new URL(c.req.url);
	const [endpoint] = matchedRoutes(c).flatMap(
		({ path }) => endpointOf.get(`${method} ${path}`) ?? [],
	);
	const done = context.requests.begin({
		method,
		path: url.pathname,
		query: url.search.slice(1),
		endpoint,
	});
	await next();
	const status = c.get("sentStatus") ?? c.res.status;
	done(status);
	context.log(
		`${method} ${url.pathname} ${status} ${Math.round(performance.now() - began)}ms`,
	);
}

// ── One request ──

/** One request to an endpoint of the table: token, scope, body, faults, fields, team, work, save, reply. */
async function serveCall(
	context: ServerContext,
	name: EndpointName,
	c: Context<HonoEnv>,
): Promise<Response> {
	const { tokens, faults, world } = context;
	const { access, query, body, bodyType } = endpoints[name];
	const only = faults.scheme(name);
	const grant = tokens.authenticate(c.req.header("authorization"), access, only);
	// The fields travel in the body, or in the query where there is none; those of an upload come beside the file.
	const isJson = body !== undefined && bodyType !== "multipart";
	const sent = isJson
		? await readJson(c)
		: decodeQuery(query, new URL(c.req.url).searchParams);
	const { team_name: named } = sent;
	const asked: FaultRequest = {
		target: name,
		team: typeof named === "string" ? named : grant.defaultTeam,
	};
	// Behind the token, so that nobody without one meets a fault, or learns that there are any.
	const wait = faults.secondsToWait(asked);
	if (wait !== undefined)
		throw new Refusal(429, "Too many requests.", { "Retry-After": String(wait) });
	const failure = faults.take(asked, FAILURES);
	if (failure?.kind === "delay") await sleep(failure.ms, undefined, { ref: false });
	if (failure?.kind === "reset-before") return resetConnection(c);
	if (
		(failure?.kind === "html" || failure?.kind === "status") &&
		failure.afterWork !== true
	) {
		return wrongReply(failure);
	}
	const parsed = { ...parseShape(isJson ? body : query, sent), ...c.req.param() };
	const fields = faults.takeAll(asked, ["misread"]).reduce(misread, parsed);
	const team = requireTeam(world, grant, asked.team);
	// The team of an upload comes with the query, so a refusal does not have to wait for the file.
	const input = bodyType === "multipart" ? await receiveFile(c.req) : fields;
	const reading = faults.take(asked, ["variables"])?.reading;
	const call = {
		world,
		team: faults.teamFor(asked, team),
		user: grant.user,
		input,
		reading,
	};
	if (faults.take(asked, ["unique-names"]) !== undefined) refuseSameName(name, call);
	for (const { fields: required } of faults.takeAll(asked, ["required"]))
		refuseWithout(required, input);
	if (failure?.kind === "late-commit") {
		world.after(failure.ms, team, () => workWithoutReply(name, call));
		return resetConnection(c);
	}
	const isReused = faults.take(asked, ["reused-ids"]) !== undefined;
	const reply = faults.work(asked, () =>
		isReused ? withFreedId(call, () => work(name, call)) : work(name, call),
	);
	// A write is acknowledged only once it is safe on disk.
	if (access === "write") context.store.save();
	const off = faults.take(asked, ["wrong-date"])?.ms;
	if (off !== undefined)
		c.env.outgoing.setHeader("Date", new Date(world.clock.now() + off).toUTCString());
	return deliver(c, reshape(faults, asked, name, reply), failure);
}

/** As a service does whose schedules have unique names. */
function refuseSameName(endpoint: EndpointName, { team, input }: Call): void {
	if (endpoint !== "createSchedule" && endpoint !== "updateSchedule") return;
	const { schedule_name: name, schedule_id: own } = Object(input);
	const isTaken = team.schedules.some(
		(one) => one.schedule_name === name && one.id !== own,
	);
	if (isTaken)
		throw conflict(`Team "${team.name}" already has a schedule of that name.`);
}

function refuseWithout(fields: readonly string[], input: object): void {
	const missing = fields.filter((field) => Reflect.get(input, field) === undefined);
	if (missing.length > 0) throw invalid(`Give ${missing.join(", ")}.`);
}

/** As a service does that gives ids of deleted schedules again. */
function withFreedId(call: Call, create: () => unknown): unknown {
	const { state } = call.world;
	const next = state.nextScheduleId;
	const used = new Set(
		state.teams.flatMap(({ schedules }) => schedules.map(({ id }) => id)),
	);
	state.nextScheduleId = 1;
	while (used.has(state.nextScheduleId)) state.nextScheduleId++;
	try {
		return create();
	} finally {
		state.nextScheduleId = Math.max(next, state.nextScheduleId);
	}
}

function work(name: EndpointName, call: Call): unknown {
	// The table ties each handler to its own call; only the name that joins them is dynamic here.
	const handler = handlers[name] as (call: Call) => unknown;
	return handler(call);
}

/** Nobody waits for the outcome: the connection is gone, and a refused call changes nothing. */
function workWithoutReply(name: EndpointName, call: Call): void {
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
		return Object.fromEntries(
			Object.entries(body).filter(([, field]) => field !== null),
		);
	} catch {
		throw invalid("The body must be a JSON object.");
	}
}

/** Query parameters are text; the schema of each says what the text stands for. */
function decodeQuery(
	shape: z.ZodRawShape,
	query: URLSearchParams,
): Record<string, unknown> {
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

/** Built with the first request to an endpoint: that costs several times as much as to parse a request. */
const schemas = new WeakMap<z.ZodRawShape, z.ZodObject>();

/** Unknown fields are ignored, as everywhere in this API; wrong ones are named, without their value. */
export function parseShape(
	shape: z.ZodRawShape,
	values: Record<string, unknown>,
): Record<string, unknown> {
	const schema = schemas.get(shape) ?? z.object(shape);
	schemas.set(shape, schema);
	const parsed = schema.safeParse(values);
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.map(
		({ path, message }) => `${path.join(".")}: ${message}`,
	);
	throw invalid(`${problems.join("; ")}.`);
}

// ── Beside the table ──

/** Paths that the REST document does not have: one the service's client asks for, and the switches for tests. */
function extraRoutes(app: Hono<HonoEnv>, context: ServerContext): void {
	app.get("/api/datachain/datasets/dataset_job_versions", (c) => {
		const grant = context.tokens.authenticate(c.req.header("authorization"), "read");
		const team = requireTeam(context.world, grant, c.req.query("team_name"));
		return c.json({
			dataset_versions: jobById(team, c.req.query("job_id") ?? "")?.produced ?? [],
		});
	});
	app.on(["POST", "DELETE"], "/api/_test/faults", async (c) => {
		const { faults } = context;
		requireSwitch(
			context,
			c,
			faults.enabled,
			"Faults are off. Start the server with --faults.",
		);
		if (c.req.method === "POST") faults.add(await readJson(c));
		else faults.clear();
		return c.json({ ok: true });
	});
	app.post("/api/_test/clock", async (c) => {
		const { clock } = context.world;
		requireSwitch(
			context,
			c,
			clock.manual,
			"The clock is the system's and cannot be moved.",
		);
		const move = clockMove.safeParse(await readJson(c));
		if (!move.success)
			throw invalid(
				"Give advance_ms (a number of milliseconds) or set (an ISO 8601 date-time).",
			);
		if ("set" in move.data) clock.set(move.data.set);
		else clock.advance(move.data.advance_ms);
		context.store.save();
		return c.json({ now: new Date(clock.now()).toISOString() });
	});
}

/** The token comes first: without one nobody learns which switches there are. */
function requireSwitch(
	context: ServerContext,
	c: Context<HonoEnv>,
	on: boolean,
	message: string,
): void {
	context.tokens.authenticate(c.req.header("authorization"), "write");
	if (!on) throw notFound(message);
}

const clockMove = z.union([
	z.strictObject({ advance_ms: z.number().min(0).max(1e12) }),
	z.strictObject({
		set: z.string().refine((text) => parseInstant(text) !== undefined),
	}),
]);
