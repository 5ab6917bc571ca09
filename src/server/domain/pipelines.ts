import { isFinishedJobStatus } from "../../schemas/job";
import type { RequestOf } from "../../schemas/wire/endpoints";
import { conflict, invalid, notFound } from "../refusal";
import {
	type JobRecord,
	jobById,
	type PipelineRecord,
	type PipelineSettings,
	runStatus,
	type TeamState,
} from "../state";
import type { World } from "../world";
import { newest, readEnvironment, requireFiles } from "./inputs";
import { enterStatus, finishJob } from "./job-run";

/** PAUSED as long as someone wants it so; otherwise what its jobs make of it. */
export function pipelineStatus(team: TeamState, pipeline: PipelineRecord): string {
	if (pipeline.paused) return "PAUSED";
	const statuses = pipeline.runs.map((run) => runStatus(team, run));
	if (statuses.some((status) => !isFinishedJobStatus(status))) {
		return statuses.every((status) => status === "PENDING") ? "PENDING" : "RUNNING";
	}
	if (statuses.includes("FAILED")) return "FAILED";
	return statuses.includes("CANCELED") ? "CANCELED" : "COMPLETED";
}

/** Starts every job whose dependencies are met, and gives up those whose dependencies failed. */
export function advancePipeline(world: World, team: TeamState, pipeline: PipelineRecord): void {
	world.changed(team);
	for (const run of pipeline.runs) {
		const job = jobById(team, run.createdJobId);
		if (job?.status !== "PENDING") continue;
		const parents = run.parentJobIds.map((id) => parentStatus(team, pipeline, id));
		if (parents.some((status) => status === "FAILED" || status === "CANCELED")) {
			// Ending it calls back here for its own dependents.
			finishJob(world, team, job, "CANCELED");
		} else if (!pipeline.paused && parents.every((status) => status === "COMPLETE")) {
			applySettings(job, pipeline.settings);
			enterStatus(world, team, job, "CREATED");
		}
	}
}

function parentStatus(team: TeamState, pipeline: PipelineRecord, jobId: string): string {
	const parent = pipeline.runs.find((run) => run.jobId === jobId);
	return parent === undefined ? "COMPLETE" : runStatus(team, parent);
}

function applySettings(job: JobRecord, settings: PipelineSettings): void {
	job.pythonVersion = settings.pythonVersion ?? job.pythonVersion;
	job.requirements = settings.requirements ?? job.requirements;
	job.repository = settings.repository ?? job.repository;
	job.workers = settings.workers ?? job.workers;
	job.priority = settings.priority ?? job.priority;
	job.environment = { ...settings.environment };
	job.files = [...settings.files];
	job.credentialsName = settings.credentialsNames[0] ?? null;
}

/** Called when a job ends: its pipeline goes on, or fails. */
export function pipelineJobEnded(world: World, team: TeamState, job: JobRecord): void {
	const pipeline = team.pipelines.find((one) => one.id === job.pipelineId);
	if (pipeline === undefined) return;
	pipeline.updatedAt = world.now();
	if (job.status === "FAILED") {
		pipeline.errorMessage ??= `Job "${job.name}" failed: ${job.errorMessage ?? "no reason given"}`;
	}
	advancePipeline(world, team, pipeline);
}

/** By id, by name, or by both. */
export type PipelineKey = RequestOf<"pausePipeline">;

export function requirePipeline(team: TeamState, key: PipelineKey): PipelineRecord {
	if (key.pipeline_id === undefined && key.name === undefined) {
		throw invalid("Give the pipeline's name or its pipeline_id.");
	}
	const found = team.pipelines.find(
		(pipeline) =>
			(key.pipeline_id === undefined || pipeline.id === key.pipeline_id) &&
			(key.name === undefined || pipeline.name === key.name),
	);
	if (found === undefined) {
		const wanted = (key.name ?? key.pipeline_id ?? "").slice(0, 200);
		throw notFound(`Team "${team.name}" has no pipeline "${wanted}".`);
	}
	return found;
}

/** Pausing what is paused, and resuming what is not, changes nothing: clients repeat both. */
export function setPaused(world: World, team: TeamState, key: PipelineKey, paused: boolean): PipelineRecord {
	const pipeline = requirePipeline(team, key);
	if (pipeline.paused === paused) return pipeline;
	pipeline.paused = paused;
	pipeline.updatedAt = world.now();
	advancePipeline(world, team, pipeline);
	return pipeline;
}

export function removeJob(world: World, team: TeamState, input: RequestOf<"removeJob">): PipelineRecord {
	const pipeline = requirePipeline(team, input);
	const jobId = input.job_id;
	const run = pipeline.runs.find((one) => one.createdJobId === jobId || one.jobId === jobId);
	if (run === undefined) throw notFound(`Pipeline "${pipeline.name}" has no job "${jobId.slice(0, 60)}".`);
	if (!pipeline.paused) {
		throw conflict(`Pipeline "${pipeline.name}" is not paused. Pause it before removing a job.`);
	}
	const job = jobById(team, run.createdJobId);
	if (job?.status !== "PENDING") {
		throw conflict(`Job "${jobId}" is ${job?.status ?? "gone"}; only a PENDING job can be removed.`);
	}
	// What depended on it works with the version of the dataset that exists.
	pipeline.runs = pipeline.runs
		.filter((one) => one !== run)
		.map((other) => ({ ...other, parentJobIds: other.parentJobIds.filter((id) => id !== run.jobId) }));
	job.pipelineId = null;
	pipeline.updatedAt = world.now();
	finishJob(world, team, job, "CANCELED");
	return pipeline;
}

/**
 * Only what is given changes. `environment` is the whole set of variables: the wire form has no way to say
 * "and keep the others". Files and credentials are kept and used, but no reply shows them.
 */
export function updateSettings(
	world: World,
	team: TeamState,
	input: RequestOf<"updateSettings">,
): PipelineRecord {
	const pipeline = requirePipeline(team, { name: input.pipeline_name });
	const { settings } = pipeline;
	pipeline.settings = {
		pythonVersion: input.python_version ?? settings.pythonVersion,
		requirements: input.requirements ?? settings.requirements,
		repository: input.repository ?? settings.repository,
		workers: input.workers ?? settings.workers,
		priority: input.priority ?? settings.priority,
		environment: input.environment === undefined ? settings.environment : readEnvironment(input.environment),
		files: input.files === undefined ? settings.files : requireFiles(team, input.files),
		credentialsNames: input.credentials_names ?? settings.credentialsNames,
	};
	pipeline.updatedAt = world.now();
	world.changed(team);
	return pipeline;
}

export function listPipelines(team: TeamState, filter: RequestOf<"listPipelines">): PipelineRecord[] {
	const statuses = filter.status?.map((status) => status.toUpperCase());
	const search = filter.search?.toLowerCase();
	return newest(
		team.pipelines,
		filter.limit,
		(pipeline) =>
			(!statuses?.length || statuses.includes(pipelineStatus(team, pipeline))) &&
			(search === undefined || `${pipeline.name}\n${pipeline.triggeredFrom}`.toLowerCase().includes(search)),
	);
}
