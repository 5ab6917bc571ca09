import type { InTeam, Optional, Reply, RunOptions } from "./fields";

interface JobRunFields {
	job_id: string;
	/** A job status. */
	status: string;
	parent_job_ids: string[];
	name: string;
	created_job_id: string;
}

export interface JobRun extends Reply<JobRunFields> {}

interface PipelineFields {
	status: string;
	job_runs: JobRun[];
	/** Count of finished jobs. */
	completed: number;
	/** Count of jobs. */
	total: number;
	error_message: string;
	error_stack: string;
	/** `namespace.project.dataset`, with an optional `@version`. */
	triggered_from: string;
	name: string;
	created_at: string;
	updated_at: string;
	is_template: boolean;
	schedule_name: string;
	python_version: string;
	requirements: string;
	repository: string;
	workers: number;
	priority: number;
	/** Null is a variable without a value that could be sent back. */
	environment_variables: Record<string, string | null>;
}

export interface Pipeline extends Reply<PipelineFields> {
	pipeline_id: string;
}

export interface PipelineOutput extends Reply<{ pipeline: Pipeline }> {
	ok: boolean;
}

export interface TriggerPipeline extends InTeam {
	/** `namespace.project.dataset`, with an optional `@version`. */
	datasets: string[];
	/** True creates the pipeline paused, to be resumed. */
	review?: boolean | undefined;
}

export interface UpdateSettings extends InTeam, Optional<RunOptions & { credentials_names: string[] }> {
	pipeline_name: string;
}

export interface PipelineStatus extends InTeam {
	name: string;
}

/** Names one pipeline, by either field. */
export interface OnePipeline extends InTeam, Optional<{ pipeline_id: string; name: string }> {}

export interface RemoveJob extends OnePipeline {
	job_id: string;
}

export interface ListPipelines extends InTeam {
	/** 20 unless given. */
	limit?: number | undefined;
	status?: string[] | undefined;
	/** Matches the name or the source dataset. */
	search?: string | undefined;
}
