import { z } from "zod";
import {
	apiObject,
	countReply,
	inTeam,
	runSettings,
	shown,
	shownText,
	timestamp,
	uuid,
	variablesReply,
} from "./primitives";

export const jobRunSchema = apiObject("JobPipelineRun", {
	job_id: uuid.nullish(),
	status: z.string().nullish().describe("a job status"),
	parent_job_ids: shown(z.array(uuid)),
	name: z.string().nullish(),
	created_job_id: uuid.nullish(),
});

export const pipelineSchema = apiObject("Pipeline", {
	pipeline_id: uuid,
	// PENDING RUNNING COMPLETED FAILED PAUSED CANCELED so far; COMPLETED here is spelled COMPLETE on a job.
	status: z.string().nullish(),
	job_runs: z.array(jobRunSchema).nullish(),
	completed: shown(countReply).describe("count of finished jobs"),
	total: shown(countReply).describe("count of jobs"),
	error_message: shownText,
	error_stack: shownText,
	triggered_from: z.string().nullish().describe("namespace.project.dataset, with an optional @version"),
	name: z.string().nullish(),
	created_at: timestamp.nullish(),
	updated_at: timestamp.nullish(),
	is_template: shown(z.boolean()),
	schedule_name: z.string().nullish(),
	python_version: z.string().nullish(),
	requirements: z.string().nullish(),
	repository: z.string().nullish(),
	workers: countReply.nullish(),
	priority: countReply.nullish(),
	environment_variables: variablesReply.nullish(),
});

export const pipelineOutputSchema = apiObject("PipelineOutput", {
	ok: shown(z.boolean()),
	pipeline: pipelineSchema.nullish(),
});

export const settingsShape = {
	...inTeam,
	pipeline_name: z.string().min(1),
	...runSettings,
	credentials_names: z.array(z.string()).optional(),
};

/** Pause, resume and remove-job name the pipeline by id or by name. */
export const pipelineInputShape = {
	...inTeam,
	pipeline_id: uuid.optional(),
	name: z.string().optional(),
};
