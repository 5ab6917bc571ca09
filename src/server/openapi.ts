import { z } from "zod";
import { endpoints } from "../schemas/endpoints";
import { apiObject, apiObjects, integer } from "../schemas/primitives";
import type { EndpointName } from "../schemas/wire/endpoints";

type JsonSchema = Record<string, unknown>;

const names = Object.keys(endpoints) as EndpointName[];

/** What the handlers check beyond the types. */
const NOTES: Partial<Record<EndpointName, string>> = {
	createJob:
		"Give compute_cluster_name or compute_cluster_id, not both. A job with start_after or cron_expression becomes a task that makes a job whenever it is due.",
	uploadFile: "One part named file. The content cannot be read back.",
	createSchedule:
		"Give cron_expression, start_after, or both. Times are UTC. Two schedules may share a name.",
	updateSchedule: "Only the given fields change. pause_pipeline: false changes nothing; use resume.",
	triggerPipeline:
		"One job for each listed dataset and for everything it is made from; the latest version where none is given.",
	updateSettings:
		"Only the given fields change. environment replaces all variables. files and credentials_names are used, but no reply shows them.",
	pausePipeline:
		"Give name or pipeline_id. Running jobs go on, no new ones start, and schedules do not fire it.",
	resumePipeline: "Give name or pipeline_id.",
	removeJob:
		"Give name or pipeline_id. Only for a PAUSED pipeline and a PENDING job; job_id may be the run's created_job_id or job_id.",
	jobLogs: "The text so far. To follow it, use the WebSocket at /logs/follow/.",
};

/** The OpenAPI 3.1 document of this server, generated from the table that it serves. */
export function openApiDocument(): JsonSchema {
	const paths: Record<string, Record<string, unknown>> = {};
	for (const name of names) {
		const { path, method } = endpoints[name];
		paths[path] = { ...paths[path], [method.toLowerCase()]: operation(name) };
	}
	return {
		openapi: "3.1.0",
		info: {
			title: "Job and Pipeline REST API",
			version: "1.0.0",
			description:
				"Every operation works in one team, named by team_name; a token for a single team may leave it out. In a request, null means the same as leaving the field out, and unknown fields are ignored. Log text is followed over a WebSocket, see /logs/follow/.",
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
		},
		servers: [{ url: "/api" }],
		security: [{ bearer: [] }],
		tags: [...new Set(names.map((name) => endpoints[name].group))].map((name) => ({ name })),
		paths: { ...paths, ...EXTRA_PATHS },
		components: {
			securitySchemes: {
				bearer: { type: "http", scheme: "bearer", description: "The scheme `token` is accepted as well." },
			},
			responses: errorComponents(),
			schemas: componentSchemas(),
		},
	};
}

function operation(name: EndpointName): JsonSchema {
	const { group, summary, access, body, path } = endpoints[name];
	const note = NOTES[name] === undefined ? "" : ` ${NOTES[name]}`;
	return {
		operationId: name,
		tags: [group],
		summary,
		description: `Needs ${access} access to the JOB scope.${note}`,
		parameters: [...pathParameters(path), ...queryParameters(name)],
		...(body === undefined ? {} : { requestBody: requestBody(name) }),
		responses: {
			200: jsonReply("Done", replySchema(name)),
			...errorResponses,
		},
	};
}

function pathParameters(path: string): JsonSchema[] {
	return [...path.matchAll(/\{(\w+)\}/g)].map((match) => ({
		name: match[1],
		in: "path",
		required: true,
		schema: { type: "string", format: "uuid" },
	}));
}

function queryParameters(name: EndpointName): JsonSchema[] {
	return Object.entries<z.core.$ZodType>(endpoints[name].query).map(([parameter, schema]) => {
		const { description, ...plain } = inlineSchema(
			schema instanceof z.ZodOptional ? schema.unwrap() : schema,
		);
		return {
			name: parameter,
			in: "query",
			required: !(schema instanceof z.ZodOptional),
			...(description === undefined ? {} : { description }),
			schema: plain,
		};
	});
}

function requestBody(name: EndpointName): JsonSchema {
	const multipart = endpoints[name].bodyType === "multipart";
	const schema = multipart ? MULTIPART : bodySchema(name);
	return {
		required: name !== "cancelJob",
		content: { [multipart ? "multipart/form-data" : "application/json"]: { schema } },
	};
}

const MULTIPART: JsonSchema = {
	type: "object",
	required: ["file"],
	properties: {
		file: { type: "string", contentMediaType: "application/octet-stream", description: "the file's content" },
	},
};

// ── Named objects ──

/** What this server answers where the REST document shows no format. */
apiObject("JobLogs", {
	logs: z.array(
		z.looseObject({
			id: integer.describe("counts up from 1, and stays the line's own"),
			message: z.string(),
		}),
	),
});
apiObject("DatasetJobVersions", {
	dataset_versions: z.array(z.looseObject({ dataset_name: z.string(), version: z.string() })),
});
/** The only shape of an error that the service's own client reads. */
apiObject("Error", { message: z.string() });

/** The REST document's names for request bodies. */
const BODY_NAMES: Partial<Record<EndpointName, string>> = {
	createJob: "JobInput",
	cancelJob: "CancelInput",
	createSchedule: "CreatePipelineScheduleInput",
	updateSchedule: "UpdatePipelineScheduleInput",
	deleteSchedule: "DeletePipelineScheduleInput",
	triggerPipeline: "TriggerPipelineInput",
	updateSettings: "UpdatePipelineSettingsInput",
	pausePipeline: "PipelineInput",
	resumePipeline: "PipelineInput",
	removeJob: "RemoveJobFromPipelineInput",
};

for (const [endpoint, id] of Object.entries(BODY_NAMES)) {
	const { body } = endpoints[endpoint as EndpointName];
	// Pause and resume share one body.
	if (body !== undefined && endpoint !== "resumePipeline") apiObjects.add(z.object(body), { id });
}

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Every named object of the API, made from the schemas that client and server parse with. */
function componentSchemas(): Record<string, JsonSchema> {
	const { schemas } = z.toJSONSchema(apiObjects, { io: "input", uri: (id) => `#/components/schemas/${id}` });
	return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutIdentity(schema)]));
}

/** The schema of a reply: a named object, or a list of them. */
function replySchema(name: EndpointName): JsonSchema {
	if (name === "jobLogs") return reference("JobLogs");
	const reply: z.ZodType = endpoints[name].reply;
	if (reply instanceof z.ZodArray) return { type: "array", items: referenceTo(reply.element) };
	return referenceTo(reply);
}

function bodySchema(name: EndpointName): JsonSchema {
	const known = BODY_NAMES[name];
	if (known === undefined) throw new Error(`The body of ${name} has no name in the OpenAPI document.`);
	return reference(known);
}

function inlineSchema(schema: z.core.$ZodType): JsonSchema {
	return withoutIdentity(z.toJSONSchema(schema, { io: "input" }));
}

function referenceTo(schema: z.core.$ZodType): JsonSchema {
	const found = apiObjects.get(schema);
	if (found === undefined) throw new Error("A response has no name in the OpenAPI document.");
	return reference(found.id);
}

function withoutIdentity(schema: object): JsonSchema {
	return Object.fromEntries(
		Object.entries(schema).filter(([key]) => key !== "$schema" && key !== "$id" && key !== "id"),
	);
}

// ── Errors ──

/** Every error has the same body; the status says what kind of mistake it is. */
const ERRORS: Readonly<Record<string, readonly [status: number, description: string]>> = {
	BadRequest: [400, "A field is missing or wrong, or the body is not readable; the message names the field."],
	NotAuthenticated: [401, "The token is missing or unknown."],
	NotAuthorized: [403, "The token has no access to the team, or lacks read or write access."],
	NotFound: [404, "What the request names does not exist in the team."],
	Conflict: [409, "The object is not in a state that allows this."],
	TooLarge: [413, "The body is larger than the server takes."],
	TooManyRequests: [429, "Too many requests; the header Retry-After says when to come back."],
	ServerError: [500, "The server failed. The request may have been carried out."],
};

const errorResponses = Object.fromEntries(
	Object.entries(ERRORS).map(([name, [status]]) => [status, { $ref: `#/components/responses/${name}` }]),
);

const jsonReply = (description: string, schema: JsonSchema): JsonSchema => ({
	description,
	content: { "application/json": { schema } },
});

const errorComponents = (): JsonSchema =>
	Object.fromEntries(
		Object.entries(ERRORS).map(([name, [, description]]) => [
			name,
			jsonReply(description, reference("Error")),
		]),
	);

// ── Beside the table ──

const query = (name: string, required: boolean, schema: JsonSchema = { type: "string" }): JsonSchema => ({
	name,
	in: "query",
	required,
	schema,
});
/** Paths that are not in the REST document, but that its own client uses. */
const EXTRA_PATHS: Record<string, JsonSchema> = {
	"/logs/follow/": {
		get: {
			operationId: "followLogs",
			tags: ["jobs"],
			summary: "Follow a job's log over a WebSocket",
			description:
				'Text frames, each a LogFrame: {"type":"ping"}; {"logs":[{"id","message"}]}, whose ids count up per job and are sent again from 1 after a reconnect; {"log_blobs":[url]}, the whole log of a finished job, to be fetched without a token; {"job":{"status"}}; {"message"}, an error that a reconnect does not cure. With no_follow only statuses are sent. The server closes when the job has ended.',
			parameters: [
				query("job_id", true),
				query("team_name", false),
				query("no_follow", false, { type: "boolean" }),
			],
			responses: {
				101: { description: "The connection is a WebSocket from here on" },
				200: jsonReply("Never sent over HTTP; the shape of a frame", reference("LogFrame")),
				...errorResponses,
			},
		},
	},
	"/datachain/datasets/dataset_job_versions": {
		get: {
			operationId: "datasetJobVersions",
			tags: ["jobs"],
			summary: "List the dataset versions that a job made",
			parameters: [query("job_id", true), query("team_name", false)],
			responses: {
				200: jsonReply("Done; empty for a job that is not known", reference("DatasetJobVersions")),
				...errorResponses,
			},
		},
	},
};
