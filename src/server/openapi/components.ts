import { z } from "zod";
import { clusterSchema } from "../../schemas/cluster";
import { endpoints } from "../../schemas/endpoints";
import { actionFeedbackSchema, errorReplySchema } from "../../schemas/feedback";
import { jobSchema, uploadedFileSchema } from "../../schemas/job";
import { logFrameSchema } from "../../schemas/log-frame";
import { jobRunSchema, pipelineOutputSchema, pipelineSchema } from "../../schemas/pipeline";
import { integer } from "../../schemas/primitives";
import {
	deleteScheduleOutputSchema,
	scheduleItemSchema,
	scheduleOutputSchema,
	scheduleSchema,
	userSchema,
} from "../../schemas/schedule";
import type { EndpointName } from "../../schemas/wire/endpoints";

export type JsonSchema = Record<string, unknown>;

/** What this server answers where the REST document shows no format. */
const jobLogsSchema = z.looseObject({
	logs: z.array(
		z.looseObject({
			id: integer.describe("counts up from 1, and stays the line's own"),
			message: z.string(),
		}),
	),
});

const datasetVersionsSchema = z.looseObject({
	dataset_versions: z.array(z.looseObject({ dataset_name: z.string(), version: z.string() })),
});

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

const named: Readonly<Record<string, z.ZodType>> = {
	Job: jobSchema,
	JobLogs: jobLogsSchema,
	LogFrame: logFrameSchema,
	ActionFeedback: actionFeedbackSchema,
	UploadFileOutput: uploadedFileSchema,
	ComputeClusterOutput: clusterSchema,
	Pipeline: pipelineSchema,
	JobPipelineRun: jobRunSchema,
	PipelineOutput: pipelineOutputSchema,
	PipelineSchedule: scheduleSchema,
	PipelineScheduleItem: scheduleItemSchema,
	PipelineScheduleUpdateOutput: scheduleOutputSchema,
	DeletePipelineScheduleOutput: deleteScheduleOutputSchema,
	DatasetJobVersions: datasetVersionsSchema,
	User: userSchema,
	Error: errorReplySchema,
};

export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Every named object of the API, made from the schemas that client and server parse with. */
export function componentSchemas(): Record<string, JsonSchema> {
	const registry = z.registry<{ id: string }>();
	for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
	for (const [endpoint, id] of Object.entries(BODY_NAMES)) {
		const { body } = endpoints[endpoint as EndpointName];
		// Pause and resume share one body.
		if (body !== undefined && endpoint !== "resumePipeline") registry.add(z.object(body), { id });
	}
	const { schemas } = z.toJSONSchema(registry, { io: "input", uri: (id) => `#/components/schemas/${id}` });
	return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, withoutIdentity(schema)]));
}

/** The schema of a reply: a named object, or a list of them. */
export function replySchema(name: EndpointName): JsonSchema {
	if (name === "jobLogs") return reference("JobLogs");
	const reply: z.ZodType = endpoints[name].reply;
	if (reply instanceof z.ZodArray) return { type: "array", items: referenceTo(reply.element) };
	return referenceTo(reply);
}

export function bodySchema(name: EndpointName): JsonSchema {
	const known = BODY_NAMES[name];
	if (known === undefined) throw new Error(`The body of ${name} has no name in the OpenAPI document.`);
	return reference(known);
}

export function inlineSchema(schema: z.core.$ZodType): JsonSchema {
	return withoutIdentity(z.toJSONSchema(schema, { io: "input" }));
}

function referenceTo(schema: unknown): JsonSchema {
	const found = Object.entries(named).find(([, known]) => known === schema);
	if (found === undefined) throw new Error("A reply has no name in the OpenAPI document.");
	return reference(found[0]);
}

function withoutIdentity(schema: object): JsonSchema {
	return Object.fromEntries(
		Object.entries(schema).filter(([key]) => key !== "$schema" && key !== "$id" && key !== "id"),
	);
}
