import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Endpoint, endpoints } from "../schemas/endpoints";
import { uploadedFileSchema } from "../schemas/job";
import type { Cluster } from "../schemas/wire/cluster";
import type { ClientMethods, EndpointName, ReplyOf } from "../schemas/wire/endpoints";
import type { Job, UploadedFile } from "../schemas/wire/job";
import type { JobRun, Pipeline } from "../schemas/wire/pipeline";
import type { ScheduleItem, User } from "../schemas/wire/schedule";

/**
 * Everything the server knows, as plain JSON: what is in here survives a restart, nothing else does.
 * A record has the fields of the API's object in the API's own form, so that a new field needs no code here, and beside
 * them what the server alone knows. `visibleFields` makes the reply of it.
 * Tokens are not part of it, so that a data file opens no door.
 * What a record's field holds is replaced, never changed in place, so that a shallow copy keeps how a record was.
 */
export interface State {
	format: 2;
	nextFileId: number;
	nextScheduleId: number;
	teams: TeamState[];
}

export interface TeamState extends OwnRecords, Omit<ListedObjects, keyof OwnRecords> {
	name: string;
}

/** Records of which the server knows more than the API shows, and those that the API does not list. */
interface OwnRecords {
	datasets: DatasetRecord[];
	files: FileRecord[];
	/** Oldest first, as are all lists here. */
	jobs: JobRecord[];
	pipelines: PipelineRecord[];
	schedules: ScheduleRecord[];
}

/** What the API lists, by the client's group: `clusters`, of the endpoint whose `client` is `clusters.list`. */
type ListedObjects = {
	[Group in keyof ClientMethods as ClientMethods[Group] extends {
		list: EndpointName;
	}
		? Group
		: never]: ClientMethods[Group] extends { list: infer Name extends EndpointName }
		? Extract<ReplyOf<Name>, unknown[]>
		: never;
};

/** What checks a record of a data file. */
interface RecordSchema {
	safeParse(record: unknown): { readonly success: boolean };
}

const anything: RecordSchema = { safeParse: () => ({ success: true }) };

const listedObjects = Object.values<Endpoint>(endpoints).flatMap(
	({ client, reply }) => {
		const [group = "", method] = client.split(".");
		return method === "list" && reply instanceof z.ZodArray
			? [[group, reply.element as unknown as RecordSchema] as const]
			: [];
	},
);

/** Every collection of a team, with the schema of the replies that are made of its records. */
export const COLLECTIONS = {
	...Object.fromEntries(listedObjects),
	datasets: anything,
	files: uploadedFileSchema,
} as unknown as Readonly<Record<Exclude<keyof TeamState, "name">, RecordSchema>>;

export const COLLECTION_NAMES = Object.keys(
	COLLECTIONS,
) as readonly (keyof typeof COLLECTIONS)[];

/** An object of the API of which these fields are always there, with what the server alone knows of it. */
type RecordOf<T, Fields extends keyof T, Own> = {
	[Field in keyof T as Field extends Fields | keyof Own ? never : Field]: T[Field];
} & { [Field in Fields]-?: NonNullable<T[Field]> } & Own;

export interface DatasetRecord {
	/** namespace.project.name; a user's namespace starts with @. */
	fullName: string;
	/** Full names of the datasets it is made from. */
	madeFrom: string[];
	query: string;
	/** Oldest first. */
	versions: { version: string; jobId: string }[];
}

export type FileRecord = RecordOf<UploadedFile, "filename" | "size" | "state", unknown>;

type KnownOfJob =
	| "name"
	| "query"
	| "query_type"
	| "created_at"
	| "created_by"
	| "workers"
	| "python_version"
	| "requirements"
	| "environment"
	| "steps";

export type JobRecord = RecordOf<Job, KnownOfJob, JobExtras>;

interface JobExtras {
	priority: number;
	files: string[];
	credentials_name: string | null;
	start_after: string | null;
	cron_expression: string | null;
	/** A line's id is its place in here, counted from 1. */
	logs: string[];
	/** How far a running job is. */
	progress: number;
	/** When the job changes by itself next, in milliseconds; null where it waits for someone. */
	due: number | null;
	/** The pipeline it belongs to, and the dataset it makes a version of. */
	pipeline_id: string | null;
	dataset: string | null;
	produced: { dataset_name: string; version: string }[];
}

/** `job_id` made the dataset the last time, and `parent_job_ids` refer to it; `created_job_id` is the pipeline's own job. */
export type PipelineRun = RecordOf<
	JobRun,
	"job_id" | "parent_job_ids" | "name" | "created_job_id",
	unknown
>;

type KnownOfPipeline =
	| "name"
	| "triggered_from"
	| "created_at"
	| "updated_at"
	| "environment_variables";

export type PipelineRecord = RecordOf<Pipeline, KnownOfPipeline, PipelineExtras>;

interface PipelineExtras {
	paused: boolean;
	/** Without their status, which is that of their jobs. */
	job_runs: PipelineRun[];
	created_by: string;
	/** The schedule that fired it. */
	schedule_id: number | null;
	files: string[];
	credentials_names: string[];
}

type KnownOfSchedule = "schedule_name" | "created_at" | "updated_at" | "start_after";

export type ScheduleRecord = RecordOf<ScheduleItem, KnownOfSchedule, ScheduleExtras>;

interface ScheduleExtras {
	created_by: User & { username: string };
	cron_expression: string | null;
	next_run: string | null;
	/** The template: each run is a copy of it. */
	pipeline_id: string;
	latest_run_id: string | null;
}

export const emptyState = (): State => ({
	format: 2,
	nextFileId: 1,
	nextScheduleId: 1,
	teams: [],
});

export const emptyTeam = (name: string): TeamState =>
	({
		name,
		...Object.fromEntries(COLLECTION_NAMES.map((collection) => [collection, []])),
	}) as unknown as TeamState;

/** A schema of an object, named here by its form: who imports the server's types must not load those of its library. */
interface ObjectSchema<Output> {
	readonly shape: object;
	readonly _zod: { readonly output: Output };
}

const fieldsOf = new WeakMap<object, readonly string[]>();

/** What a reply shows of a record: the fields that the schema names, null where nothing is known. */
export function visibleFields<Output>(
	schema: ObjectSchema<Output>,
	record: object,
): Output {
	// A list asks this for each of its elements.
	const fields = fieldsOf.get(schema) ?? Object.keys(schema.shape);
	fieldsOf.set(schema, fields);
	const reply: Record<string, unknown> = {};
	for (const field of fields) reply[field] = Reflect.get(record, field) ?? null;
	return reply as Output;
}

/** The fields that are given: a client may send a field without a value, which says nothing. */
export const definedFields = <T extends object>(
	fields: T,
): { [Name in keyof T]: Exclude<T[Name], undefined> } =>
	Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	) as never;

/** What is given, and the rest as it is where nobody has said anything. */
type PartialRecord<R, Needed extends keyof R> = Pick<R, Needed> & Partial<R>;

export const newJob = (
	values: PartialRecord<JobRecord, "name" | "query" | "created_at" | "created_by">,
): JobRecord => ({
	id: randomUUID(),
	query_type: "PYTHON",
	status: "CREATED",
	workers: 1,
	python_version: "3.12",
	requirements: "",
	environment: {},
	params: {},
	metrics: {},
	priority: 5,
	files: [],
	credentials_name: null,
	start_after: null,
	cron_expression: null,
	logs: [],
	steps: [],
	progress: 0,
	due: null,
	pipeline_id: null,
	dataset: null,
	produced: [],
	...values,
});

export const newPipeline = (
	values: PartialRecord<
		PipelineRecord,
		"name" | "created_at" | "created_by" | "triggered_from"
	>,
): PipelineRecord => ({
	pipeline_id: randomUUID(),
	paused: false,
	job_runs: [],
	updated_at: values.created_at,
	schedule_id: null,
	environment_variables: {},
	files: [],
	credentials_names: [],
	...values,
});

export const newSchedule = (
	values: PartialRecord<
		ScheduleRecord,
		"id" | "schedule_name" | "created_at" | "created_by" | "pipeline_id"
	>,
): ScheduleRecord => ({
	updated_at: values.created_at,
	start_after: values.created_at,
	cron_expression: null,
	next_run: null,
	latest_run_id: null,
	...values,
});

export const newCluster = ({ status = "ACTIVE", ...values }: Cluster): Cluster => ({
	status,
	is_active: status === "ACTIVE",
	cloud_provider: "AWS",
	default: false,
	max_workers: 1,
	active_workers: 0,
	busy_workers: 0,
	...values,
});

/** First and last name as the service shows them; here they are made of the user name. */
export function newUser(username: string): ScheduleRecord["created_by"] {
	const [first = "", ...rest] = username
		.split("-")
		.map((part) => part.charAt(0).toUpperCase() + part.slice(1));
	return { username, first_name: first, last_name: rest.join(" ") };
}

export const pipelineById = (
	team: TeamState,
	id: string | null,
): PipelineRecord | undefined => team.pipelines.find((one) => one.pipeline_id === id);

const jobIndexes = new WeakMap<readonly JobRecord[], Map<string, JobRecord>>();

/** Jobs are looked up for every run of every listed pipeline; the index follows the list as it grows. */
export function jobById(team: TeamState, id: string): JobRecord | undefined {
	const index = jobIndexes.get(team.jobs) ?? new Map<string, JobRecord>();
	jobIndexes.set(team.jobs, index);
	for (const job of team.jobs.slice(index.size)) index.set(job.id, job);
	return index.get(id);
}
