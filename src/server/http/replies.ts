import type { z } from "zod";
import type { clusterSchema } from "../../schemas/cluster";
import { formatInstant } from "../../schemas/instant";
import { isFinishedJobStatus, type jobSchema, type uploadedFileSchema } from "../../schemas/job";
import type { pipelineSchema } from "../../schemas/pipeline";
import type { scheduleItemSchema, scheduleSchema } from "../../schemas/schedule";
import { userParts } from "../domain/names";
import { pipelineStatus } from "../domain/pipelines";
import {
	type ClusterRecord,
	type FileRecord,
	type JobRecord,
	type PipelineRecord,
	runStatus,
	type ScheduleRecord,
	type TeamState,
} from "../state";

const instant = (millis: number | null): string | null => (millis === null ? null : formatInstant(millis));

export function clusterReply(cluster: ClusterRecord): z.input<typeof clusterSchema> {
	return {
		id: cluster.id,
		name: cluster.name,
		status: cluster.status,
		cloud_provider: cluster.cloudProvider,
		cloud_credentials: cluster.cloudCredentials,
		is_active: cluster.status === "ACTIVE",
		default: cluster.isDefault,
		max_workers: cluster.maxWorkers,
		cloud_region: cluster.cloudRegion,
		instance_type: cluster.instanceType,
		compute_class: cluster.computeClass,
		disk_size: cluster.diskSize,
		active_workers: cluster.activeWorkers,
		busy_workers: cluster.busyWorkers,
	};
}

export function jobReply(
	team: TeamState,
	job: JobRecord,
	serverUrl: string,
	includeSteps = false,
): z.input<typeof jobSchema> {
	const cluster = team.clusters.find((one) => one.id === job.clusterId);
	return {
		id: job.id,
		url: `${serverUrl}/team/${encodeURIComponent(team.name)}/datasets/jobs/${job.id}`,
		status: job.status,
		created_at: formatInstant(job.createdAt),
		created_by: job.createdBy,
		started_at: instant(job.startedAt),
		finished_at: instant(job.finishedAt),
		query: job.query,
		query_type: job.queryType,
		team: team.name,
		name: job.name,
		workers: job.workers,
		python_version: job.pythonVersion,
		requirements: job.requirements,
		repository: job.repository,
		environment: job.environment,
		exit_code: job.exitCode,
		error_message: job.errorMessage,
		error_stack: job.errorStack,
		params: {},
		metrics: {},
		parent_job_id: job.parentJobId,
		rerun_from_job_id: job.rerunFromJobId,
		run_group_id: job.runGroupId,
		compute_cluster_id: job.clusterId,
		compute_cluster_name: cluster?.name ?? null,
		steps: includeSteps
			? job.steps.map(({ name, label, startedAt, finishedAt }) => ({
					name,
					label,
					started_at: formatInstant(startedAt),
					finished_at: instant(finishedAt),
				}))
			: null,
	};
}

export function pipelineReply(team: TeamState, pipeline: PipelineRecord): z.input<typeof pipelineSchema> {
	const { settings } = pipeline;
	const runs = pipeline.runs.map((run) => ({
		job_id: run.jobId,
		status: runStatus(team, run),
		parent_job_ids: run.parentJobIds,
		name: run.name,
		created_job_id: run.createdJobId,
	}));
	return {
		pipeline_id: pipeline.id,
		status: pipelineStatus(team, pipeline),
		job_runs: runs,
		completed: runs.filter((run) => isFinishedJobStatus(run.status)).length,
		total: runs.length,
		error_message: pipeline.errorMessage,
		error_stack: null,
		triggered_from: pipeline.triggeredFrom,
		name: pipeline.name,
		created_at: formatInstant(pipeline.createdAt),
		updated_at: formatInstant(pipeline.updatedAt),
		// A schedule runs copies of its pipeline, which is what makes that one a template.
		is_template: team.schedules.some((schedule) => schedule.pipelineId === pipeline.id),
		schedule_name: pipeline.scheduleName,
		python_version: settings.pythonVersion,
		requirements: settings.requirements,
		repository: settings.repository,
		workers: settings.workers,
		priority: settings.priority,
		environment_variables: settings.environment,
	};
}

export function scheduleItemReply(schedule: ScheduleRecord): z.input<typeof scheduleItemSchema> {
	return {
		id: schedule.id,
		schedule_name: schedule.name,
		created_at: formatInstant(schedule.createdAt),
		updated_at: formatInstant(schedule.updatedAt),
		start_after: formatInstant(schedule.startAfter),
		cron_expression: schedule.cronExpression,
		next_run: instant(schedule.nextRun),
		created_by: userParts(schedule.createdBy),
	};
}

export function scheduleReply(team: TeamState, schedule: ScheduleRecord): z.input<typeof scheduleSchema> {
	const byId = (id: string | null): PipelineRecord | undefined => team.pipelines.find((one) => one.id === id);
	const template = byId(schedule.pipelineId);
	const latest = byId(schedule.latestRunId);
	return {
		...scheduleItemReply(schedule),
		latest_run: latest === undefined ? null : pipelineReply(team, latest),
		pipeline: template === undefined ? null : pipelineReply(team, template),
	};
}

export function fileReply(file: FileRecord): z.input<typeof uploadedFileSchema> {
	return { id: file.id, filename: file.filename, size: file.size, state: file.state, error: file.error };
}
