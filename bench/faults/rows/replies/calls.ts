import type { DataChainClient } from "../../../../src/api";
import type { Props } from "../../../../src/provider/handler";
import type { Kind } from "../../../../src/schemas/kinds";
import type { EndpointName, ReplyOf } from "../../../../src/schemas/wire/endpoints";
import { type Providers, urnOf } from "../../process";
import type { Random } from "../../random";

/** Secrets made up for one run: if any eight characters of one show up in a message, something leaked. */
export interface Secrets {
	readonly token: string;
	/** Values of environment variables; the second has quotes and a backslash around it, which JSON writes differently. */
	readonly environment: readonly [string, string];
	/** A password within a URL, and the text of a file. */
	readonly password: string;
}

type Team = { readonly team_name: string };

const NAME = { name: "rusty-vise" };
const PIPELINE = { pipeline_name: NAME.name };
const JOB = { job_id: "2c1c1a0e-53ad-4f8b-9d0e-3a6f0a4d2b11" };
const ID = { schedule_id: 7 };
const TIMES = { schedule_name: "fuzzed", cron_expression: "0 3 * * *" };
const AT = new Date().toISOString();

/** Valid objects, with the names that the calls ask for. */
const job = {
	id: JOB.job_id,
	status: "COMPLETE",
	created_at: AT,
	created_by: "ada",
	environment: { A: "1" },
};
const pipeline = {
	...{ pipeline_id: "p-1", ...NAME, status: "ACTIVE", triggered_from: "dev.images.raw", created_at: AT },
	...{ workers: 1, priority: 5, python_version: "3.12", requirements: "pillow", repository: "" },
	environment_variables: { A: "1", FSSPEC_S3: '{"anon":true}' },
	job_runs: [{ name: "dev.images.raw", status: "COMPLETE", created_job_id: job.id, parent_job_ids: [] }],
};
const schedule = {
	id: 7,
	...TIMES,
	start_after: AT,
	created_at: AT,
	created_by: { username: "ada" },
	pipeline,
};
const cluster = { id: 1, name: "default", status: "ACTIVE", cloud_provider: "aws", max_workers: 4 };
const [ok, withPipeline, withSchedule] = [{ ok: true }, { ok: true, pipeline }, { ok: true, schedule }];

const environmentOf = ({ environment: [plain, quoted] }: Secrets) => ({
	API_KEY: plain,
	QUOTED: `"${quoted}" \\ ${quoted}`,
});
const repositoryOf = ({ password }: Secrets) => `https://robot:${password}@git.example.com/a/b.git`;
const fieldsOf = (secrets: Secrets) => {
	const lines = Object.entries(environmentOf(secrets)).map(([name, value]) => `${name}=${value}`);
	return { environment: lines.join("\n"), repository: repositoryOf(secrets) };
};

/** A valid reply, a call with a secret wherever the endpoint takes one, and which kinds of resources use it. */
const line = <Reply>(
	valid: Reply,
	call: (client: DataChainClient, team: Team, secrets: Secrets) => Promise<unknown>,
	...users: Kind[]
) => ({ valid, call, users });
const S = "PipelineSchedule";
const P = "PipelineSettings";

export const ENDPOINTS: { readonly [Name in EndpointName]: ReturnType<typeof line<ReplyOf<Name>>> } = {
	createJob: line(
		job,
		(c, t, s) => c.jobs.create({ ...t, query: "1", query_type: "PYTHON", ...fieldsOf(s) }),
		"Job",
	),
	listJobs: line([job, job], (c, t) => c.jobs.list({ ...t, limit: 3 }), "Job"),
	jobLogs: line({ logs: "a\nb", log_blobs: [] }, (c, t) => c.jobs.logs({ ...t, ...JOB })),
	cancelJob: line(ok, (c, t) => c.jobs.cancel({ ...t, ...JOB }), "Job"),
	uploadFile: line(
		{ ok: true, id: 3, filename: "a.txt", size: 3 },
		(c, t) => c.jobs.uploadFile({ name: "a.txt", content: "abc" }, t),
		"JobFile",
	),
	listClusters: line([cluster], (c, t) => c.clusters.list(t), "Job"),
	createSchedule: line(withSchedule, (c, t) => c.schedules.create({ ...t, ...PIPELINE, ...TIMES }), S),
	updateSchedule: line(withSchedule, (c, t) => c.schedules.update({ ...t, ...ID, ...TIMES }), S),
	getSchedule: line(schedule, (c, t) => c.schedules.get({ ...t, ...ID }), S),
	listSchedules: line([schedule, { ...schedule, id: 8 }], (c, t) => c.schedules.list(t), S),
	deleteSchedule: line(ok, (c, t) => c.schedules.delete({ ...t, ...ID }), S),
	updateSettings: line(
		withPipeline,
		(c, t, s) => c.pipelines.settings({ ...t, ...PIPELINE, ...fieldsOf(s) }),
		P,
	),
	pausePipeline: line(withPipeline, (c, t) => c.pipelines.pause({ ...t, ...NAME }), S, P, "Pipeline"),
	resumePipeline: line(withPipeline, (c, t) => c.pipelines.resume({ ...t, ...NAME }), S, P, "Pipeline"),
	pipelineStatus: line(pipeline, (c, t) => c.pipelines.status({ ...t, ...NAME }), P, "Pipeline"),
	listPipelines: line([pipeline, pipeline], (c, t) => c.pipelines.list({ ...t, limit: 3 }), S, P, "Pipeline"),
	triggerPipeline: line(
		withPipeline,
		(c, t) => c.pipelines.trigger({ ...t, datasets: ["dev.images.raw"] }),
		"Pipeline",
	),
	removeJob: line(withPipeline, (c, t) => c.pipelines.removeJob({ ...t, ...NAME, ...JOB })),
};
export const NAMES = Object.keys(ENDPOINTS) as EndpointName[];

/** Some operation of a resource, with inputs that lead through one branch or another. */
export async function operate(
	providers: Providers,
	kind: Kind,
	team: Team,
	s: Secrets,
	random: Random,
): Promise<unknown> {
	const provider = providers(kind);
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
	const props = { ...of[kind], ...paused, ...adopt, teamName: team.team_name, __urn: urnOf(kind, "one") };
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
