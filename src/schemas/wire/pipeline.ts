// Made from the schemas by `npm run schema`; a test compares them.

export interface JobRun {
	[field: string]: unknown;
	job_id?: string | null | undefined;
	/** A job status. */
	status?: string | null | undefined;
	parent_job_ids?: string[] | null | undefined;
	name?: string | null | undefined;
	created_job_id?: string | null | undefined;
}

export interface Pipeline {
	[field: string]: unknown;
	pipeline_id: string;
	status?: string | null | undefined;
	job_runs?: JobRun[] | null | undefined;
	/** Count of finished jobs. */
	completed?: number | null | undefined;
	/** Count of jobs. */
	total?: number | null | undefined;
	error_message?: string | null | undefined;
	error_stack?: string | null | undefined;
	/** Namespace.project.dataset, with an optional @version. */
	triggered_from?: string | null | undefined;
	name?: string | null | undefined;
	/** ISO 8601 UTC date-time. */
	created_at?: string | null | undefined;
	/** ISO 8601 UTC date-time. */
	updated_at?: string | null | undefined;
	is_template?: boolean | null | undefined;
	schedule_name?: string | null | undefined;
	python_version?: string | null | undefined;
	requirements?: string | null | undefined;
	repository?: string | null | undefined;
	workers?: number | null | undefined;
	priority?: number | null | undefined;
	environment_variables?: Record<string, string | null> | null | undefined;
}

export interface PipelineOutput {
	[field: string]: unknown;
	ok?: boolean | null | undefined;
	pipeline?: Pipeline | null | undefined;
}
