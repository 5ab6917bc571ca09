import { z } from "zod";
import {
	countReply,
	inTeam,
	integer,
	integerOrStringId,
	openObject,
	timestamp,
	uuid,
	variablesReply,
} from "./primitives";

/** TASK ends a job too: it means that a scheduled task was made of it. */
const FINISHED: ReadonlySet<string> = new Set(["COMPLETE", "FAILED", "CANCELED", "TASK"]);

/** What the service's group filter `status=ACTIVE` stands for. */
const ACTIVE: ReadonlySet<string> = new Set([
	"CREATED",
	"SCHEDULED",
	"QUEUED",
	"INIT",
	"RUNNING",
	"CANCELING_SCHEDULED",
	"CANCELING",
]);

export const isFinishedJobStatus = (status: string): boolean => FINISHED.has(status.toUpperCase());
export const isActiveJobStatus = (status: string): boolean => ACTIVE.has(status.toUpperCase());

export const jobSchema = z.looseObject({
	id: uuid,
	url: z.string().nullish().describe("link to the job in the web UI"),
	status: z.string(),
	created_at: timestamp.nullish(),
	created_by: z.string().nullish(),
	started_at: timestamp.nullish(),
	finished_at: timestamp.nullish(),
	query: z.string().nullish(),
	query_type: z.string().nullish(),
	team: z.string().nullish(),
	name: z.string().nullish(),
	workers: countReply.nullish(),
	python_version: z.string().nullish(),
	requirements: z.string().nullish(),
	repository: z.string().nullish(),
	environment: variablesReply.nullish(),
	exit_code: countReply.nullish(),
	error_message: z.string().nullish(),
	error_stack: z.string().nullish(),
	params: openObject.nullish(),
	metrics: openObject.nullish(),
	parent_job_id: uuid.nullish(),
	rerun_from_job_id: uuid.nullish(),
	run_group_id: uuid.nullish(),
	compute_cluster_id: integerOrStringId.nullish(),
	compute_cluster_name: z.string().nullish(),
	steps: z.array(openObject).nullish(),
});

export const uploadedFileSchema = z.looseObject({
	id: integerOrStringId,
	filename: z.string().nullish(),
	size: integer.nullish(),
	state: z.string().nullish(),
	error: z.string().nullish(),
});

/** Request body of job creation. Both cluster selectors at once are refused by `onlyOneCluster`. */
export const jobInputShape = {
	query: z.string().min(1),
	query_type: z.enum(["PYTHON", "SHELL"]),
	...inTeam,
	environment: z.string().optional().describe("NAME=VALUE lines joined with a newline"),
	workers: integer.min(0).optional(),
	query_name: z.string().optional().describe("becomes the job's name"),
	rerun_from_job_id: uuid.optional(),
	files: z.array(z.string()).optional().describe("file ids returned by the upload endpoint"),
	python_version: z.string().optional(),
	requirements: z.string().optional(),
	repository: z.string().optional().describe("clone URL with an optional @revision"),
	priority: integer.min(0).max(5).optional().describe("0 to 5, lower runs sooner"),
	compute_cluster_name: z.string().optional(),
	compute_cluster_id: integerOrStringId.optional(),
	start_after: timestamp.optional(),
	cron_expression: z.string().optional().describe("five-field cron expression or macro"),
	credentials_name: z.string().optional(),
	reset: z.boolean().optional(),
};
