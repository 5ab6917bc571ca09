import { clusterSchema } from "../schemas/cluster";
import type { EndpointName, ReplyOf, RequestOf } from "../schemas/wire/endpoints";
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
	scheduleItemReply,
	scheduleReply,
	updateSchedule,
} from "./schedules";
import { type PipelineRecord, type ScheduleRecord, shown, type TeamState } from "./state";
import type { World } from "./world";

/** A request whose token, team and fields are already right. */
export interface Call<Input = unknown> {
	readonly world: World;
	readonly team: TeamState;
	readonly user: string;
	/** The fields of path, query and body; of an upload the file. */
	readonly input: Input;
}

type Inputs = { [N in EndpointName]: RequestOf<N> } & { uploadFile: ReceivedFile };
type Handlers = {
	[N in EndpointName]: (call: Call<Inputs[N]>) => ReplyOf<N>;
};

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
	listJobs: ({ world, team, input }) =>
		listJobs(team, input).map((job) => jobReply(world, team, job, input.include_steps)),
	createJob: ({ world, team, user, input }) => jobReply(world, team, createJob(world, team, user, input)),
	jobLogs: ({ team, input }) => ({
		logs: requireJob(team, input.job_id).logs.map((message, at) => ({ id: at + 1, message })),
	}),
	cancelJob: ({ world, team, input }) => ({ message: cancelJob(world, team, input.job_id) }),
	uploadFile: ({ world, team, input }) => addFile(world, team, input),
	listClusters: ({ team }) => team.clusters.map((cluster) => shown(clusterSchema, cluster)),
	createSchedule: ({ world, team, user, input }) =>
		scheduleOutput(team, createSchedule(world, team, user, input)),
	updateSchedule: ({ world, team, input }) => scheduleOutput(team, updateSchedule(world, team, input)),
	deleteSchedule: ({ world, team, input }) => {
		deleteSchedule(world, team, input.schedule_id);
		return { ok: true };
	},
	getSchedule: ({ team, input }) => scheduleReply(team, requireSchedule(team, input.schedule_id)),
	listSchedules: ({ team }) => team.schedules.map(scheduleItemReply),
	triggerPipeline: ({ world, team, user, input }) =>
		pipelineOutput(team, triggerPipeline(world, team, user, input.datasets, input.review ?? false)),
	updateSettings: ({ world, team, input }) => pipelineOutput(team, updateSettings(world, team, input)),
	pipelineStatus: ({ team, input }) => pipelineReply(team, requirePipeline(team, input)),
	pausePipeline: ({ world, team, input }) => pipelineOutput(team, setPaused(world, team, input, true)),
	resumePipeline: ({ world, team, input }) => pipelineOutput(team, setPaused(world, team, input, false)),
	removeJob: ({ world, team, input }) => pipelineOutput(team, removeJob(world, team, input)),
	listPipelines: ({ team, input }) =>
		listPipelines(team, input).map((pipeline) => pipelineReply(team, pipeline)),
};
