import { z } from "zod";
import { endpoints } from "../../schemas/endpoints";
import type { EndpointName } from "../../schemas/wire/endpoints";
import { queryShapeOf } from "../http/handlers";
import { bodySchema, componentSchemas, inlineSchema, type JsonSchema, replySchema } from "./components";
import { EXTRA_PATHS } from "./extra-paths";
import { errorComponents, errorResponses, jsonReply } from "./responses";

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
	pipelineStatus: "Give name or pipeline_id.",
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
			...errorResponses(name),
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
	return Object.entries(queryShapeOf(name)).map(([parameter, schema]) => {
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
