import { randomUUID } from "node:crypto";
import { nextRuns } from "../../schemas/cron";
import { isActiveJobStatus, isFinishedJobStatus } from "../../schemas/job";
import type { RequestOf } from "../../schemas/wire/endpoints";
import { conflict, invalid, notFound } from "../refusal";
import { type ClusterRecord, type JobRecord, jobById, type TeamState } from "../state";
import type { World } from "../world";
import { readCron, readEnvironment, readInstant, requireFiles } from "./inputs";
import { armJob, finishJob, setStatus, startJob } from "./job-run";
import { requirePlainName } from "./names";
import { pruneJobs } from "./retention";

type JobInput = RequestOf<"createJob">;

/** A job with nothing set, as pipelines and requests fill it in. */
export function newJob(
	values: Pick<JobRecord, "name" | "query" | "createdAt" | "createdBy"> & Partial<JobRecord>,
): JobRecord {
	return {
		id: randomUUID(),
		queryType: "PYTHON",
		status: "CREATED",
		startedAt: null,
		finishedAt: null,
		workers: 1,
		pythonVersion: "3.12",
		requirements: "",
		repository: null,
		environment: {},
		priority: 5,
		exitCode: null,
		errorMessage: null,
		errorStack: null,
		parentJobId: null,
		rerunFromJobId: null,
		runGroupId: null,
		clusterId: null,
		files: [],
		credentialsName: null,
		startAfter: null,
		cronExpression: null,
		logs: [],
		steps: [],
		progress: 0,
		due: null,
		pipelineId: null,
		dataset: null,
		produced: [],
		...values,
	};
}

export function createJob(world: World, team: TeamState, user: string, input: JobInput): JobRecord {
	const now = world.now();
	const job = newJob({
		name: requirePlainName("query_name", input.query_name ?? "query"),
		query: input.query,
		queryType: input.query_type,
		createdAt: now,
		createdBy: user,
		workers: input.workers ?? 1,
		pythonVersion: input.python_version ?? "3.12",
		requirements: input.requirements ?? "",
		repository: input.repository ?? null,
		environment: readEnvironment(input.environment ?? ""),
		priority: input.priority ?? 5,
		// The service's client takes this id from a database of its own: an id we do not know is no mistake.
		rerunFromJobId: input.rerun_from_job_id ?? null,
		clusterId: chooseCluster(team, input)?.id ?? null,
		files: requireFiles(team, input.files ?? []),
		credentialsName: input.credentials_name ?? null,
		startAfter: input.start_after === undefined ? null : readInstant("start_after", input.start_after),
		cronExpression:
			input.cron_expression === undefined ? null : readCron(input.cron_expression, world.normalise),
	});
	job.runGroupId = jobById(team, job.rerunFromJobId ?? "")?.runGroupId ?? job.id;
	team.jobs.push(job);
	if (job.startAfter === null && job.cronExpression === null) startJob(world, team, job);
	else scheduleJob(world, team, job);
	pruneJobs(team);
	world.changed(team);
	return job;
}

function chooseCluster(team: TeamState, input: JobInput): ClusterRecord | undefined {
	const { compute_cluster_id: id, compute_cluster_name: name } = input;
	if (id !== undefined && name !== undefined) {
		throw invalid("Give compute_cluster_name or compute_cluster_id, not both.");
	}
	if (id === undefined && name === undefined) return team.clusters.find((cluster) => cluster.isDefault);
	const found = team.clusters.find((cluster) =>
		id === undefined ? cluster.name === name : String(cluster.id) === String(id),
	);
	if (found === undefined) {
		const known = team.clusters.map((cluster) => cluster.name).join(", ") || "none";
		throw notFound(
			`Team "${team.name}" has no compute cluster ${JSON.stringify(id ?? name)}. It has: ${known}.`,
		);
	}
	return found;
}

/**
 * A job with a start time or a cron becomes a task, and the task makes a job each time it is due.
 * That the task is a job in status TASK is documented; that its runs name it as their parent is a guess.
 */
function scheduleJob(world: World, team: TeamState, job: JobRecord): void {
	setStatus(world, team, job, "SCHEDULED");
	armTask(world, team, job, nextTaskRun(job, world.now()));
}

/** Sets the timer of a task; called again for each when a server starts. */
export function armTask(world: World, team: TeamState, job: JobRecord, due: number | null): void {
	job.due = due;
	world.setTimer(`job:${job.id}`, due, () => runTask(world, team, job));
}

function nextTaskRun(job: JobRecord, now: number): number | null {
	const start = job.startAfter ?? now;
	if (job.cronExpression === null) return start;
	return nextRuns(job.cronExpression, new Date(Math.max(now, start - 1)), 1)[0]?.getTime() ?? null;
}

function runTask(world: World, team: TeamState, task: JobRecord): void {
	const { id: _, ...copied } = task;
	const job = newJob({
		...copied,
		createdAt: world.now(),
		parentJobId: task.id,
		startAfter: null,
		cronExpression: null,
		startedAt: null,
		finishedAt: null,
		logs: [],
		steps: [],
		produced: [],
		due: null,
	});
	team.jobs.push(job);
	startJob(world, team, job);
	task.finishedAt ??= world.now();
	setStatus(world, team, task, "TASK");
	armTask(world, team, task, task.cronExpression === null ? null : nextTaskRun(task, world.now()));
	pruneJobs(team);
}

export function requireJob(team: TeamState, id: string): JobRecord {
	const job = jobById(team, id);
	if (job === undefined) throw notFound(`Team "${team.name}" has no job "${id.slice(0, 60)}".`);
	return job;
}

export function cancelJob(world: World, team: TeamState, id: string): string {
	const job = requireJob(team, id);
	const taskGoesOn = job.status === "TASK" && job.due !== null;
	if (isFinishedJobStatus(job.status) && !taskGoesOn) {
		throw conflict(`Job "${job.id}" cannot be canceled: it has already ended with status ${job.status}.`);
	}
	if (job.status === "PENDING") {
		// It has not begun, so there is nothing to wait for.
		finishJob(world, team, job, "CANCELED");
		return "Job canceled";
	}
	if (!job.status.startsWith("CANCELING")) {
		const scheduled = job.status === "SCHEDULED" || taskGoesOn;
		setStatus(world, team, job, scheduled ? "CANCELING_SCHEDULED" : "CANCELING");
		armJob(world, team, job, world.now() + world.stepMillis);
	}
	return "Job is being canceled";
}

export interface JobFilter {
	status?: string | undefined;
	limit?: number | undefined;
	job_id?: string | undefined;
}

/** Newest first. */
export function listJobs(team: TeamState, filter: JobFilter): JobRecord[] {
	const limit = filter.limit ?? 20;
	const found: JobRecord[] = [];
	for (let at = team.jobs.length - 1; at >= 0 && found.length < limit; at--) {
		const job = team.jobs[at];
		if (job === undefined || (filter.job_id !== undefined && job.id !== filter.job_id)) continue;
		if (filter.status === undefined || hasStatus(job, filter.status.toUpperCase())) found.push(job);
	}
	return found;
}

function hasStatus(job: JobRecord, wanted: string): boolean {
	if (wanted === "ACTIVE") return isActiveJobStatus(job.status);
	if (wanted === "INACTIVE") return !isActiveJobStatus(job.status);
	return job.status.toUpperCase() === wanted;
}
