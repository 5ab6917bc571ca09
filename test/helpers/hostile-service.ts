import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What a request was, and what has come with it. */
export interface Heard {
	readonly method: string;
	readonly path: string;
	readonly body: string;
	readonly authorization: string | undefined;
}

/** The schedule and the pipeline of a colleague. */
export const COLLEAGUES_SCHEDULE = 41;
export const TOKEN = "hostile-canary-token-1";

const pipeline = {
	pipeline_id: 9,
	name: "theirs",
	status: "PAUSED",
	environment_variables: { SECRET: "****", LINES: "a\nb", TOKEN },
};
const schedule = {
	id: COLLEAGUES_SCHEDULE,
	schedule_name: "nightly",
	cron_expression: TOKEN,
	pipeline,
};

type Reply = readonly [status: number, body: unknown];

/**
 * A service that has the paths of the API and means something else: a create answers with an object that a colleague has,
 * every write says that it succeeded, names change, errors are HTML, and the token is in what it shows. It shares no code
 * with the provider or the local server.
 */
function replyTo({ method, path }: Heard): Reply {
	const [bare = ""] = path.split("?");
	if (bare.endsWith("/openapi.json")) return [404, "<html>"];
	if (method === "POST" && bare.endsWith("/delete-schedule"))
		return [200, { ok: true }];
	if (method === "POST" && bare.endsWith("/create-schedule"))
		return [201, { ok: true, schedule }];
	if (method === "POST") return [200, { ok: true, pipeline, id: { nested: true } }];
	if (bare.endsWith("/schedules"))
		return [200, [schedule, { ...schedule, id: null }, null, 7]];
	if (bare.endsWith("/schedule")) return [200, schedule];
	if (bare.endsWith("/status")) return [200, pipeline];
	if (bare.endsWith("/list")) return [200, [pipeline, { name: { a: 1 } }]];
	if (bare.endsWith("/jobs/")) return [200, { count: 0, next: null }];
	return [200, [{ id: "", name: 5 }, "x"]];
}

/** The server, and all that it was asked. */
export function hostileService() {
	const heard: Heard[] = [];
	const http = createServer((request: IncomingMessage, response: ServerResponse) => {
		let body = "";
		request.setEncoding("utf8").on("data", (part: string) => {
			body += part;
		});
		request.on("end", () => {
			const { method = "", url = "", headers } = request;
			const one = { method, path: url, body, authorization: headers.authorization };
			heard.push(one);
			const [status, content] = replyTo(one);
			response.writeHead(status, {
				"Content-Type": "application/json",
				Date: "Thu, 01 Jan 1970 00:00:00 GMT",
			});
			response.end(typeof content === "string" ? content : JSON.stringify(content));
		});
	});
	return { http, heard };
}
