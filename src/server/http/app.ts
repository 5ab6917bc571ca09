import { type Context, Hono } from "hono";
import { requestId } from "hono/request-id";
import { endpoints } from "../../schemas/endpoints";
import type { EndpointName } from "../../schemas/wire/endpoints";
import { openApiDocument } from "../openapi/document";
import { notFound, Refusal } from "../refusal";
import type { HonoEnv, ServerContext } from "./context";
import { extraRoutes } from "./extra-routes";
import { pageRoutes } from "./page";
import { serveCall } from "./serve-call";

const names = Object.keys(endpoints) as EndpointName[];
/** `{job_id}` in the table, `:job_id` in the router. */
const routeOf = (name: EndpointName): string => `/api${endpoints[name].path.replace(/\{(\w+)\}/g, ":$1")}`;
const routes = names.map((name) => ({
	name,
	method: endpoints[name].method,
	path: new RegExp(`^${routeOf(name).replace(/:\w+/g, "[^/]+")}$`),
}));

const OPEN_API = "/api/openapi.json";
/** Made on demand: most servers in tests are never asked for it. */
let openApi: string | undefined;

export function makeApp(context: ServerContext): Hono<HonoEnv> {
	const app = new Hono<HonoEnv>();
	app.use("*", requestId());
	app.use("*", (c, next) => record(context, c, next));
	for (const name of names) {
		app.on(endpoints[name].method, routeOf(name), (c) => serveCall(context, name, c));
	}
	app.get(OPEN_API, () => {
		openApi ??= JSON.stringify(openApiDocument());
		return new Response(openApi, { headers: { "Content-Type": "application/json" } });
	});
	extraRoutes(app, context);
	pageRoutes(app, context);
	app.notFound(({ req: { path, method } }) => {
		const here = routes.filter((route) => route.path.test(path)).map((route) => route.method);
		const Allow = path === OPEN_API ? "GET" : here.join(", ");
		const nothing = `There is nothing at ${path.slice(0, 200)}. Paths are exact, trailing slash included.`;
		if (Allow === "") return errorReply(notFound(nothing));
		return errorReply(new Refusal(405, `${method} is not possible here; use ${Allow}.`, { Allow }));
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
	const endpoint = routes.find((one) => one.method === method && one.path.test(url.pathname))?.name;
	const done = context.requests.begin({ method, path: url.pathname, query: url.search.slice(1), endpoint });
	await next();
	const status = c.get("sentStatus") ?? c.res.status;
	done(status);
	context.log(`${method} ${url.pathname} ${status} ${Math.round(performance.now() - began)}ms`);
}
