import { type JsonSchema, reference } from "./components";
import { jsonReply } from "./responses";

const query = (name: string, required: boolean, schema: JsonSchema = { type: "string" }): JsonSchema => ({
	name,
	in: "query",
	required,
	schema,
});
const refused = {
	401: { $ref: "#/components/responses/NotAuthenticated" },
	403: { $ref: "#/components/responses/NotAuthorized" },
};

/** Paths that are not in the REST document, but that its own client uses. */
export const EXTRA_PATHS: Record<string, JsonSchema> = {
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
				...refused,
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
				400: { $ref: "#/components/responses/BadRequest" },
				...refused,
			},
		},
	},
	"/openapi.json": {
		get: {
			operationId: "openApi",
			summary: "This document",
			security: [],
			responses: { 200: jsonReply("Done", { type: "object" }) },
		},
	},
};
