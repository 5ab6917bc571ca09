// Made from the schemas by `npm run schema`; a test compares them.

export interface Job {
	[field: string]: unknown;
	id: string;
	/** Link to the job in the web UI. */
	url?: string | null | undefined;
	status: string;
	/** ISO 8601 UTC date-time. */
	created_at?: string | null | undefined;
	created_by?: string | null | undefined;
	/** ISO 8601 UTC date-time. */
	started_at?: string | null | undefined;
	/** ISO 8601 UTC date-time. */
	finished_at?: string | null | undefined;
	query?: string | null | undefined;
	query_type?: string | null | undefined;
	team?: string | null | undefined;
	name?: string | null | undefined;
	workers?: number | null | undefined;
	python_version?: string | null | undefined;
	requirements?: string | null | undefined;
	repository?: string | null | undefined;
	environment?: Record<string, string | null> | null | undefined;
	exit_code?: number | null | undefined;
	error_message?: string | null | undefined;
	error_stack?: string | null | undefined;
	params?: Record<string, unknown> | null | undefined;
	metrics?: Record<string, unknown> | null | undefined;
	parent_job_id?: string | null | undefined;
	rerun_from_job_id?: string | null | undefined;
	run_group_id?: string | null | undefined;
	compute_cluster_id?: number | string | null | undefined;
	compute_cluster_name?: string | null | undefined;
	steps?: Record<string, unknown>[] | null | undefined;
}

export interface UploadedFile {
	[field: string]: unknown;
	id: number | string;
	filename?: string | null | undefined;
	size?: number | null | undefined;
	state?: string | null | undefined;
	error?: string | null | undefined;
}
