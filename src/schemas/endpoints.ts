import { z } from "zod";
import { clusterSchema } from "./cluster";
import { actionFeedbackSchema } from "./feedback";
import { cancelJobShape, jobInputShape, jobSchema, listJobsQueryShape } from "./job";
import {
	listPipelinesQueryShape,
	pipelineInputShape,
	pipelineOutputSchema,
	pipelineSchema,
	pipelineStatusQueryShape,
	removeJobShape,
	settingsShape,
	triggerShape,
} from "./pipeline";
import { teamName } from "./primitives";
import {
	createScheduleShape,
	deleteScheduleOutputSchema,
	deleteScheduleShape,
	getScheduleQueryShape,
	listSchedulesQueryShape,
	scheduleItemSchema,
	scheduleOutputSchema,
	scheduleSchema,
	updateScheduleShape,
} from "./schedule";
import { uploadedFileSchema } from "./upload";
import type { EndpointName } from "./wire/endpoints";

/**
 * When a failed request may be sent again. This API deletes by POST, so the verb says nothing:
 * - `always`: reads and writes that end in the same state however often they run;
 * - `unreceived`: only when the request surely did no work (refused connection, DNS, 429);
 * - `never`: each run does new work.
 */
export type Retry = "always" | "unreceived" | "never";

export type EndpointGroup = "jobs" | "clusters" | "schedules" | "pipelines";

export interface Endpoint<
	Query extends z.ZodRawShape = z.ZodRawShape,
	Body extends z.ZodRawShape | undefined = z.ZodRawShape | undefined,
	Reply extends z.ZodType = z.ZodType,
> {
	readonly group: EndpointGroup;
	readonly method: "GET" | "POST";
	/** Relative to the base URL, which ends in /api. The trailing slash is exact. */
	readonly path: string;
	readonly summary: string;
	readonly access: "read" | "write";
	readonly retry: Retry;
	readonly query: Query;
	readonly body: Body;
	/** How the request body travels; JSON where left out. */
	readonly bodyType?: "multipart" | undefined;
	readonly reply: Reply;
}

const endpoint = <
	const Query extends z.ZodRawShape,
	const Body extends z.ZodRawShape | undefined,
	Reply extends z.ZodType,
>(
	definition: Endpoint<Query, Body, Reply>,
): Endpoint<Query, Body, Reply> => definition;

/** Every endpoint of the REST document, in its order: the one table that client, server and OpenAPI read. */
export const endpoints = {
	listJobs: endpoint({
		group: "jobs",
		method: "GET",
		path: "/datachain/jobs/",
		summary: "List jobs, newest first",
		access: "read",
		retry: "always",
		query: listJobsQueryShape,
		body: undefined,
		reply: z.array(jobSchema),
	}),
	createJob: endpoint({
		group: "jobs",
		method: "POST",
		path: "/datachain/jobs/",
		summary: "Create a job that runs a query",
		access: "write",
		retry: "never",
		query: {},
		body: jobInputShape,
		reply: jobSchema,
	}),
	jobLogs: endpoint({
		group: "jobs",
		method: "GET",
		path: "/datachain/jobs/{job_id}/logs",
		summary: "Read the logs of an active job",
		access: "read",
		retry: "always",
		query: { team_name: teamName.optional() },
		body: undefined,
		// The documentation does not show the format, so the client takes JSON and plain text alike.
		reply: z.unknown(),
	}),
	cancelJob: endpoint({
		group: "jobs",
		method: "POST",
		path: "/datachain/jobs/{job_id}/cancel",
		summary: "Cancel a running or queued job",
		access: "write",
		retry: "always",
		query: {},
		body: cancelJobShape,
		reply: actionFeedbackSchema,
	}),
	uploadFile: endpoint({
		group: "jobs",
		method: "POST",
		path: "/datachain/jobs/files",
		summary: "Upload a file, to be attached to jobs by its id",
		access: "write",
		retry: "unreceived",
		query: { team_name: teamName.optional() },
		body: { file: z.string().describe("the file's content") },
		bodyType: "multipart",
		reply: uploadedFileSchema,
	}),
	listClusters: endpoint({
		group: "clusters",
		method: "GET",
		path: "/datachain/clusters/",
		summary: "List compute clusters",
		access: "read",
		retry: "always",
		query: { team_name: teamName.optional() },
		body: undefined,
		reply: z.array(clusterSchema),
	}),
	createSchedule: endpoint({
		group: "schedules",
		method: "POST",
		path: "/datachain/pipeline/create-schedule",
		summary: "Create a pipeline schedule",
		access: "write",
		retry: "unreceived",
		query: {},
		body: createScheduleShape,
		reply: scheduleOutputSchema,
	}),
	updateSchedule: endpoint({
		group: "schedules",
		method: "POST",
		path: "/datachain/pipeline/update-schedule",
		summary: "Update a pipeline schedule",
		access: "write",
		retry: "always",
		query: {},
		body: updateScheduleShape,
		reply: scheduleOutputSchema,
	}),
	deleteSchedule: endpoint({
		group: "schedules",
		method: "POST",
		path: "/datachain/pipeline/delete-schedule",
		summary: "Delete a pipeline schedule",
		access: "write",
		retry: "always",
		query: {},
		body: deleteScheduleShape,
		reply: deleteScheduleOutputSchema,
	}),
	getSchedule: endpoint({
		group: "schedules",
		method: "GET",
		path: "/datachain/pipeline/schedule",
		summary: "Get one pipeline schedule",
		access: "read",
		retry: "always",
		query: getScheduleQueryShape,
		body: undefined,
		reply: scheduleSchema,
	}),
	listSchedules: endpoint({
		group: "schedules",
		method: "GET",
		path: "/datachain/pipeline/schedules",
		summary: "List pipeline schedules",
		access: "read",
		retry: "always",
		query: listSchedulesQueryShape,
		body: undefined,
		reply: z.array(scheduleItemSchema),
	}),
	triggerPipeline: endpoint({
		group: "pipelines",
		method: "POST",
		path: "/datachain/pipeline/trigger",
		summary: "Create one pipeline that rebuilds the dependencies of all listed datasets",
		access: "write",
		retry: "never",
		query: {},
		body: triggerShape,
		reply: pipelineOutputSchema,
	}),
	updateSettings: endpoint({
		group: "pipelines",
		method: "POST",
		path: "/datachain/pipeline/settings",
		summary: "Change a pipeline's settings",
		access: "write",
		retry: "always",
		query: {},
		body: settingsShape,
		reply: pipelineOutputSchema,
	}),
	pipelineStatus: endpoint({
		group: "pipelines",
		method: "GET",
		path: "/datachain/pipeline/status",
		summary: "Get a pipeline with its job runs and settings",
		access: "read",
		retry: "always",
		query: pipelineStatusQueryShape,
		body: undefined,
		reply: pipelineSchema,
	}),
	pausePipeline: endpoint({
		group: "pipelines",
		method: "POST",
		path: "/datachain/pipeline/pause",
		summary: "Pause a pipeline: running jobs go on, no new ones start",
		access: "write",
		retry: "always",
		query: {},
		body: pipelineInputShape,
		reply: pipelineOutputSchema,
	}),
	resumePipeline: endpoint({
		group: "pipelines",
		method: "POST",
		path: "/datachain/pipeline/resume",
		summary: "Resume a pipeline: jobs whose dependencies are met start",
		access: "write",
		retry: "always",
		query: {},
		body: pipelineInputShape,
		reply: pipelineOutputSchema,
	}),
	removeJob: endpoint({
		group: "pipelines",
		method: "POST",
		path: "/datachain/pipeline/remove-job",
		summary: "Remove a pending job from a paused pipeline",
		access: "write",
		retry: "never",
		query: {},
		body: removeJobShape,
		reply: pipelineOutputSchema,
	}),
	listPipelines: endpoint({
		group: "pipelines",
		method: "GET",
		path: "/datachain/pipeline/list",
		summary: "List pipelines",
		access: "read",
		retry: "always",
		query: listPipelinesQueryShape,
		body: undefined,
		reply: z.array(pipelineSchema),
	}),
} as const satisfies Record<EndpointName, Endpoint>;
