import type { Cluster } from "./cluster";
import type { InTeam, Reply } from "./fields";
import type { CreateJob, Job, ListJobs, OneJob, UploadedFile } from "./job";
import type {
	ListPipelines,
	OnePipeline,
	Pipeline,
	PipelineOutput,
	PipelineStatus,
	RemoveJob,
	TriggerPipeline,
	UpdateSettings,
} from "./pipeline";
import type {
	CreateSchedule,
	OneSchedule,
	Schedule,
	ScheduleItem,
	ScheduleOutput,
	UpdateSchedule,
} from "./schedule";

/** What travels, in the order of the table in `schemas/endpoints.ts`. */
interface Messages {
	listJobs: { request: ListJobs; reply: Job[] };
	createJob: { request: CreateJob; reply: Job };
	jobLogs: { request: OneJob; reply: unknown };
	cancelJob: { request: OneJob; reply: Reply<{ message: string }> };
	/** The file itself is no field: it is streamed. */
	uploadFile: { request: InTeam; reply: UploadedFile };
	listClusters: { request: InTeam; reply: Cluster[] };
	createSchedule: { request: CreateSchedule; reply: ScheduleOutput };
	updateSchedule: { request: UpdateSchedule; reply: ScheduleOutput };
	deleteSchedule: { request: OneSchedule; reply: { [field: string]: unknown; ok: boolean } };
	getSchedule: { request: OneSchedule; reply: Schedule };
	listSchedules: { request: InTeam; reply: ScheduleItem[] };
	triggerPipeline: { request: TriggerPipeline; reply: PipelineOutput };
	updateSettings: { request: UpdateSettings; reply: PipelineOutput };
	pipelineStatus: { request: PipelineStatus; reply: Pipeline };
	pausePipeline: { request: OnePipeline; reply: PipelineOutput };
	resumePipeline: { request: OnePipeline; reply: PipelineOutput };
	removeJob: { request: RemoveJob; reply: PipelineOutput };
	listPipelines: { request: ListPipelines; reply: Pipeline[] };
}

export type EndpointName = keyof Messages;

/** All fields of an endpoint's request in the wire's names, wherever they travel: path, query or body. */
export type RequestOf<Name extends EndpointName> = Messages[Name]["request"];

export type ReplyOf<Name extends EndpointName> = Messages[Name]["reply"];
