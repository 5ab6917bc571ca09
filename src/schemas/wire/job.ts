import type { InTeam, Optional, Reply, RunOptions } from "./fields";

interface JobFields {
	/** Link to the job in the web interface. */
	url: string;
	created_at: string;
	created_by: string;
	started_at: string;
	finished_at: string;
	query: string;
	query_type: string;
	team: string;
	name: string;
	workers: number;
	python_version: string;
	requirements: string;
	repository: string;
	environment: Record<string, string | null>;
	exit_code: number;
	error_message: string;
	error_stack: string;
	params: Record<string, unknown>;
	metrics: Record<string, unknown>;
	parent_job_id: string;
	rerun_from_job_id: string;
	run_group_id: string;
	compute_cluster_id: number | string;
	compute_cluster_name: string;
	steps: Record<string, unknown>[];
}

export interface Job extends Reply<JobFields> {
	id: string;
	status: string;
}

export interface UploadedFile
	extends Reply<{ filename: string; size: number; state: string; error: string }> {
	id: number | string;
}

export interface CreateJob extends InTeam, Optional<RunOptions> {
	query: string;
	query_type: "PYTHON" | "SHELL";
	/** Becomes the job's name. */
	query_name?: string | undefined;
	rerun_from_job_id?: string | undefined;
	/** Excludes `compute_cluster_id`. */
	compute_cluster_name?: string | undefined;
	compute_cluster_id?: number | string | undefined;
	start_after?: string | undefined;
	/** Five-field cron expression or macro. */
	cron_expression?: string | undefined;
	credentials_name?: string | undefined;
	reset?: boolean | undefined;
}

export interface ListJobs extends InTeam {
	/** A status, or one of the groups ACTIVE and INACTIVE; case does not matter. */
	status?: string | undefined;
	/** 20 unless given. */
	limit?: number | undefined;
	job_id?: string | undefined;
	include_steps?: boolean | undefined;
}

/** Names one job. */
export interface OneJob extends InTeam {
	job_id: string;
}
