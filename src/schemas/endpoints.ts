import { z } from "zod";
import { clusterSchema } from "./cluster";
import { jobInputShape, jobSchema, uploadedFileSchema } from "./job";
import {
	pipelineInputShape,
	pipelineOutputSchema,
	pipelineSchema,
	settingsShape,
} from "./pipeline";
import { apiObject, inRange, inTeam, integer, shownText, uuid } from "./primitives";
import {
	createScheduleShape,
	deletedScheduleSchema,
	oneScheduleShape,
	scheduleItemSchema,
	scheduleOutputSchema,
	scheduleSchema,
	updateScheduleShape,
} from "./schedule";
import type { Retry } from "./wire/endpoints";

export interface Endpoint<
	Query extends z.ZodRawShape = z.ZodRawShape,
	Body extends z.ZodRawShape | undefined = z.ZodRawShape | undefined,
	Reply extends z.ZodType = z.ZodType,
> {
	/** The method of the client that sends it: `client.jobs.list(…)`. The group is its tag in OpenAPI, too. */
	readonly client: `${string}.${string}`;
	readonly method: "GET" | "POST";
	/** Relative to the base URL, which ends in /api. The trailing slash is exact. */
	readonly path: string;
	readonly summary: string;
	readonly access: "read" | "write";
	readonly retry: Retry;
	readonly query: Query;
	readonly body: Body;
	/** How the request body travels; JSON if omitted. */
	readonly bodyType?: "multipart" | undefined;
	readonly reply: Reply;
}

type Read<Query extends z.ZodRawShape, Reply extends z.ZodType> = Endpoint<
	Query,
	undefined,
	Reply
>;
type Write<Body extends z.ZodRawShape, Reply extends z.ZodType> = Endpoint<
	Record<never, never>,
	Body,
	Reply
>;

const read = <const Query extends z.ZodRawShape, Reply extends z.ZodType>(
	endpoint: Pick<Read<Query, Reply>, "client" | "path" | "summary" | "query" | "reply">,
): Read<Query, Reply> => ({
	...endpoint,
	method: "GET",
	access: "read",
	retry: "always",
	body: undefined,
});

const write = <const Body extends z.ZodRawShape, Reply extends z.ZodType>(
	endpoint: Omit<Write<Body, Reply>, "method" | "access" | "query">,
): Write<Body, Reply> => ({ ...endpoint, method: "POST", access: "write", query: {} });

const feedback = apiObject("ActionFeedback", { message: shownText });

const limit = inRange(integer, 1).optional().describe("default: 20");

/** Every endpoint of the REST document, in its order: the one table that client, server and OpenAPI read. */
export const endpoints = {
	listJobs: read({
		client: "jobs.list",
		path: "/datachain/jobs/",
		summary: "List jobs, newest first",
		query: {
			...inTeam,
			status: z
				.string()
				.optional()
				.describe("a status, or the groups ACTIVE and INACTIVE; case does not matter"),
			limit,
			job_id: uuid.optional(),
			include_steps: z.boolean().optional(),
		},
		reply: z.array(jobSchema),
	}),
	createJob: write({
		client: "jobs.create",
		path: "/datachain/jobs/",
		summary: "Create a job that runs a query",
		retry: "unreceived",
		body: jobInputShape,
		reply: jobSchema,
	}),
	jobLogs: read({
		client: "jobs.logs",
		path: "/datachain/jobs/{job_id}/logs",
		summary: "Read the logs of an active job",
		query: inTeam,
		// The documentation does not show the format, so the client takes JSON and plain text alike.
		reply: z.unknown(),
	}),
	cancelJob: write({
		client: "jobs.cancel",
		path: "/datachain/jobs/{job_id}/cancel",
		summary: "Cancel a running or queued job",
		retry: "always",
		body: inTeam,
		reply: feedback,
	}),
	uploadFile: {
		...write({
			client: "jobs.uploadFile",
			path: "/datachain/jobs/files",
			summary: "Upload a file, to be attached to jobs by its id",
			retry: "unreceived",
			body: { file: z.string().describe("the file's content") },
			bodyType: "multipart",
			reply: uploadedFileSchema,
		}),
		query: inTeam,
	},
	listClusters: read({
		client: "clusters.list",
		path: "/datachain/clusters/",
		summary: "List compute clusters",
		query: inTeam,
		reply: z.array(clusterSchema),
	}),
	createSchedule: write({
		client: "schedules.create",
		path: "/datachain/pipeline/create-schedule",
		summary: "Create a pipeline schedule",
		retry: "unreceived",
		body: createScheduleShape,
		reply: scheduleOutputSchema,
	}),
	updateSchedule: write({
		client: "schedules.update",
		path: "/datachain/pipeline/update-schedule",
		summary: "Update a pipeline schedule: fields left out stay as they are",
		retry: "always",
		body: updateScheduleShape,
		reply: scheduleOutputSchema,
	}),
	deleteSchedule: write({
		client: "schedules.delete",
		path: "/datachain/pipeline/delete-schedule",
		summary: "Delete a pipeline schedule",
		retry: "always",
		body: oneScheduleShape,
		reply: deletedScheduleSchema,
	}),
	getSchedule: read({
		client: "schedules.get",
		path: "/datachain/pipeline/schedule",
		summary: "Get one pipeline schedule",
		query: oneScheduleShape,
		reply: scheduleSchema,
	}),
	listSchedules: read({
		client: "schedules.list",
		path: "/datachain/pipeline/schedules",
		summary: "List pipeline schedules",
		query: inTeam,
		reply: z.array(scheduleItemSchema),
	}),
	triggerPipeline: write({
		client: "pipelines.trigger",
		path: "/datachain/pipeline/trigger",
		summary:
			"Create one pipeline that rebuilds the dependencies of all listed datasets",
		retry: "unreceived",
		body: {
			datasets: z
				.array(z.string().min(1))
				.min(1)
				.describe("namespace.project.dataset, with an optional @version"),
			...inTeam,
			review: z
				.boolean()
				.optional()
				.describe("true creates the pipeline PAUSED, to be resumed"),
		},
		reply: pipelineOutputSchema,
	}),
	updateSettings: write({
		client: "pipelines.settings",
		path: "/datachain/pipeline/settings",
		summary: "Change a pipeline's settings",
		retry: "always",
		body: settingsShape,
		reply: pipelineOutputSchema,
	}),
	pipelineStatus: read({
		client: "pipelines.status",
		path: "/datachain/pipeline/status",
		summary: "Get a pipeline with its job runs and settings",
		query: { ...inTeam, name: z.string().min(1) },
		reply: pipelineSchema,
	}),
	pausePipeline: write({
		client: "pipelines.pause",
		path: "/datachain/pipeline/pause",
		summary: "Pause a pipeline: running jobs continue, no new ones start",
		retry: "always",
		body: pipelineInputShape,
		reply: pipelineOutputSchema,
	}),
	resumePipeline: write({
		client: "pipelines.resume",
		path: "/datachain/pipeline/resume",
		summary: "Resume a pipeline: jobs whose dependencies are met start",
		retry: "always",
		body: pipelineInputShape,
		reply: pipelineOutputSchema,
	}),
	removeJob: write({
		client: "pipelines.removeJob",
		path: "/datachain/pipeline/remove-job",
		summary: "Remove a pending job from a paused pipeline",
		retry: "unreceived",
		body: { ...pipelineInputShape, job_id: z.string().min(1) },
		reply: pipelineOutputSchema,
	}),
	listPipelines: read({
		client: "pipelines.list",
		path: "/datachain/pipeline/list",
		summary: "List pipelines",
		query: {
			...inTeam,
			limit,
			status: z.array(z.string()).optional(),
			search: z.string().optional().describe("matches the name or the source dataset"),
		},
		reply: z.array(pipelineSchema),
	}),
} as const satisfies Record<string, Endpoint>;
