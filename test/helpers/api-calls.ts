import { ConnectionError, type DataChainClient } from "../../src/api";
import type { Call } from "../../src/api/call";
import type { CallFacts } from "../../src/api/errors";
import type { EndpointName, ReplyOf } from "../../src/schemas/wire/endpoints";

export const JOB_ID = "2c1c1a0e-53ad-4f8b-9d0e-3a6f0a4d2b11";

/** In every request that can hold some; no message may show any of it. JSON writes the second one differently. */
export const SECRETS = {
	environment: { API_KEY: "kx83ndq0zv5w2b7r", QUOTED: '"p4t9hhs1mu6e8cya" \\ p4t9hhs1mu6e8cya' },
	password: "w7rgf2oj3xl5b0dn",
};
export const REPOSITORY = `https://robot:${SECRETS.password}@git.example.com/a/b.git`;
const environment = Object.entries(SECRETS.environment).map(([name, value]) => `${name}=${value}`);
const secretFields = { environment: environment.join("\n"), repository: REPOSITORY };

/** Whole objects, with the names that the calls ask for. */
const created_at = new Date().toISOString();
const times = { schedule_name: "nightly", cron_expression: "0 3 * * *" };
const job = { id: JOB_ID, status: "COMPLETE", created_at, created_by: "ada", environment: { A: "1" } };
const pipeline = {
	...{
		pipeline_id: "a4b1",
		name: "rusty-vise",
		status: "ACTIVE",
		triggered_from: "dev.images.raw",
		created_at,
	},
	...{ workers: 1, priority: 5, python_version: "3.12", requirements: "pillow", repository: "" },
	environment_variables: { A: "1", FSSPEC_S3: '{"anon":true}' },
	job_runs: [{ name: "dev.images.raw", status: "COMPLETE", created_job_id: JOB_ID, parent_job_ids: [] }],
};
const schedule = {
	...{ id: 7, ...times, start_after: created_at, created_at, created_by: { username: "ada" } },
	pipeline,
};
const pipelineOutput = { ok: true, pipeline };
const scheduleOutput = { ok: true, schedule };
const cluster = { id: 1, name: "default", status: "ACTIVE", cloud_provider: "aws", max_workers: 4 };

const name = pipeline.name;
const call = <Reply>(run: (client: DataChainClient) => Promise<unknown>, reply: Reply) => ({ run, reply });

/** A valid call of each endpoint, and a reply to it. */
export const calls: { readonly [Name in EndpointName]: ReturnType<typeof call<ReplyOf<Name>>> } = {
	listJobs: call((c) => c.jobs.list(), [job, { ...job, id: "5d0c9c1e-0b1f-4d59-8a53-0c8f6a1d7e22" }]),
	createJob: call((c) => c.jobs.create({ query: "1", query_type: "PYTHON", ...secretFields }), job),
	jobLogs: call((c) => c.jobs.logs({ job_id: JOB_ID }), { logs: "a\nb", log_blobs: [] }),
	cancelJob: call((c) => c.jobs.cancel({ job_id: JOB_ID }), { ok: true }),
	uploadFile: call((c) => c.jobs.uploadFile({ name: "a", content: "abc" }), {
		id: 3,
		filename: "a",
		size: 3,
	}),
	listClusters: call((c) => c.clusters.list(), [cluster]),
	createSchedule: call((c) => c.schedules.create({ pipeline_name: name, ...times }), scheduleOutput),
	updateSchedule: call((c) => c.schedules.update({ schedule_id: 7, ...times }), scheduleOutput),
	deleteSchedule: call((c) => c.schedules.delete({ schedule_id: 7 }), { ok: true }),
	getSchedule: call((c) => c.schedules.get({ schedule_id: 7 }), schedule),
	listSchedules: call((c) => c.schedules.list(), [schedule, { ...schedule, id: 8 }]),
	triggerPipeline: call((c) => c.pipelines.trigger({ datasets: ["dev.images.raw"] }), pipelineOutput),
	updateSettings: call((c) => c.pipelines.settings({ pipeline_name: name, ...secretFields }), pipelineOutput),
	pipelineStatus: call((c) => c.pipelines.status({ name }), pipeline),
	pausePipeline: call((c) => c.pipelines.pause({ name }), pipelineOutput),
	resumePipeline: call((c) => c.pipelines.resume({ name }), pipelineOutput),
	removeJob: call((c) => c.pipelines.removeJob({ name, job_id: JOB_ID }), pipelineOutput),
	listPipelines: call((c) => c.pipelines.list(), [pipeline, { ...pipeline, pipeline_id: "a4b2" }]),
};

/** What is known about some call; a message about it begins with `Could not do it (POST /x/, request r-1): `. */
export const callFacts = (given: Partial<CallFacts> = {}): CallFacts => ({
	what: "do it",
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

/** A call of the endpoint, without its clock. */
export const callTo = <Name extends EndpointName>(operation: Name): Omit<Call<Name>, "clock"> => ({
	operation,
	request: { path: "/x/", query: "", body: undefined, fields: {} },
	clocks: [],
	extras: {},
	facts: callFacts(),
});

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
