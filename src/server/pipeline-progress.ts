import { isFinishedJobStatus } from "../schemas/job";
import { enterStatus, finishJob } from "./jobs";
import {
	type JobRecord,
	jobById,
	type PipelineRecord,
	type PipelineRun,
	pipelineById,
	type TeamState,
} from "./state";
import type { World } from "./world";

/** A job that is forgotten counts as canceled. */
export const runStatus = (team: TeamState, run: PipelineRun): string =>
	jobById(team, run.created_job_id)?.status ?? "CANCELED";

/** Starts every job whose dependencies are met, and gives up those whose dependencies failed. */
export function advancePipeline(
	world: World,
	team: TeamState,
	pipeline: PipelineRecord,
): void {
	world.changed(team);
	for (const run of pipeline.job_runs) {
		const job = jobById(team, run.created_job_id);
		if (job?.status !== "PENDING") continue;
		const parents = run.parent_job_ids.map((id) => parentStatus(team, pipeline, id));
		if (parents.some((status) => status === "FAILED" || status === "CANCELED")) {
			// Ending it calls back here for its own dependents.
			finishJob(world, team, job, "CANCELED");
		} else if (!pipeline.paused && parents.every((status) => status === "COMPLETE")) {
			applySettings(job, pipeline);
			enterStatus(world, team, job, "CREATED");
		}
	}
}

function parentStatus(
	team: TeamState,
	pipeline: PipelineRecord,
	jobId: string,
): string {
	const parent = pipeline.job_runs.find((run) => run.job_id === jobId);
	return parent === undefined ? "COMPLETE" : runStatus(team, parent);
}

function applySettings(job: JobRecord, settings: PipelineRecord): void {
	job.python_version = settings.python_version ?? job.python_version;
	job.requirements = settings.requirements ?? job.requirements;
	job.repository = settings.repository ?? job.repository;
	job.workers = settings.workers ?? job.workers;
	job.priority = settings.priority ?? job.priority;
	job.environment = { ...settings.environment_variables };
	job.files = [...settings.files];
	job.credentials_name = settings.credentials_names[0] ?? null;
}

/** Called when a job ends: its pipeline goes on, or fails. */
export function pipelineJobEnded(world: World, team: TeamState, job: JobRecord): void {
	const pipeline = pipelineById(team, job.pipeline_id);
	if (pipeline === undefined) return;
	pipeline.updated_at = world.timestamp();
	if (job.status === "FAILED") {
		pipeline.error_message ??= `Job "${job.name}" failed: ${job.error_message ?? "no reason given"}`;
	}
	advancePipeline(world, team, pipeline);
}

const KEPT_RUNS = 300;

/** A schedule that fires every minute would fill any memory, so its oldest finished runs are forgotten. */
export function pruneRuns(team: TeamState, scheduleId: number): void {
	const finishedRuns = team.pipelines.filter(
		({ schedule_id: id, job_runs: runs }) =>
			id === scheduleId &&
			runs.every((run) => isFinishedJobStatus(runStatus(team, run))),
	);
	const gone = new Set<string | null>(
		finishedRuns.slice(0, -KEPT_RUNS).map((pipeline) => pipeline.pipeline_id),
	);
	if (gone.size === 0) return;
	team.pipelines = team.pipelines.filter((pipeline) => !gone.has(pipeline.pipeline_id));
	team.jobs = team.jobs.filter((job) => !gone.has(job.pipeline_id));
}
