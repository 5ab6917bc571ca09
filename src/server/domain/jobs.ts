import { isActiveJobStatus, isFinishedJobStatus } from "../../schemas/job";
import type { RequestOf } from "../../schemas/wire/endpoints";
import { conflict, invalid, notFound } from "../refusal";
import { type ClusterRecord, type JobRecord, jobById, type TeamState } from "../state";
import type { World } from "../world";
import { newest, readCron, readEnvironment, readInstant, requireFiles } from "./inputs";
import { enterStatus, finishJob, scheduleJob } from "./job-run";
import { requirePlainName } from "./names";
import { newJob } from "./records";
import { pruneJobs } from "./retention";

type JobInput = RequestOf<"createJob">;

export function createJob(world: World, team: TeamState, user: string, input: JobInput): JobRecord {
	const job = newJob({
		name: requirePlainName("query_name", input.query_name ?? "query"),
		query: input.query,
		queryType: input.query_type,
		createdAt: world.now(),
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
		startAfter: readInstant("start_after", input.start_after) ?? null,
		cronExpression: readCron(input.cron_expression, world.normalise) ?? null,
	});
	job.runGroupId = jobById(team, job.rerunFromJobId ?? "")?.runGroupId ?? job.id;
	team.jobs.push(job);
	if (job.startAfter === null && job.cronExpression === null) enterStatus(world, team, job, "CREATED");
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
		enterStatus(world, team, job, scheduled ? "CANCELING_SCHEDULED" : "CANCELING");
	}
	return "Job is being canceled";
}

export function listJobs(team: TeamState, filter: RequestOf<"listJobs">): JobRecord[] {
	const status = filter.status?.toUpperCase();
	return newest(
		team.jobs,
		filter.limit,
		(job) =>
			(filter.job_id === undefined || job.id === filter.job_id) &&
			(status === undefined || hasStatus(job, status)),
	);
}

function hasStatus(job: JobRecord, wanted: string): boolean {
	if (wanted === "ACTIVE") return isActiveJobStatus(job.status);
	if (wanted === "INACTIVE") return !isActiveJobStatus(job.status);
	return job.status.toUpperCase() === wanted;
}
