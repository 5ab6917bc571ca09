import { z } from "zod";
import { endpoints } from "../../schemas/endpoints";
import type { EndpointName } from "../../schemas/wire/endpoints";
import { addFile } from "../domain/files";
import { cancelJob, createJob, listJobs, requireJob } from "../domain/jobs";
import { triggerPipeline } from "../domain/pipeline-build";
import { listPipelines, type PipelineKey, removeJob, requirePipeline, setPaused } from "../domain/pipelines";
import { createSchedule, deleteSchedule, requireSchedule, updateSchedule } from "../domain/schedules";
import { updateSettings } from "../domain/settings";
import type { PipelineRecord, ScheduleRecord, TeamState } from "../state";
import type { World } from "../world";
import {
	clusterReply,
	fileReply,
	jobReply,
	pipelineReply,
	scheduleItemReply,
	scheduleReply,
} from "./replies";
import type { ReceivedFile } from "./upload";

type Table = typeof endpoints;
type Shape<S> = S extends z.ZodRawShape ? z.infer<z.ZodObject<S>> : undefined;

/** A request whose token, team and fields are already right. */
export interface Call<Query = unknown, Body = unknown> {
	readonly world: World;
	readonly team: TeamState;
	readonly user: string;
	readonly query: Query;
	readonly body: Body;
	readonly jobId: string;
	readonly serverUrl: string;
	readonly failUpload: string | undefined;
}

type Queries = { [N in EndpointName]: N extends "pipelineStatus" ? PipelineKey : Shape<Table[N]["query"]> };
type Bodies = { [N in EndpointName]: N extends "uploadFile" ? ReceivedFile : Shape<Table[N]["body"]> };
type Handlers = {
	[N in EndpointName]: (call: Call<Queries[N], Bodies[N]>) => z.input<Table[N]["reply"]>;
};

/** The table asks for a name; the id is taken as well, because pause and resume take it. */
export function queryShapeOf(name: EndpointName): z.ZodRawShape {
	if (name !== "pipelineStatus") return endpoints[name].query;
	return { ...endpoints[name].query, name: z.string().optional(), pipeline_id: z.string().optional() };
}

const pipelineOutput = (team: TeamState, pipeline: PipelineRecord) => ({
	ok: true,
	pipeline: pipelineReply(team, pipeline),
});
const scheduleOutput = (team: TeamState, schedule: ScheduleRecord) => ({
	ok: true,
	schedule: scheduleReply(team, schedule),
});

/** What each endpoint does. Synchronous, so that a request never sees the state half changed. */
export const handlers: Handlers = {
	listJobs: ({ team, query, serverUrl }) =>
		listJobs(team, query).map((job) => jobReply(team, job, serverUrl, query.include_steps)),
	createJob: ({ world, team, user, body, serverUrl }) =>
		jobReply(team, createJob(world, team, user, body), serverUrl),
	jobLogs: ({ team, jobId }) => ({
		logs: requireJob(team, jobId).logs.map((message, at) => ({ id: at + 1, message })),
	}),
	cancelJob: ({ world, team, jobId }) => ({ message: cancelJob(world, team, jobId) }),
	uploadFile: ({ world, team, body, failUpload }) =>
		fileReply(
			addFile(world, team, {
				...body,
				// The documentation shows `pending` as the state of a file that was just sent.
				state: failUpload === undefined ? "pending" : "failed",
				error: failUpload ?? null,
			}),
		),
	listClusters: ({ team }) => team.clusters.map(clusterReply),
	createSchedule: ({ world, team, user, body }) =>
		scheduleOutput(team, createSchedule(world, team, user, body)),
	updateSchedule: ({ world, team, body }) => scheduleOutput(team, updateSchedule(world, team, body)),
	deleteSchedule: ({ world, team, body }) => {
		deleteSchedule(world, team, body.schedule_id);
		return { ok: true };
	},
	getSchedule: ({ team, query }) => scheduleReply(team, requireSchedule(team, query.schedule_id)),
	listSchedules: ({ team }) => team.schedules.map(scheduleItemReply),
	triggerPipeline: ({ world, team, user, body }) =>
		pipelineOutput(team, triggerPipeline(world, team, user, body.datasets, body.review ?? false)),
	updateSettings: ({ world, team, body }) => pipelineOutput(team, updateSettings(world, team, body)),
	pipelineStatus: ({ team, query }) => pipelineReply(team, requirePipeline(team, query)),
	pausePipeline: ({ world, team, body }) => paused(world, team, body, true),
	resumePipeline: ({ world, team, body }) => paused(world, team, body, false),
	removeJob: ({ world, team, body }) => {
		const pipeline = requirePipeline(team, body);
		removeJob(world, team, pipeline, body.job_id);
		return pipelineOutput(team, pipeline);
	},
	listPipelines: ({ team, query }) =>
		listPipelines(team, query).map((pipeline) => pipelineReply(team, pipeline)),
};

function paused(world: World, team: TeamState, key: PipelineKey, wanted: boolean) {
	const pipeline = requirePipeline(team, key);
	setPaused(world, team, pipeline, wanted);
	return pipelineOutput(team, pipeline);
}
