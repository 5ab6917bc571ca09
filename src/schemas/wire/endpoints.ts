// Made from the schemas by `npm run schema`; a test compares them.
import type { Cluster } from "./cluster";
import type { Job, UploadedFile } from "./job";
import type { Pipeline, PipelineOutput } from "./pipeline";
import type { DeletedSchedule, Schedule, ScheduleItem, ScheduleOutput } from "./schedule";

export interface InTeam {
	/** Team the request works in. */
	team_name?: string | undefined;
}

export interface ListJobs extends InTeam {
	/** A status, or the groups ACTIVE and INACTIVE; case does not matter. */
	status?: string | undefined;
	/** Default: 20. */
	limit?: number | undefined;
	job_id?: string | undefined;
	include_steps?: boolean | undefined;
}

export interface CreateJob extends InTeam {
	query: string;
	query_type: "PYTHON" | "SHELL";
	python_version?: string | undefined;
	/** Lines joined with a newline. */
	requirements?: string | undefined;
	/** Clone URL with an optional @revision. */
	repository?: string | undefined;
	workers?: number | undefined;
	/** 0 to 5, lower runs sooner. */
	priority?: number | undefined;
	/** NAME=VALUE lines joined with a newline. */
	environment?: string | undefined;
	/** File ids returned by the upload endpoint. */
	files?: string[] | undefined;
	/** Becomes the job's name. */
	query_name?: string | undefined;
	rerun_from_job_id?: string | undefined;
	compute_cluster_name?: string | undefined;
	compute_cluster_id?: number | string | undefined;
	/** ISO 8601 UTC date-time. */
	start_after?: string | undefined;
	/** Five-field cron expression or macro. */
	cron_expression?: string | undefined;
	credentials_name?: string | undefined;
	reset?: boolean | undefined;
}

export interface JobLogs extends InTeam {
	job_id: string;
}

export interface CancelJob extends InTeam {
	job_id: string;
}

export type UploadFile = InTeam;

export type ListClusters = InTeam;

export interface CreateSchedule extends InTeam {
	schedule_name: string;
	pipeline_name: string;
	/** ISO 8601 UTC date-time. */
	start_after?: string | undefined;
	/** Five-field cron expression or macro. */
	cron_expression?: string | undefined;
}

export interface UpdateSchedule extends InTeam {
	schedule_name?: string | undefined;
	schedule_id: number;
	/** ISO 8601 UTC date-time. */
	start_after?: string | undefined;
	/** Five-field cron expression or macro. */
	cron_expression?: string | undefined;
	/** True pauses the schedule's pipeline. */
	pause_pipeline?: boolean | undefined;
}

export interface DeleteSchedule extends InTeam {
	schedule_id: number;
}

export interface GetSchedule extends InTeam {
	schedule_id: number;
}

export type ListSchedules = InTeam;

export interface TriggerPipeline extends InTeam {
	/** Namespace.project.dataset, with an optional @version. */
	datasets: string[];
	/** True creates the pipeline PAUSED, to be resumed. */
	review?: boolean | undefined;
}

export interface UpdateSettings extends InTeam {
	pipeline_name: string;
	python_version?: string | undefined;
	/** Lines joined with a newline. */
	requirements?: string | undefined;
	/** Clone URL with an optional @revision. */
	repository?: string | undefined;
	workers?: number | undefined;
	/** 0 to 5, lower runs sooner. */
	priority?: number | undefined;
	/** NAME=VALUE lines joined with a newline. */
	environment?: string | undefined;
	/** File ids returned by the upload endpoint. */
	files?: string[] | undefined;
	credentials_names?: string[] | undefined;
}

export interface PipelineStatus extends InTeam {
	name: string;
}

export interface PausePipeline extends InTeam {
	pipeline_id?: string | undefined;
	name?: string | undefined;
}

export interface ResumePipeline extends InTeam {
	pipeline_id?: string | undefined;
	name?: string | undefined;
}

export interface RemoveJob extends InTeam {
	pipeline_id?: string | undefined;
	name?: string | undefined;
	job_id: string;
}

export interface ListPipelines extends InTeam {
	/** Default: 20. */
	limit?: number | undefined;
	status?: string[] | undefined;
	/** Matches the name or the source dataset. */
	search?: string | undefined;
}

/** What travels, in the order of the table in `schemas/endpoints.ts`. */
interface Messages {
	listJobs: { request: ListJobs; reply: Job[] };
	createJob: { request: CreateJob; reply: Job };
	jobLogs: { request: JobLogs; reply: unknown };
	cancelJob: { request: CancelJob; reply: { [field: string]: unknown; message?: string | null | undefined } };
	uploadFile: { request: UploadFile; reply: UploadedFile };
	listClusters: { request: ListClusters; reply: Cluster[] };
	createSchedule: { request: CreateSchedule; reply: ScheduleOutput };
	updateSchedule: { request: UpdateSchedule; reply: ScheduleOutput };
	deleteSchedule: { request: DeleteSchedule; reply: DeletedSchedule };
	getSchedule: { request: GetSchedule; reply: Schedule };
	listSchedules: { request: ListSchedules; reply: ScheduleItem[] };
	triggerPipeline: { request: TriggerPipeline; reply: PipelineOutput };
	updateSettings: { request: UpdateSettings; reply: PipelineOutput };
	pipelineStatus: { request: PipelineStatus; reply: Pipeline };
	pausePipeline: { request: PausePipeline; reply: PipelineOutput };
	resumePipeline: { request: ResumePipeline; reply: PipelineOutput };
	removeJob: { request: RemoveJob; reply: PipelineOutput };
	listPipelines: { request: ListPipelines; reply: Pipeline[] };
}

export type EndpointName = keyof Messages;

/** All fields of an endpoint's request in the wire's names, wherever they travel: path, query or body. */
export type RequestOf<Name extends EndpointName> = Messages[Name]["request"];

export type ReplyOf<Name extends EndpointName> = Messages[Name]["reply"];

/**
 * When a failed request may be sent again. This API deletes by POST, so the verb says nothing:
 * - `always`: reads and writes that end in the same state however often they run;
 * - `unreceived`: each run does new work, so only when the request surely did none (429, refused connection, DNS).
 */
export type Retry = "always" | "unreceived";
