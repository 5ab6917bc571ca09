import { ConnectionError, type DataChainClient } from "../../src/client";
import type { CallFacts } from "../../src/client/errors";
import type { EndpointName, ReplyOf } from "../../src/schemas/wire/endpoints";

export const JOB_ID = "2c1c1a0e-53ad-4f8b-9d0e-3a6f0a4d2b11";

/** In every request that can hold some; no message may show any of it. JSON writes the second one differently. */
export const SECRETS = {
	environment: {
		API_KEY: "kx83ndq0zv5w2b7r",
		QUOTED: '"p4t9hhs1mu6e8cya" \\ p4t9hhs1mu6e8cya',
	},
	password: "w7rgf2oj3xl5b0dn",
};
export const REPOSITORY = `https://robot:${SECRETS.password}@git.example.com/a/b.git`;
const environment = Object.entries(SECRETS.environment).map(
	([name, value]) => `${name}=${value}`,
);
const secretFields = { environment: environment.join("\n"), repository: REPOSITORY };

/** Whole objects, with the names that the calls ask for. */
const created_at = new Date().toISOString();
const times = { schedule_name: "nightly", cron_expression: "0 3 * * *" };
const job = {
	id: JOB_ID,
	status: "COMPLETE",
	created_at,
	created_by: "ada",
	environment: { A: "1" },
};
const pipeline = {
	...{ pipeline_id: "a4b1", name: "rusty-vise", status: "ACTIVE" },
	...{ triggered_from: "dev.images.raw", created_at },
	...{
		workers: 1,
		priority: 5,
		python_version: "3.12",
		requirements: "pillow",
		repository: "",
	},
	environment_variables: { A: "1", FSSPEC_S3: '{"anon":true}' },
	job_runs: [
		{
			name: "dev.images.raw",
			status: "COMPLETE",
			created_job_id: JOB_ID,
			parent_job_ids: [],
		},
	],
};
const schedule = {
	...{
		id: 7,
		...times,
		start_after: created_at,
		created_at,
		created_by: { username: "ada" },
	},
	pipeline,
};
const pipelineOutput = { ok: true, pipeline };
const scheduleOutput = { ok: true, schedule };
const cluster = {
	id: 1,
	name: "default",
	status: "ACTIVE",
	cloud_provider: "aws",
	max_workers: 4,
};

const name = pipeline.name;
type Input = Readonly<Record<string, unknown>>;
/** The method is that of a group of the client: "jobs.list". */
const call = <Reply>(where: string, method: string, input: Input, reply: Reply) => ({
	where,
	input,
	reply,
	run: (client: DataChainClient): Promise<unknown> => {
		const [group = "", name = ""] = method.split(".");
		return Reflect.get(Reflect.get(client, group), name)(input);
	},
});

/**
 * A valid call of each endpoint: where below /api/datachain/ it goes, what sends it, with which fields, and a reply to
 * it. Written out from the REST document and never from the endpoint table, or a wrong table would pass.
 */
export const calls: {
	readonly [Name in EndpointName]: ReturnType<typeof call<ReplyOf<Name>>>;
} = {
	listJobs: call(
		"GET jobs/",
		"jobs.list",
		{ status: "ACTIVE", limit: 5, job_id: JOB_ID, include_steps: true },
		[job, { ...job, id: "5d0c9c1e-0b1f-4d59-8a53-0c8f6a1d7e22" }],
	),
	createJob: call(
		"POST jobs/",
		"jobs.create",
		{
			...{
				query: "print(1)",
				query_type: "PYTHON",
				query_name: "first",
				rerun_from_job_id: JOB_ID,
			},
			...{ requirements: "numpy\npandas", python_version: "3.12", files: ["1", "2"] },
			...{
				credentials_name: "aws",
				workers: 2,
				priority: 0,
				compute_cluster_id: 3,
				reset: false,
			},
			...secretFields,
			...{ start_after: "2026-01-01T00:00:00Z", cron_expression: "@daily" },
		},
		job,
	),
	jobLogs: call(
		`GET jobs/${JOB_ID}/logs`,
		"jobs.logs",
		{ job_id: JOB_ID },
		{ logs: "a\nb", log_blobs: [] },
	),
	cancelJob: call(
		`POST jobs/${JOB_ID}/cancel`,
		"jobs.cancel",
		{ job_id: JOB_ID },
		{ ok: true },
	),
	uploadFile: call(
		"POST jobs/files",
		"jobs.uploadFile",
		{ name: "a", content: "abc" },
		{ id: 3, filename: "a", size: 3 },
	),
	listClusters: call("GET clusters/", "clusters.list", {}, [cluster]),
	createSchedule: call(
		"POST pipeline/create-schedule",
		"schedules.create",
		{ pipeline_name: name, start_after: "2026-01-01T00:00:00", ...times },
		scheduleOutput,
	),
	updateSchedule: call(
		"POST pipeline/update-schedule",
		"schedules.update",
		{ schedule_id: 7, pause_pipeline: false, schedule_name: undefined },
		scheduleOutput,
	),
	deleteSchedule: call(
		"POST pipeline/delete-schedule",
		"schedules.delete",
		{ schedule_id: 7 },
		{ ok: true },
	),
	getSchedule: call(
		"GET pipeline/schedule",
		"schedules.get",
		{ schedule_id: 7 },
		schedule,
	),
	listSchedules: call("GET pipeline/schedules", "schedules.list", {}, [
		schedule,
		{ ...schedule, id: 8 },
	]),
	triggerPipeline: call(
		"POST pipeline/trigger",
		"pipelines.trigger",
		{ datasets: ["dev.images.raw@1.0.0", "b"], review: true },
		pipelineOutput,
	),
	updateSettings: call(
		"POST pipeline/settings",
		"pipelines.settings",
		{
			...{
				pipeline_name: name,
				python_version: "3.12",
				requirements: "",
				...secretFields,
			},
			...{ workers: 0, priority: 5, files: [], credentials_names: ["aws"] },
		},
		pipelineOutput,
	),
	pipelineStatus: call(
		"GET pipeline/status",
		"pipelines.status",
		{ name: "a&b=ü ?" },
		{ ...pipeline, name: "a&b=ü ?" },
	),
	pausePipeline: call(
		"POST pipeline/pause",
		"pipelines.pause",
		{ name },
		pipelineOutput,
	),
	resumePipeline: call(
		"POST pipeline/resume",
		"pipelines.resume",
		{ pipeline_id: "a4b1" },
		pipelineOutput,
	),
	removeJob: call(
		"POST pipeline/remove-job",
		"pipelines.removeJob",
		{ name, job_id: JOB_ID },
		pipelineOutput,
	),
	listPipelines: call(
		"GET pipeline/list",
		"pipelines.list",
		{ limit: 100, status: ["PAUSED", "RUNNING"], search: "vi" },
		[pipeline, { ...pipeline, pipeline_id: "a4b2" }],
	),
};

/** What is known about some call; a message about it begins with `Could not do it (POST /x/, request r-1): `. */
export const callFacts = (given: Partial<CallFacts> = {}): CallFacts => ({
	action: "do it",
	method: "POST",
	path: "/x/",
	attempts: 1,
	teamName: "ml",
	namesObject: true,
	receivedBefore: false,
	requestId: "r-1",
	baseUrl: "https://studio.example.com/api",
	...given,
});

/** A machine on which nobody has logged in. */
export const BARE = {
	DATACHAIN_SYSTEM_CONFIG_DIR: "/nonexistent",
	DATACHAIN_GLOBAL_CONFIG_DIR: "/nonexistent",
	DATACHAIN_ROOT_DIR: "/nonexistent",
};

/** A connection at whose other end nothing listens. */
export const NOWHERE = {
	DATACHAIN_STUDIO_URL: "http://127.0.0.1:9",
	DATACHAIN_STUDIO_TOKEN: "t",
	DATACHAIN_STUDIO_TEAM: "ml",
};

/** How settings are refused; fails where they are not. */
export function connectionFailure(run: () => unknown): ConnectionError {
	try {
		run();
	} catch (error) {
		if (error instanceof ConnectionError) return error;
		throw error;
	}
	throw new Error("nothing was refused");
}
