import { randomInt, randomUUID } from "node:crypto";
import { datasetProblem, parseDataset } from "../schemas/dataset";
import { isFinishedJobStatus } from "../schemas/job";
import { pipelineSchema } from "../schemas/pipeline";
import type { ReplyOf, RequestOf } from "../schemas/wire/endpoints";
import {
	conflict,
	invalid,
	newest,
	notFound,
	readEnvironment,
	requireFiles,
} from "./inputs";
import { finishJob } from "./jobs";
import { advancePipeline, runStatus } from "./pipeline-progress";
import {
	type DatasetRecord,
	definedFields,
	type JobRecord,
	jobById,
	newJob,
	newPipeline,
	type PipelineRecord,
	type TeamState,
	visibleFields,
} from "./state";
import type { CallOf, World } from "./world";

export function pipelineReply(
	team: TeamState,
	pipeline: PipelineRecord,
): ReplyOf<"pipelineStatus"> {
	const runs = pipeline.job_runs.map((run) => ({
		...run,
		status: runStatus(team, run),
	}));
	return {
		...visibleFields(pipelineSchema, pipeline),
		status: pipelineStatus(team, pipeline),
		job_runs: runs,
		completed: runs.filter((run) => isFinishedJobStatus(run.status)).length,
		total: runs.length,
		// A schedule runs copies of its pipeline, which is what makes that one a template.
		is_template: team.schedules.some(
			(schedule) => schedule.pipeline_id === pipeline.pipeline_id,
		),
	};
}

/** PAUSED as long as someone wants it so; otherwise what its jobs make of it. */
function pipelineStatus(team: TeamState, pipeline: PipelineRecord): string {
	if (pipeline.paused) return "PAUSED";
	const statuses = pipeline.job_runs.map((run) => runStatus(team, run));
	if (statuses.some((status) => !isFinishedJobStatus(status))) {
		return statuses.every((status) => status === "PENDING") ? "PENDING" : "RUNNING";
	}
	if (statuses.includes("FAILED")) return "FAILED";
	return statuses.includes("CANCELED") ? "CANCELED" : "COMPLETED";
}

// ── New pipelines ──

/** One pipeline for all listed datasets: a job for each of them and for everything they are made from. */
export function triggerPipeline({
	world,
	team,
	user,
	input,
}: CallOf<"triggerPipeline">): PipelineRecord {
	const wanted = input.datasets.map((reference) => findDataset(team, reference));
	const triggeredFrom = new Set(
		wanted.map((one) => `${one.dataset.fullName}@${one.version}`),
	);
	const pipeline = addPipeline(world, team, {
		created_by: user,
		triggered_from: [...triggeredFrom].join(", "),
		paused: input.review ?? false,
	});
	const closure = dependencyClosure(
		team,
		wanted.map((one) => one.dataset),
	);
	const lastJob = new Map(
		closure.map((dataset) => [
			dataset.fullName,
			dataset.versions.at(-1)?.jobId ?? randomUUID(),
		]),
	);
	for (const { fullName, query, madeFrom } of closure) {
		const job = addJob(world, team, pipeline, {
			name: fullName,
			query,
			dataset: fullName,
		});
		pipeline.job_runs.push({
			job_id: lastJob.get(fullName) ?? job.id,
			parent_job_ids: madeFrom.flatMap((name) => lastJob.get(name) ?? []),
			name: fullName,
			created_job_id: job.id,
		});
	}
	advancePipeline(world, team, pipeline);
	return pipeline;
}

/** Finds `namespace.project.name[@version]`; without a version the latest is meant. */
function findDataset(
	team: TeamState,
	reference: string,
): { dataset: DatasetRecord; version: string } {
	const wanted = parseDataset(reference);
	if (wanted === undefined) throw invalid(`datasets: ${datasetProblem(reference)}.`);
	const dataset = team.datasets.find((one) => one.fullName === wanted.fullName);
	if (dataset === undefined)
		throw notFound(`Team "${team.name}" has no dataset "${wanted.fullName}".`);
	const versions = dataset.versions.map((one) => one.version);
	const version = wanted.version ?? versions.at(-1) ?? "";
	if (versions.includes(version)) return { dataset, version };
	throw notFound(
		`Dataset "${dataset.fullName}" has no version "${version}". It has: ${versions.join(", ")}.`,
	);
}

/** The datasets and all they are made from, each once, dependencies first. */
function dependencyClosure(
	team: TeamState,
	wanted: readonly DatasetRecord[],
): DatasetRecord[] {
	const ordered: DatasetRecord[] = [];
	const entered = new Set<DatasetRecord>();
	const visit = (dataset: DatasetRecord): void => {
		if (entered.has(dataset)) return;
		entered.add(dataset);
		for (const name of dataset.madeFrom) {
			const source = team.datasets.find((other) => other.fullName === name);
			if (source !== undefined) visit(source);
		}
		ordered.push(dataset);
	};
	for (const dataset of wanted) visit(dataset);
	return ordered;
}

/** What a schedule fires: a copy of its pipeline, settings included, with jobs of its own. */
export function copyPipeline(
	world: World,
	team: TeamState,
	template: PipelineRecord,
): PipelineRecord {
	const now = world.timestamp();
	const pipeline = addPipeline(world, team, {
		...structuredClone(template),
		pipeline_id: randomUUID(),
		name: unusedName(team),
		created_at: now,
		updated_at: now,
		paused: false,
		error_message: null,
		job_runs: [],
	});
	for (const run of template.job_runs) {
		const model = jobById(team, run.created_job_id);
		const job = addJob(world, team, pipeline, {
			name: run.name,
			query: model?.query ?? "",
			dataset: model?.dataset ?? null,
		});
		pipeline.job_runs.push({ ...run, created_job_id: job.id });
	}
	return pipeline;
}

/** A pipeline that has no jobs, of a name that is free unless one is given. */
export function addPipeline(
	world: World,
	team: TeamState,
	values: Pick<PipelineRecord, "created_by" | "triggered_from"> &
		Partial<PipelineRecord>,
): PipelineRecord {
	const pipeline = newPipeline({
		name: unusedName(team),
		created_at: world.timestamp(),
		...values,
	});
	team.pipelines.push(pipeline);
	return pipeline;
}

function addJob(
	world: World,
	team: TeamState,
	pipeline: PipelineRecord,
	values: Pick<JobRecord, "name" | "query" | "dataset">,
): JobRecord {
	const cluster = team.clusters.find((one) => one.default === true);
	const job = newJob({
		...values,
		created_at: world.timestamp(),
		created_by: pipeline.created_by,
		status: "PENDING",
		compute_cluster_id: cluster?.id,
		compute_cluster_name: cluster?.name,
		pipeline_id: pipeline.pipeline_id,
	});
	team.jobs.push(job);
	return job;
}

const FIRST =
	"amber bold calm clear early gentle happy keen lucky mild noble proud quick rapid rusty swift".split(
		" ",
	);
const SECOND =
	"anchor beacon bridge canal cedar cliff delta ferry harbor maple mill orchard pier ridge valve vise".split(
		" ",
	);

/** Two short words, as the service names pipelines; with a number where that pair is taken. */
function unusedName(team: TeamState): string {
	const name = `${FIRST[randomInt(FIRST.length)]}-${SECOND[randomInt(SECOND.length)]}`;
	const isTaken = team.pipelines.some((pipeline) => pipeline.name === name);
	return isTaken ? `${name}-${randomInt(1_000_000)}` : name;
}

// ── What requests ask for ──

/** By id, by name, or by both. */
type PipelineKey = RequestOf<"pausePipeline">;

export function requirePipeline(team: TeamState, key: PipelineKey): PipelineRecord {
	if (key.pipeline_id === undefined && key.name === undefined) {
		throw invalid("Give the pipeline's name or its pipeline_id.");
	}
	const match = team.pipelines.find(
		(pipeline) =>
			(key.pipeline_id === undefined || pipeline.pipeline_id === key.pipeline_id) &&
			(key.name === undefined || pipeline.name === key.name),
	);
	if (match === undefined) {
		const wanted = (key.name ?? key.pipeline_id ?? "").slice(0, 200);
		throw notFound(`Team "${team.name}" has no pipeline "${wanted}".`);
	}
	return match;
}

/** Pausing what is paused, and resuming what is not, changes nothing: clients repeat both. */
export function setPaused(
	{ world, team, input }: CallOf<"pausePipeline">,
	paused: boolean,
): PipelineRecord {
	const pipeline = requirePipeline(team, input);
	if (pipeline.paused === paused) return pipeline;
	pipeline.paused = paused;
	pipeline.updated_at = world.timestamp();
	advancePipeline(world, team, pipeline);
	return pipeline;
}

export function removeJob({ world, team, input }: CallOf<"removeJob">): PipelineRecord {
	const pipeline = requirePipeline(team, input);
	const jobId = input.job_id;
	const run = pipeline.job_runs.find(
		(one) => one.created_job_id === jobId || one.job_id === jobId,
	);
	if (run === undefined)
		throw notFound(`Pipeline "${pipeline.name}" has no job "${jobId.slice(0, 60)}".`);
	if (!pipeline.paused) {
		throw conflict(
			`Pipeline "${pipeline.name}" is not paused. Pause it before removing a job.`,
		);
	}
	const job = jobById(team, run.created_job_id);
	if (job?.status !== "PENDING") {
		throw conflict(
			`Job "${jobId}" is ${job?.status ?? "gone"}; only a PENDING job can be removed.`,
		);
	}
	// What depended on it works with the version of the dataset that exists.
	pipeline.job_runs = pipeline.job_runs
		.filter((one) => one !== run)
		.map((other) => ({
			...other,
			parent_job_ids: other.parent_job_ids.filter((id) => id !== run.job_id),
		}));
	job.pipeline_id = null;
	pipeline.updated_at = world.timestamp();
	finishJob(world, team, job, "CANCELED");
	return pipeline;
}

/**
 * Only what is given changes. `environment` is the whole set of variables: the wire form has no way to say
 * "and keep the others". Files and credentials are kept and used, but no reply shows them.
 */
export function updateSettings({
	world,
	team,
	input,
	reading,
}: CallOf<"updateSettings">): PipelineRecord {
	const {
		team_name: _,
		pipeline_name: name,
		environment,
		...settings
	} = definedFields(input);
	const pipeline = requirePipeline(team, { name });
	const variables =
		environment === undefined
			? {}
			: {
					environment_variables: variablesOf(
						readEnvironment(environment),
						pipeline,
						reading,
					),
				};
	requireFiles(team, settings.files ?? []);
	Object.assign(pipeline, settings, variables, { updated_at: world.timestamp() });
	world.changed(team);
	return pipeline;
}

/** The variables of a settings request, as a fault may want them read. */
function variablesOf(
	variables: Record<string, string>,
	{ environment_variables: before }: PipelineRecord,
	reading: CallOf<"updateSettings">["reading"],
): PipelineRecord["environment_variables"] {
	if (reading === "merge") return { ...before, ...variables };
	if (reading === undefined) return variables;
	const unquoted = Object.entries(variables).map(([name, value]) => [
		name,
		value.replace(/^"(.*)"$/, "$1"),
	]);
	return Object.fromEntries(unquoted);
}

export function listPipelines({
	team,
	input,
}: CallOf<"listPipelines">): PipelineRecord[] {
	const statuses = input.status?.map((status) => status.toUpperCase());
	const search = input.search?.toLowerCase();
	return newest(
		team.pipelines,
		input.limit,
		(pipeline) =>
			(!statuses?.length || statuses.includes(pipelineStatus(team, pipeline))) &&
			(search === undefined ||
				`${pipeline.name}\n${pipeline.triggered_from}`.toLowerCase().includes(search)),
	);
}
