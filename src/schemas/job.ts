import { z } from "zod";
import { JobQueryType } from "./enums";
import {
	apiObject,
	countReply,
	inTeam,
	integer,
	integerOrStringId,
	lenient,
	objectName,
	oneOf,
	openObject,
	runSettings,
	runTimes,
	shownText,
	timestamp,
	uuid,
	variablesReply,
} from "./primitives";

/** The statuses that are known; the service may have others. */
export const JOB_STATUSES: readonly string[] = [
	"CREATED",
	"SCHEDULED",
	"PROVISIONING",
	"PENDING",
	"QUEUED",
	"INIT",
	"RUNNING",
	"COMPLETE",
	"FAILED",
	"CANCELING_SCHEDULED",
	"CANCELING",
	"CANCELED",
	"TASK",
];

/** Group filters of the job list, beside single statuses. */
export const JOB_STATUS_GROUPS: readonly string[] = ["ACTIVE", "INACTIVE"];

/** TASK ends a job too: it means that a scheduled task was made of it. */
const FINISHED: ReadonlySet<string> = new Set([
	"COMPLETE",
	"FAILED",
	"CANCELED",
	"TASK",
]);

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

export const isFinishedJobStatus = (status: string): boolean =>
	FINISHED.has(status.toUpperCase());
export const isActiveJobStatus = (status: string): boolean =>
	ACTIVE.has(status.toUpperCase());

export const jobSchema = apiObject("Job", {
	id: uuid.describe("the service's id of the job"),
	url: shownText.describe("link to the job in the web interface"),
	status: z.string().describe("status of the job, such as `RUNNING` or `COMPLETE`"),
	created_at: timestamp.nullish().describe("when it was created"),
	created_by: shownText.describe("user name of who created it"),
	started_at: lenient(timestamp).describe("when it started"),
	finished_at: lenient(timestamp).describe("when it ended"),
	query: shownText.describe("the job's script"),
	query_type: shownText.describe("`PYTHON` or `SHELL`"),
	team: shownText.describe("name of its team"),
	name: shownText.describe("name of the job"),
	workers: lenient(countReply).describe("number of its workers"),
	python_version: shownText.describe("Python version that it runs with"),
	requirements: shownText.describe("packages that it installs"),
	repository: shownText.describe(
		"repository that it clones; lookups show it without credentials",
	),
	environment: variablesReply.nullish(),
	exit_code: lenient(countReply).describe("exit code of its script"),
	error_message: shownText.describe("why it failed"),
	error_stack: shownText.describe("stack trace of the failure"),
	params: lenient(openObject).describe("parameters that it was started with"),
	metrics: lenient(openObject).describe("metrics that it reported"),
	parent_job_id: lenient(uuid).describe("id of the job that started it"),
	rerun_from_job_id: lenient(uuid).describe("id of the job that it runs again"),
	run_group_id: lenient(uuid).describe("id that a job and its reruns share"),
	compute_cluster_id: lenient(integerOrStringId).describe("id of its compute cluster"),
	compute_cluster_name: shownText.describe("name of its compute cluster"),
	steps: lenient(z.array(openObject)).describe(
		"its steps, as the service reports them",
	),
});

export const uploadedFileSchema = apiObject("UploadFileOutput", {
	id: integerOrStringId,
	filename: shownText,
	size: lenient(countReply),
	state: z.string().nullish(),
	error: z.string().nullish(),
});

/** Request body of job creation. The service refuses both cluster selectors at once. */
export const jobInputShape = {
	query: z.string().min(1),
	query_type: oneOf(JobQueryType),
	...inTeam,
	...runSettings,
	query_name: z.string().optional().describe("becomes the job's name"),
	rerun_from_job_id: uuid.optional(),
	compute_cluster_name: z.string().optional(),
	compute_cluster_id: integerOrStringId.optional(),
	...runTimes,
	credentials_name: z.string().optional(),
	reset: z.boolean().optional(),
};

/**
 * Frames of the log WebSocket. Each carries one of these keys; a bare `message` is the service's final error.
 * Log ids count up per job and stay stable, so that a reader can drop what it has seen after a reconnect.
 */
export const logFrameSchema = apiObject("LogFrame", {
	type: z.string().nullish(),
	logs: z.array(z.looseObject({ id: integer, message: z.string() })).nullish(),
	log_blobs: z.array(z.string()).nullish(),
	job: z.looseObject({ status: z.string() }).nullish(),
	message: z.string().nullish(),
});

export type LogFrame = z.infer<typeof logFrameSchema>;

const ADDRESSES = ["http:", "https:", "file:"];

/** A Pulumi asset as the engine spells it: one of a path, a text or a URI, with the hash of its content. */
export const assetSchema = z
	.looseObject({
		"4dabf18193072939515e22adb298388d": z.literal("c44067f5952c0a294b673a41bacd8c17"),
		hash: z.string().optional(),
		path: z.string().optional(),
		text: z.string().optional(),
		uri: z.string().optional(),
	})
	.superRefine(({ uri }, context) => {
		const message = uri === undefined ? undefined : addressProblem(uri);
		if (message !== undefined) context.addIssue({ code: "custom", message });
	});

/** The state has the address in plain text. */
function addressProblem(uri: string): string | undefined {
	const url = URL.canParse(uri) ? new URL(uri) : undefined;
	if (url === undefined || !ADDRESSES.includes(url.protocol)) {
		return "is at an address that cannot be read: use one that starts with https:// or http://, or a path";
	}
	if (url.username === "" && url.password === "") return undefined;
	return (
		"is at an address with a user name or a password, which the state would store in plain text. " +
		"Download the file first and give its path"
	);
}

export const fileName = objectName.refine(
	(name) => !/[\\/]/.test(name) && name !== "." && name !== "..",
	{
		error: "must be a plain file name, without a folder",
	},
);
