import type { CallOptions, DataChainClient } from "../../../../src/api";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { NAMES } from "./templates";

/** Secrets made up for one run: if any eight characters of one show up in a message, something leaked. */
export interface Canaries {
	readonly token: string;
	/** Values of environment variables; the second has quotes and a backslash, which JSON writes differently. */
	readonly environment: readonly [string, string];
	/** A password within a URL. */
	readonly password: string;
}

const JOB_ID = "2c1c1a0e-53ad-4f8b-9d0e-3a6f0a4d2b11";

export const environmentOf = ({ environment: [plain, quoted] }: Canaries): Record<string, string> => ({
	API_KEY: plain,
	QUOTED: `a "${quoted}" \\ ${quoted}`,
});

const environmentText = (canaries: Canaries): string =>
	Object.entries(environmentOf(canaries))
		.map(([name, value]) => `${name}=${value}`)
		.join("\n");

export const repositoryOf = ({ password }: Canaries): string =>
	`https://robot:${password}@git.example.com/a/b.git`;

type Run = (
	client: DataChainClient,
	team_name: string,
	secret: Canaries,
	options: CallOptions,
) => Promise<unknown>;

/** One call of each endpoint, with a secret wherever the endpoint takes one. */
export const CALLS: Readonly<Record<EndpointName, Run>> = {
	listJobs: (c, team_name, _, o) => c.jobs.list({ team_name, limit: 5 }, o),
	createJob: (c, team_name, secret, o) =>
		c.jobs.create(
			{
				team_name,
				query: "print(1)",
				query_type: "PYTHON",
				environment: environmentText(secret),
				repository: repositoryOf(secret),
			},
			o,
		),
	jobLogs: (c, team_name, _, o) => c.jobs.logs({ team_name, job_id: JOB_ID }, o),
	cancelJob: (c, team_name, _, o) => c.jobs.cancel({ team_name, job_id: JOB_ID }, o),
	uploadFile: (c, team_name, _, o) =>
		c.jobs.uploadFile({ name: "a.txt", content: "abc" }, { team_name, ...o }),
	listClusters: (c, team_name, _, o) => c.clusters.list({ team_name }, o),
	createSchedule: (c, team_name, _, o) =>
		c.schedules.create(
			{
				team_name,
				schedule_name: NAMES.schedule,
				pipeline_name: NAMES.pipeline,
				cron_expression: NAMES.cron,
			},
			o,
		),
	updateSchedule: (c, team_name, _, o) =>
		c.schedules.update({ team_name, schedule_id: 7, cron_expression: NAMES.cron }, o),
	deleteSchedule: (c, team_name, _, o) => c.schedules.delete({ team_name, schedule_id: 7 }, o),
	getSchedule: (c, team_name, _, o) => c.schedules.get({ team_name, schedule_id: 7 }, o),
	listSchedules: (c, team_name, _, o) => c.schedules.list({ team_name }, o),
	triggerPipeline: (c, team_name, _, o) => c.pipelines.trigger({ team_name, datasets: ["a.b.c"] }, o),
	updateSettings: (c, team_name, secret, o) =>
		c.pipelines.settings(
			{
				team_name,
				pipeline_name: NAMES.pipeline,
				environment: environmentText(secret),
				repository: repositoryOf(secret),
			},
			o,
		),
	pipelineStatus: (c, team_name, _, o) => c.pipelines.status({ team_name, name: NAMES.pipeline }, o),
	pausePipeline: (c, team_name, _, o) => c.pipelines.pause({ team_name, name: NAMES.pipeline }, o),
	resumePipeline: (c, team_name, _, o) => c.pipelines.resume({ team_name, name: NAMES.pipeline }, o),
	removeJob: (c, team_name, _, o) =>
		c.pipelines.removeJob({ team_name, name: NAMES.pipeline, job_id: JOB_ID }, o),
	listPipelines: (c, team_name, _, o) => c.pipelines.list({ team_name }, o),
};
