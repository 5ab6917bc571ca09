import type { DataChainClient } from "../../../../src/api";
import type { Kind } from "../../../../src/schemas/kinds";
import type { EndpointName, ReplyOf } from "../../../../src/schemas/wire/endpoints";
import type { Process, Props } from "../../process";
import type { Random } from "../../random";

/** Secrets made up for one run: if any eight characters of one show up in a message, something leaked. */
export interface Secrets {
	readonly token: string;
	/** Values of environment variables; the second has quotes and a backslash around it, which JSON writes differently. */
	readonly environment: readonly [string, string];
	/** A password within a URL, and the text of a file. */
	readonly password: string;
}

const PIPELINE = { pipeline_name: "rusty-vise" };
const NAME = { name: PIPELINE.pipeline_name };
const JOB_ID = "2c1c1a0e-53ad-4f8b-9d0e-3a6f0a4d2b11";
const JOB = { job_id: JOB_ID };
const ID = { schedule_id: 7 };
const TIMES = { schedule_name: "fuzzed", cron_expression: "0 3 * * *" };
const AT = new Date().toISOString();

/** Valid replies, with the names that the calls below ask for. */
const job = {
	id: JOB_ID,
	status: "COMPLETE",
	created_at: AT,
	created_by: "ada",
	workers: 1,
	environment: { A: "1" },
};
const pipeline = {
	...{ pipeline_id: "p-1", ...NAME, status: "ACTIVE", triggered_from: "dev.images.raw", created_at: AT },
	...{ workers: 1, priority: 5, python_version: "3.12", requirements: "pillow", repository: "" },
	environment_variables: { A: "1", FSSPEC_S3: '{"anon":true}' },
	job_runs: [{ name: "dev.images.raw", status: "COMPLETE", created_job_id: JOB_ID, parent_job_ids: [] }],
};
const schedule = {
	id: 7,
	...TIMES,
	start_after: AT,
	next_run: AT,
	created_at: AT,
	created_by: { username: "ada" },
	pipeline,
};
const [ok, withPipeline, withSchedule] = [{ ok: true }, { ok: true, pipeline }, { ok: true, schedule }];
export const TEMPLATES: { readonly [Name in EndpointName]: ReplyOf<Name> } = {
	createJob: job,
	listJobs: [job, job],
	jobLogs: { logs: "a\nb", log_blobs: [] },
	cancelJob: ok,
	uploadFile: { ok: true, id: 3, filename: "a.txt", size: 3 },
	listClusters: [{ id: 1, name: "default", status: "ACTIVE", cloud_provider: "aws", max_workers: 4 }],
	createSchedule: withSchedule,
	updateSchedule: withSchedule,
	getSchedule: schedule,
	listSchedules: [schedule, { ...schedule, id: 8, schedule_name: "theirs" }],
	updateSettings: withPipeline,
	pausePipeline: withPipeline,
	resumePipeline: withPipeline,
	pipelineStatus: pipeline,
	listPipelines: [pipeline, { ...pipeline, pipeline_id: "p-2", name: "other" }],
	triggerPipeline: withPipeline,
	removeJob: withPipeline,
	deleteSchedule: ok,
};

const environmentOf = ({ environment: [plain, quoted] }: Secrets) => ({
	API_KEY: plain,
	QUOTED: `a "${quoted}" \\ ${quoted}`,
});
const repositoryOf = ({ password }: Secrets) => `https://robot:${password}@git.example.com/a/b.git`;
const fieldsOf = (secrets: Secrets) => {
	const lines = Object.entries(environmentOf(secrets)).map(([name, value]) => `${name}=${value}`);
	return { environment: lines.join("\n"), repository: repositoryOf(secrets) };
};

type Team = { readonly team_name: string };

/** One call of each endpoint, with a secret wherever the endpoint takes one. */
export const CALLS: Readonly<
	Record<EndpointName, (c: DataChainClient, team: Team, s: Secrets) => Promise<unknown>>
> = {
	createJob: (c, team, s) =>
		c.jobs.create({ ...team, query: "print(1)", query_type: "PYTHON", ...fieldsOf(s) }),
	listJobs: (c, team) => c.jobs.list({ ...team, limit: 3 }),
	jobLogs: (c, team) => c.jobs.logs({ ...team, ...JOB }),
	cancelJob: (c, team) => c.jobs.cancel({ ...team, ...JOB }),
	uploadFile: (c, team) => c.jobs.uploadFile({ name: "a.txt", content: "abc" }, team),
	listClusters: (c, team) => c.clusters.list(team),
	createSchedule: (c, team) => c.schedules.create({ ...team, ...PIPELINE, ...TIMES }),
	updateSchedule: (c, team) => c.schedules.update({ ...team, ...ID, ...TIMES }),
	getSchedule: (c, team) => c.schedules.get({ ...team, ...ID }),
	listSchedules: (c, team) => c.schedules.list(team),
	updateSettings: (c, team, s) => c.pipelines.settings({ ...team, ...PIPELINE, ...fieldsOf(s) }),
	pausePipeline: (c, team) => c.pipelines.pause({ ...team, ...NAME }),
	resumePipeline: (c, team) => c.pipelines.resume({ ...team, ...NAME }),
	pipelineStatus: (c, team) => c.pipelines.status({ ...team, ...NAME }),
	listPipelines: (c, team) => c.pipelines.list({ ...team, limit: 3 }),
	triggerPipeline: (c, team) => c.pipelines.trigger({ ...team, datasets: ["dev.images.raw"] }),
	removeJob: (c, team) => c.pipelines.removeJob({ ...team, ...NAME, ...JOB }),
	deleteSchedule: (c, team) => c.schedules.delete({ ...team, ...ID }),
};

const OF_SCHEDULES = ["listSchedules", "getSchedule", "createSchedule", "updateSchedule", "deleteSchedule"];
const OF_SETTINGS = ["pipelineStatus", "updateSettings"];
const OF_PIPELINES = ["pipelineStatus", "triggerPipeline"];
const OF_JOBS = ["listJobs", "createJob", "cancelJob", "listClusters"];
const OF_BOTH = ["listPipelines", "pausePipeline", "resumePipeline"];

/** Which kinds use an endpoint; the other replies that their operations get are valid. */
export const usersOf = (endpoint: EndpointName): Kind[] => [
	...([...OF_SCHEDULES, ...OF_BOTH].includes(endpoint) ? ["PipelineSchedule" as const] : []),
	...([...OF_SETTINGS, ...OF_BOTH].includes(endpoint) ? ["PipelineSettings" as const] : []),
	...(endpoint === "uploadFile" ? ["JobFile" as const] : []),
	...([...OF_PIPELINES, ...OF_BOTH].includes(endpoint) ? ["Pipeline" as const] : []),
	...(OF_JOBS.includes(endpoint) ? ["Job" as const] : []),
];

/** Some operation of a resource, with inputs that lead through one branch or another. */
export async function operate(
	process: Process,
	kind: Kind,
	team: Team,
	s: Secrets,
	random: Random,
): Promise<unknown> {
	const provider = process.serve(kind);
	const pipelineName = NAME.name;
	const scheduleName = random.pick([TIMES.schedule_name, "not there yet"]);
	const cronExpression = random.pick([TIMES.cron_expression, "1 1 1 1 1"]);
	const of: Readonly<Record<Kind, Props>> = {
		PipelineSchedule: { scheduleName, pipelineName, cronExpression },
		PipelineSettings: {
			pipelineName,
			environment: environmentOf(s),
			repository: repositoryOf(s),
			onDestroy: "restore",
		},
		JobFile: { text: s.password, name: "a.txt" },
		Pipeline: { datasets: ["dev.images.raw"], start: random.chance(0.5) },
		Job: { query: `print("${s.password}")`, environment: environmentOf(s), repository: repositoryOf(s) },
	};
	const isOfPipeline = kind === "PipelineSchedule" || kind === "PipelineSettings";
	const paused = !isOfPipeline || random.chance(0.5) ? {} : { paused: random.chance(0.5) };
	const adopt = isOfPipeline ? { adopt: random.chance(0.7) } : {};
	const props = { ...of[kind], ...paused, ...adopt, teamName: team.team_name };
	const ids: Readonly<Partial<Record<Kind, string>>> = {
		PipelineSettings: `${team.team_name}/${pipelineName}`,
		Job: JOB.job_id,
	};
	const id = ids[kind] ?? String(ID.schedule_id);
	const operations = {
		check: () => provider.check({}, props),
		create: async () => provider.create((await provider.check({}, props)).inputs),
		read: () => provider.read(id, props),
		update: () => provider.update(id, { ...props, cronExpression: "5 5 * * *", environment: {} }, props),
		delete: () => provider.delete(id, props),
	};
	return random.pick(Object.values(operations))();
}
