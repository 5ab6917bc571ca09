import type { DataChainClient } from "../../src/api";
import type { EndpointName } from "../../src/schemas/wire/endpoints";

export const JOB_ID = "2c1c1a0e-53ad-4f8b-9d0e-3a6f0a4d2b11";

const job = { id: JOB_ID, status: "CREATED" };
const pipelineOutput = { ok: true, pipeline: { pipeline_id: "a4b1" } };
const scheduleOutput = { ok: true, schedule: { id: 7 } };

/** The smallest valid call of each endpoint, and the smallest reply it accepts. */
export const calls: Readonly<
	Record<EndpointName, { run: (client: DataChainClient) => Promise<unknown>; reply: unknown }>
> = {
	listJobs: { run: (c) => c.jobs.list(), reply: [] },
	createJob: { run: (c) => c.jobs.create({ query: "1", query_type: "PYTHON" }), reply: job },
	jobLogs: { run: (c) => c.jobs.logs({ job_id: JOB_ID }), reply: [] },
	cancelJob: { run: (c) => c.jobs.cancel({ job_id: JOB_ID }), reply: {} },
	uploadFile: { run: (c) => c.jobs.uploadFile({ name: "a", content: "abc" }), reply: { id: 1 } },
	listClusters: { run: (c) => c.clusters.list(), reply: [] },
	createSchedule: {
		run: (c) => c.schedules.create({ schedule_name: "n", pipeline_name: "p", cron_expression: "@daily" }),
		reply: scheduleOutput,
	},
	updateSchedule: {
		run: (c) => c.schedules.update({ schedule_id: 7, pause_pipeline: true }),
		reply: scheduleOutput,
	},
	deleteSchedule: { run: (c) => c.schedules.delete({ schedule_id: 7 }), reply: { ok: true } },
	getSchedule: { run: (c) => c.schedules.get({ schedule_id: 7 }), reply: { id: 7 } },
	listSchedules: { run: (c) => c.schedules.list(), reply: [] },
	triggerPipeline: { run: (c) => c.pipelines.trigger({ datasets: ["a"] }), reply: pipelineOutput },
	updateSettings: {
		run: (c) => c.pipelines.settings({ pipeline_name: "p", workers: 1 }),
		reply: pipelineOutput,
	},
	pipelineStatus: { run: (c) => c.pipelines.status({ name: "p" }), reply: { pipeline_id: "a" } },
	pausePipeline: { run: (c) => c.pipelines.pause({ name: "p" }), reply: pipelineOutput },
	resumePipeline: { run: (c) => c.pipelines.resume({ name: "p" }), reply: pipelineOutput },
	removeJob: { run: (c) => c.pipelines.removeJob({ name: "p", job_id: JOB_ID }), reply: pipelineOutput },
	listPipelines: { run: (c) => c.pipelines.list(), reply: [] },
};
