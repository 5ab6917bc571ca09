import { randomUUID } from "node:crypto";
import {
	type JobRecord,
	jobById,
	type PipelineRecord,
	type PipelineSettings,
	type TeamState,
} from "../state";
import type { World } from "../world";
import { dependencyClosure, findDataset } from "./datasets";
import { newJob } from "./jobs";
import { pipelineName } from "./names";
import { advancePipeline } from "./pipelines";

export const NO_SETTINGS: Readonly<PipelineSettings> = {
	pythonVersion: null,
	requirements: null,
	repository: null,
	workers: null,
	priority: null,
	environment: {},
	files: [],
	credentialsNames: [],
};

/** One pipeline for all listed datasets: a job for each of them and for everything they are made from. */
export function triggerPipeline(
	world: World,
	team: TeamState,
	user: string,
	references: readonly string[],
	review: boolean,
): PipelineRecord {
	const wanted = references.map((reference) => findDataset(team, reference));
	const pipeline = emptyPipeline(world, team, user);
	pipeline.triggeredFrom = [...new Set(wanted.map((one) => `${one.dataset.fullName}@${one.version}`))].join(
		", ",
	);
	pipeline.paused = review;
	const closure = dependencyClosure(
		team,
		wanted.map((one) => one.dataset),
	);
	const lastJob = new Map(
		closure.map((dataset) => [dataset.fullName, dataset.versions.at(-1)?.jobId ?? randomUUID()]),
	);
	for (const dataset of closure) {
		const job = pendingJob(world, team, pipeline, {
			name: dataset.fullName,
			query: dataset.query,
			dataset: dataset.fullName,
		});
		team.jobs.push(job);
		pipeline.runs.push({
			jobId: lastJob.get(dataset.fullName) ?? job.id,
			parentJobIds: dataset.madeFrom.flatMap((name) => lastJob.get(name) ?? []),
			name: dataset.fullName,
			createdJobId: job.id,
		});
	}
	team.pipelines.push(pipeline);
	advancePipeline(world, team, pipeline);
	return pipeline;
}

/** What a schedule fires: a copy of its pipeline with jobs of its own. */
export function copyPipeline(world: World, team: TeamState, template: PipelineRecord): PipelineRecord {
	const pipeline = emptyPipeline(world, team, template.createdBy);
	pipeline.triggeredFrom = template.triggeredFrom;
	pipeline.settings = structuredClone(template.settings);
	for (const run of template.runs) {
		const model = jobById(team, run.createdJobId);
		const job = pendingJob(world, team, pipeline, {
			name: run.name,
			query: model?.query ?? "",
			dataset: model?.dataset ?? null,
		});
		team.jobs.push(job);
		pipeline.runs.push({ ...run, createdJobId: job.id });
	}
	team.pipelines.push(pipeline);
	return pipeline;
}

/** A pipeline of a given name that has no jobs, as if its last run had been forgotten. */
export function addPipeline(world: World, team: TeamState, user: string, name: string): void {
	const triggeredFrom = `@${user}.default.${name}@1.0.0`;
	team.pipelines.push({ ...emptyPipeline(world, team, user), name, triggeredFrom });
}

function emptyPipeline(world: World, team: TeamState, user: string): PipelineRecord {
	return {
		id: randomUUID(),
		name: pipelineName(new Set(team.pipelines.map((pipeline) => pipeline.name))),
		paused: false,
		runs: [],
		triggeredFrom: "",
		createdAt: world.now(),
		createdBy: user,
		updatedAt: world.now(),
		errorMessage: null,
		scheduleId: null,
		scheduleName: null,
		settings: structuredClone(NO_SETTINGS),
	};
}

function pendingJob(
	world: World,
	team: TeamState,
	pipeline: PipelineRecord,
	values: Pick<JobRecord, "name" | "query" | "dataset">,
): JobRecord {
	const createdAt = world.now();
	return newJob({
		...values,
		createdAt,
		createdBy: pipeline.createdBy,
		status: "PENDING",
		clusterId: team.clusters.find((cluster) => cluster.isDefault)?.id ?? null,
		pipelineId: pipeline.id,
	});
}
