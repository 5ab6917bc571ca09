import { z } from "zod";
import { type Endpoint, endpoints } from "../schemas/endpoints";
import { apiObject, apiObjects, integer } from "../schemas/primitives";
import type { EndpointName } from "../schemas/wire/endpoints";

type JsonSchema = Record<string, unknown>;

const names = Object.keys(endpoints) as EndpointName[];

const ABOUT = `Every operation works in one team, named by team_name; a token for a single team may leave it out. In a request, null means the same as leaving the field out, and unknown fields are ignored.

Log text is followed over a WebSocket at /logs/follow/?job_id=&team_name=&no_follow=. It sends text frames, each a LogFrame: {"type":"ping"}; {"logs":[{"id","message"}]}, whose ids count up per job and are sent again from 1 after a reconnect; {"job":{"status"}}; {"message"}, an error that a reconnect does not cure. With no_follow only statuses are sent. The server closes when the job has ended.`;

/** What the handlers check beyond the types. */
const NOTES: Partial<Record<EndpointName, string>> = {
	createJob:
		"Give compute_cluster_name or compute_cluster_id, not both. A job with start_after or cron_expression becomes a task that makes a job whenever it is due.",
	uploadFile: "One part named file. The content cannot be read back.",
	createSchedule:
		"Give cron_expression, start_after, or both. Times are UTC. Two schedules may share a name.",
	updateSchedule:
		"Only the given fields change. pause_pipeline: false changes nothing; use resume.",
	triggerPipeline:
		"One job for each listed dataset and for everything it is made from; the latest version where none is given.",
	updateSettings:
		"Only the given fields change. environment replaces all variables. files and credentials_names are used, but no reply shows them.",
	pausePipeline:
		"Give name or pipeline_id. Running jobs continue, no new ones start, and schedules do not fire it.",
	resumePipeline: "Give name or pipeline_id.",
	removeJob:
		"Give name or pipeline_id. Only for a PAUSED pipeline and a PENDING job; job_id may be the run's created_job_id or job_id.",
	jobLogs: "The text so far. To follow it, use the WebSocket at /logs/follow/.",
};

/** What this server answers where the REST document shows no format. */
const jobLogs = apiObject("JobLogs", {
	logs: z.array(
		z.looseObject({
			id: integer.describe("counts up from 1, and stays the line's own"),
			message: z.string(),
		}),
	),
});

/** The only shape of an error that the service's own client reads. */
const errorBody = apiObject("Error", { message: z.string() });

const ERRORS =
	"400: a field is missing or wrong, and the message names it. 401: the token is missing or unknown. 403: it has no access to the team, or lacks read or write access. 404: what the request names does not exist in the team. 405: the path takes other methods, which the header Allow names. 409: the object is not in a state that allows this. 429: too many requests; the header Retry-After says when to come back. 500: the server failed, and the request may have been carried out.";

/** The OpenAPI 3.1 document of this server, generated from the table that it serves. */
export function openApiDocument(): JsonSchema {
	const paths: Record<string, JsonSchema> = {};
	for (const name of names) {
		const { path, method } = endpoints[name];
		paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name) };
	}
	const { schemas } = z.toJSONSchema(apiObjects, { io: "input", uri: referenceTo });
	return {
		openapi: "3.1.0",
		info: {
			title: "Job and Pipeline REST API",
			version: "1.0.0",
			description: ABOUT,
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
		},
		servers: [{ url: "/api" }],
		security: [{ bearer: [] }],
		tags: [...new Set(names.map((name) => tagOf(endpoints[name])))].map((name) => ({
			name,
		})),
		paths,
		components: {
			securitySchemes: {
				bearer: {
					type: "http",
					scheme: "bearer",
					description: "The scheme `token` is accepted as well.",
				},
			},
			schemas: Object.fromEntries(
				Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]),
			),
		},
	};
}

const tagOf = ({ client }: Pick<Endpoint, "client">): string =>
	client.split(".")[0] ?? "";

function operation(name: EndpointName): JsonSchema {
	const { summary, access, path, query, body, bodyType } = endpoints[name];
	const parameters = [
		...[...path.matchAll(/\{(\w+)\}/g)].map(([, id = ""]) =>
			parameter("path", id, z.string()),
		),
		...Object.entries(query).map(([id, schema]) => parameter("query", id, schema)),
	];
	const type = bodyType === "multipart" ? "multipart/form-data" : "application/json";
	const reply = name === "jobLogs" ? jobLogs : endpoints[name].reply;
	return {
		operationId: name,
		tags: [tagOf(endpoints[name])],
		summary,
		description: `Needs ${access} access to the JOB scope. ${NOTES[name] ?? ""}`.trim(),
		parameters,
		...(body && {
			requestBody: {
				required: name !== "cancelJob",
				content: { [type]: { schema: schemaOf(z.object(body)) } },
			},
		}),
		responses: {
			200: {
				description: "Done",
				content: { "application/json": { schema: schemaOf(reply) } },
			},
			default: {
				description: ERRORS,
				content: { "application/json": { schema: schemaOf(errorBody) } },
			},
		},
	};
}

function parameter(
	place: "path" | "query",
	name: string,
	schema: z.ZodType,
): JsonSchema {
	const required = !(schema instanceof z.ZodOptional);
	return { name, in: place, required, schema: schemaOf(schema) };
}

const referenceTo = (id: string): string => `#/components/schemas/${id}`;

/** A named object is referred to, also in a list; anything else is written out. */
function schemaOf(schema: z.core.$ZodType): JsonSchema {
	const named = apiObjects.get(schema);
	if (named !== undefined) return { $ref: referenceTo(named.id) };
	if (schema instanceof z.ZodArray)
		return { type: "array", items: schemaOf(schema.element) };
	return plain(z.toJSONSchema(schema, { io: "input" }));
}

function plain(schema: object): JsonSchema {
	const entries = Object.entries(schema).filter(
		([key]) => key !== "$schema" && key !== "$id" && key !== "id",
	);
	return JSON.parse(JSON.stringify(Object.fromEntries(entries), portablePattern));
}

/** Control characters by their codes: the expressions of Python have no names for classes of Unicode. */
const portablePattern = (key: string, value: unknown): unknown =>
	key === "pattern" && typeof value === "string"
		? value.replaceAll("\\P{Cc}", "[^\\u0000-\\u001f\\u007f-\\u009f]")
		: value;
