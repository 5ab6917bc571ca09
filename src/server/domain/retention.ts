import { isFinishedJobStatus } from "../../schemas/job";
import { type PipelineRecord, runStatus, type TeamState } from "../state";

/**
 * A schedule that fires every minute would fill any memory, so the oldest finished work is forgotten:
 * what a schedule fired, and single jobs. Pipelines someone triggered, and each schedule's latest run, stay.
 */
const KEPT_RUNS = 300;
const KEPT_JOBS = 5_000;

export function pruneRuns(team: TeamState): void {
	const fired = team.pipelines.filter((pipeline) => pipeline.scheduleId !== null);
	if (fired.length <= KEPT_RUNS * 1.2) return;
	const latest = new Set(team.schedules.flatMap((schedule) => [schedule.latestRunId, schedule.pipelineId]));
	const ended = (pipeline: PipelineRecord): boolean =>
		pipeline.runs.every((run) => isFinishedJobStatus(runStatus(team, run)));
	const gone = new Set(
		fired
			.slice(0, fired.length - KEPT_RUNS)
			.filter((pipeline) => !latest.has(pipeline.id) && ended(pipeline))
			.map((pipeline) => pipeline.id),
	);
	team.pipelines = team.pipelines.filter((pipeline) => !gone.has(pipeline.id));
	team.jobs = team.jobs.filter((job) => job.pipelineId === null || !gone.has(job.pipelineId));
}

export function pruneJobs(team: TeamState): void {
	if (team.jobs.length <= KEPT_JOBS * 1.2) return;
	let surplus = team.jobs.length - KEPT_JOBS;
	team.jobs = team.jobs.filter((job) => {
		if (surplus <= 0 || job.pipelineId !== null || !isFinishedJobStatus(job.status) || job.due !== null)
			return true;
		surplus--;
		return false;
	});
}
