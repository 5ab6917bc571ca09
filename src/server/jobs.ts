import { isActiveJobStatus, isFinishedJobStatus, jobSchema } from "../schemas/job";
import type { Cluster } from "../schemas/wire/cluster";
import type { ReplyOf, RequestOf } from "../schemas/wire/endpoints";
import {
	conflict,
	invalid,
	newest,
	notFound,
	readCron,
	readEnvironment,
	readInstant,
	requireFiles,
	requirePlainName,
} from "./inputs";
import { enterStatus, finishJob, pruneJobs, scheduleJob } from "./job-run";
import { given, type JobRecord, jobById, newJob, shown, type TeamState } from "./state";
import type { World } from "./world";

export const jobReply = (
	team: TeamState,
	job: JobRecord,
	serverUrl: string,
	includeSteps = false,
): ReplyOf<"createJob"> => ({
	...shown(jobSchema, job),
	url: `${serverUrl}/team/${encodeURIComponent(team.name)}/datasets/jobs/${job.id}`,
	team: team.name,
	steps: includeSteps ? job.steps : null,
});

export function createJob(
	world: World,
	team: TeamState,
	user: string,
	input: RequestOf<"createJob">,
): JobRecord {
	const { team_name: _, query_name: name = "query", environment = "", ...fields } = given(input);
	const cluster = chooseCluster(team, input);
	const job = newJob({
		// The service's client takes rerun_from_job_id from a database of its own: an id we do not know is no mistake.
		...fields,
		name: requirePlainName("query_name", name),
		created_at: world.timestamp(),
		created_by: user,
		environment: readEnvironment(environment),
		compute_cluster_id: cluster?.id,
		compute_cluster_name: cluster?.name,
		files: requireFiles(team, input.files ?? []),
		start_after: readInstant("start_after", input.start_after) ?? null,
		cron_expression: readCron(input.cron_expression, world.normalise) ?? null,
	});
	job.run_group_id = jobById(team, job.rerun_from_job_id ?? "")?.run_group_id ?? job.id;
	team.jobs.push(job);
	if (job.start_after === null && job.cron_expression === null) enterStatus(world, team, job, "CREATED");
	else scheduleJob(world, team, job);
	pruneJobs(team);
	world.changed(team);
	return job;
}

function chooseCluster(team: TeamState, input: RequestOf<"createJob">): Cluster | undefined {
	const { compute_cluster_id: id, compute_cluster_name: name } = input;
	if (id !== undefined && name !== undefined) {
		throw invalid("Give compute_cluster_name or compute_cluster_id, not both.");
	}
	if (id === undefined && name === undefined)
		return team.clusters.find((cluster) => cluster.default === true);
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
