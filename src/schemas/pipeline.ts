import { z } from "zod";
import {
	apiObject,
	countReply,
	inTeam,
	lenient,
	runSettings,
	shownText,
	timestamp,
	uuid,
	variablesReply,
} from "./primitives";

export const jobRunSchema = apiObject("JobPipelineRun", {
	job_id: uuid.nullish().describe("id of the job in the pipeline"),
	status: z.string().nullish().describe("status of the job"),
	parent_job_ids: lenient(z.array(uuid)).describe(
		"jobs that must finish before it starts",
	),
	name: z.string().nullish().describe("name of the job"),
	created_job_id: uuid
		.nullish()
		.describe("id of the job that ran, after it was started"),
});

export const pipelineSchema = apiObject("Pipeline", {
	pipeline_id: uuid.describe("the service's id of the pipeline"),
	// COMPLETED here is spelled COMPLETE on a job.
	status: z
		.string()
		.nullish()
		.describe(
			"`PENDING`, `RUNNING`, `COMPLETED`, `FAILED`, `PAUSED` or `CANCELED`; the service may add others",
		),
	job_runs: z.array(jobRunSchema).nullish().describe("its jobs"),
	completed: lenient(countReply).describe("number of its jobs that have finished"),
	total: lenient(countReply).describe("number of its jobs"),
	error_message: shownText.describe("why it failed"),
	error_stack: shownText.describe("stack trace of the failure"),
	triggered_from: z
		.string()
		.nullish()
		.describe("`namespace.project.dataset`, with an optional `@version`"),
	name: z.string().nullish().describe("name of the pipeline"),
	created_at: timestamp.nullish().describe("when it was created"),
	updated_at: timestamp.nullish().describe("when it was last changed"),
	is_template: lenient(z.boolean()).describe("true of a pipeline that a schedule runs"),
	schedule_name: z
		.string()
		.nullish()
		.describe("name of the schedule that it belongs to"),
	python_version: z.string().nullish().describe("Python version of its jobs"),
	requirements: z.string().nullish().describe("packages that its jobs install"),
	repository: z
		.string()
		.nullish()
		.describe("repository that its jobs clone; lookups show it without credentials"),
	workers: countReply.nullish().describe("number of workers of its jobs"),
	priority: countReply.nullish().describe("0 to 5; lower runs sooner"),
	environment_variables: variablesReply.nullish(),
});

export const pipelineOutputSchema = apiObject("PipelineOutput", {
	ok: lenient(z.boolean()),
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
