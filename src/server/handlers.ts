import { clusterSchema } from "../schemas/cluster";
import { scheduleItemSchema } from "../schemas/schedule";
import type { EndpointName, ReplyOf } from "../schemas/wire/endpoints";
import { addFile, type ReceivedFile } from "./files";
import { cancelJob, createJob, jobReply, listJobs, requireJob } from "./jobs";
import {
	listPipelines,
	pipelineReply,
	removeJob,
	requirePipeline,
	setPaused,
	triggerPipeline,
	updateSettings,
} from "./pipelines";
import {
	createSchedule,
	deleteSchedule,
	requireSchedule,
	scheduleReply,
	updateSchedule,
} from "./schedules";
import {
	type PipelineRecord,
	type ScheduleRecord,
	type TeamState,
	visibleFields,
} from "./state";
import type { Call, CallOf } from "./world";

type Calls = { [N in EndpointName]: CallOf<N> } & { uploadFile: Call<ReceivedFile> };
type Handlers = { [N in EndpointName]: (call: Calls[N]) => ReplyOf<N> };

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
	listJobs: (call) =>
		listJobs(call).map((job) => jobReply(call, job, call.input.include_steps)),
	createJob: (call) => jobReply(call, createJob(call)),
	jobLogs: ({ team, input }) => ({
		logs: requireJob(team, input.job_id).logs.map((message, at) => ({
			id: at + 1,
			message,
		})),
	}),
	cancelJob: (call) => ({ message: cancelJob(call) }),
	uploadFile: addFile,
	listClusters: ({ team }) =>
		team.clusters.map((cluster) => visibleFields(clusterSchema, cluster)),
	createSchedule: (call) => scheduleOutput(call.team, createSchedule(call)),
	updateSchedule: (call) => scheduleOutput(call.team, updateSchedule(call)),
	deleteSchedule: (call) => {
		deleteSchedule(call);
		return { ok: true };
	},
	getSchedule: ({ team, input }) =>
		scheduleReply(team, requireSchedule(team, input.schedule_id)),
	listSchedules: ({ team }) =>
		team.schedules.map((schedule) => visibleFields(scheduleItemSchema, schedule)),
	triggerPipeline: (call) => pipelineOutput(call.team, triggerPipeline(call)),
	updateSettings: (call) => pipelineOutput(call.team, updateSettings(call)),
	pipelineStatus: ({ team, input }) =>
		pipelineReply(team, requirePipeline(team, input)),
	pausePipeline: (call) => pipelineOutput(call.team, setPaused(call, true)),
	resumePipeline: (call) => pipelineOutput(call.team, setPaused(call, false)),
	removeJob: (call) => pipelineOutput(call.team, removeJob(call)),
	listPipelines: (call) =>
		listPipelines(call).map((pipeline) => pipelineReply(call.team, pipeline)),
};
