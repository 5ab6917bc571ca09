import { randomUUID } from "node:crypto";
import { type JobRecord, jobById, type PipelineRecord, type TeamState } from "../state";
import type { World } from "../world";
import { dependencyClosure, findDataset } from "./datasets";
import { pipelineName } from "./names";
import { advancePipeline } from "./pipelines";
import { newJob, newPipeline } from "./records";

/** One pipeline for all listed datasets: a job for each of them and for everything they are made from. */
export function triggerPipeline(
	world: World,
	team: TeamState,
	user: string,
	references: readonly string[],
	review: boolean,
): PipelineRecord {
	const wanted = references.map((reference) => findDataset(team, reference));
	const triggeredFrom = new Set(wanted.map((one) => `${one.dataset.fullName}@${one.version}`));
	const pipeline = addPipeline(world, team, {
		createdBy: user,
		triggeredFrom: [...triggeredFrom].join(", "),
		paused: review,
	});
	const closure = dependencyClosure(
		team,
		wanted.map((one) => one.dataset),
	);
	const lastJob = new Map(
		closure.map((dataset) => [dataset.fullName, dataset.versions.at(-1)?.jobId ?? randomUUID()]),
	);
	for (const { fullName, query, madeFrom } of closure) {
		const job = addJob(world, team, pipeline, { name: fullName, query, dataset: fullName });
		pipeline.runs.push({
			jobId: lastJob.get(fullName) ?? job.id,
			parentJobIds: madeFrom.flatMap((name) => lastJob.get(name) ?? []),
			name: fullName,
			createdJobId: job.id,
		});
	}
	advancePipeline(world, team, pipeline);
	return pipeline;
}

/** What a schedule fires: a copy of its pipeline with jobs of its own. */
export function copyPipeline(world: World, team: TeamState, template: PipelineRecord): PipelineRecord {
	const { createdBy, triggeredFrom } = template;
	const settings = structuredClone(template.settings);
	const pipeline = addPipeline(world, team, { createdBy, triggeredFrom, settings });
	for (const run of template.runs) {
		const model = jobById(team, run.createdJobId);
		const job = addJob(world, team, pipeline, {
			name: run.name,
			query: model?.query ?? "",
			dataset: model?.dataset ?? null,
		});
		pipeline.runs.push({ ...run, createdJobId: job.id });
	}
	return pipeline;
}

/** A pipeline that has no jobs, of a name that is free unless one is given. */
export function addPipeline(
	world: World,
	team: TeamState,
	values: Pick<PipelineRecord, "createdBy" | "triggeredFrom"> & Partial<PipelineRecord>,
): PipelineRecord {
	const name = pipelineName(new Set(team.pipelines.map((pipeline) => pipeline.name)));
	const pipeline = newPipeline({ name, createdAt: world.now(), ...values });
	team.pipelines.push(pipeline);
	return pipeline;
}

function addJob(
	world: World,
	team: TeamState,
	pipeline: PipelineRecord,
	values: Pick<JobRecord, "name" | "query" | "dataset">,
): JobRecord {
	const job = newJob({
		...values,
		createdAt: world.now(),
		createdBy: pipeline.createdBy,
		status: "PENDING",
		clusterId: team.clusters.find((cluster) => cluster.isDefault)?.id ?? null,
		pipelineId: pipeline.id,
	});
	team.jobs.push(job);
	return job;
}
