import { isFinishedJobStatus } from "../schemas/job";
import { hasEnded } from "../schemas/pipeline-status";
import type { Cluster } from "../schemas/wire/cluster";
import type { Job } from "../schemas/wire/job";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { ScheduleForecast } from "../team/forecast-report";
import { endOf, instantOf } from "../team/forecast-schedules";
import { jobFailure, pipelineFailure } from "../team/redacted";
import {
	type ClusterRow,
	type JobRow,
	type Outcome,
	outcomeOf,
	type PipelineRow,
	type ScheduleRow,
} from "../team/snapshot";
import { shortTime } from "../text/renderings";

/** A service may send a whole stack trace as the message; a row has room for its beginning. */
const LONGEST_ERROR = 300;

const short = (error: string | null): string | null =>
	error?.slice(0, LONGEST_ERROR) ?? null;

const instant = (text: string | null | undefined): number | null =>
	instantOf(text) ?? null;

/** Such a job has begun; the documents do not promise that the service says when. */
const BEGUN: readonly Outcome[] = ["busy", "good", "bad"];

export const jobRow = (job: Job): JobRow => ({
	id: job.id,
	name: job.name || job.id,
	status: job.status.toUpperCase(),
	created: instant(job.created_at),
	start:
		instant(job.started_at) ??
		(BEGUN.includes(outcomeOf(job.status)) ? instant(job.created_at) : null),
	// A job that is run again may still tell of its last end.
	end: isFinishedJobStatus(job.status) ? instant(job.finished_at) : null,
	by: job.created_by ?? null,
	cluster: job.compute_cluster_name ?? null,
	error: short(jobFailure(job)),
});

/** `jobs`, by id, are those of the team; undefined if they could not be read. */
export function pipelineRow(
	pipeline: Pipeline,
	jobs: ReadonlyMap<string, Job> | undefined,
): PipelineRow {
	const runs = pipeline.job_runs ?? [];
	const places = new Map(runs.map(({ job_id }, index) => [job_id, index]));
	const own = runs.map(({ created_job_id, job_id }) =>
		jobs?.get(created_job_id ?? job_id ?? ""),
	);
	return {
		id: pipeline.pipeline_id,
		name: pipeline.name || pipeline.pipeline_id,
		status: pipeline.status?.toUpperCase() ?? "UNKNOWN",
		isTemplate: pipeline.is_template === true,
		schedule: pipeline.schedule_name || null,
		from: pipeline.triggered_from ?? null,
		start: instant(pipeline.created_at),
		end: hasEnded(pipeline) ? (endOf(pipeline, own) ?? null) : null,
		error: short(pipelineFailure(pipeline, jobs && own)),
		steps: runs.map(({ job_id, created_job_id, name, status, parent_job_ids }) => ({
			job: created_job_id ?? null,
			name: name || created_job_id || job_id || "(no name)",
			status: status?.toUpperCase() ?? "UNKNOWN",
			after: (parent_job_ids ?? []).flatMap((id) => places.get(id) ?? []),
		})),
	};
}

export const clusterRow = (cluster: Cluster): ClusterRow => ({
	id: String(cluster.id),
	name: cluster.name,
	isActive: cluster.is_active !== false && cluster.status?.toUpperCase() !== "INACTIVE",
	busy: cluster.busy_workers ?? null,
	most: cluster.max_workers ?? null,
});

/** A schedule as the forecast sees it, which is how the command says it, too. */
export function scheduleRow(
	forecast: ScheduleForecast,
	more: Pick<ScheduleRow, "id" | "pipelineId" | "managedBy" | "createdBy" | "usual"> & {
		readonly startAfter: number | undefined;
	},
): ScheduleRow {
	const { startAfter, ...rest } = more;
	const { status } = forecast;
	const once =
		startAfter === undefined ? "no time set" : `once, at ${shortTime(startAfter)} UTC`;
	return {
		...rest,
		name: forecast.name || (forecast.id ?? ""),
		pipeline: forecast.pipeline,
		cron: forecast.declared ?? forecast.cron,
		words: forecast.meaning ?? (forecast.cron === null ? once : forecast.cron),
		zone: forecast.timeZone ?? "UTC",
		next: forecast.next === null ? null : Date.parse(forecast.next),
		state: status === "runs" || status === "later" ? "active" : status,
		why: forecast.why,
	};
}
