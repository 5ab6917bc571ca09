import { isActiveJobStatus, isFinishedJobStatus, jobSchema } from "../schemas/job";
import type { Cluster } from "../schemas/wire/cluster";
import type { ReplyOf, RequestOf } from "../schemas/wire/endpoints";
import {
	conflict,
	invalid,
	millisOf,
	newest,
	nextRun,
	notFound,
	readCron,
	readEnvironment,
	readInstant,
	requireFiles,
} from "./inputs";
import {
	definedFields,
	type JobRecord,
	jobById,
	newJob,
	type TeamState,
	visibleFields,
} from "./state";
import type { Call, CallOf, World } from "./world";

// ── What requests ask for ──

export const jobReply = (
	{ world, team }: Call,
	job: JobRecord,
	includeSteps = false,
): ReplyOf<"createJob"> => ({
	...visibleFields(jobSchema, job),
	url: `${world.url}/team/${encodeURIComponent(team.name)}/datasets/jobs/${job.id}`,
	team: team.name,
	steps: includeSteps ? job.steps : null,
});

export function createJob({
	world,
	team,
	user,
	input,
}: CallOf<"createJob">): JobRecord {
	const {
		team_name: _,
		query_name: name = "query",
		environment = "",
		...fields
	} = definedFields(input);
	const cluster = chooseCluster(team, input);
	const job = newJob({
		// The service's client takes rerun_from_job_id from a database of its own: an id we do not know is no mistake.
		...fields,
		name,
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
	if (job.start_after === null && job.cron_expression === null)
		enterStatus(world, team, job, "CREATED");
	else scheduleJob(world, team, job);
	world.changed(team);
	return job;
}

function chooseCluster(
	team: TeamState,
	input: RequestOf<"createJob">,
): Cluster | undefined {
	const { compute_cluster_id: id, compute_cluster_name: name } = input;
	if (id !== undefined && name !== undefined) {
		throw invalid("Give compute_cluster_name or compute_cluster_id, not both.");
	}
	if (id === undefined && name === undefined)
		return team.clusters.find((cluster) => cluster.default === true);
	const chosen = team.clusters.find((cluster) =>
		id === undefined ? cluster.name === name : cluster.id === id,
	);
	if (chosen === undefined) {
		const names = team.clusters.map((cluster) => cluster.name).join(", ") || "none";
		throw notFound(
			`Team "${team.name}" has no compute cluster ${JSON.stringify(id ?? name)}. It has: ${names}.`,
		);
	}
	return chosen;
}

export function requireJob(team: TeamState, id: string): JobRecord {
	const job = jobById(team, id);
	if (job === undefined)
		throw notFound(`Team "${team.name}" has no job "${id.slice(0, 60)}".`);
	return job;
}

export function cancelJob({ world, team, input }: CallOf<"cancelJob">): string {
	const job = requireJob(team, input.job_id);
	const taskGoesOn = job.status === "TASK" && job.due !== null;
	if (isFinishedJobStatus(job.status) && !taskGoesOn) {
		throw conflict(
			`Job "${job.id}" cannot be canceled: it has already ended with status ${job.status}.`,
		);
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

export function listJobs({ team, input }: CallOf<"listJobs">): JobRecord[] {
	const status = input.status?.toUpperCase();
	return newest(
		team.jobs,
		input.limit,
		(job) =>
			(input.job_id === undefined || job.id === input.job_id) &&
			(status === undefined || hasStatus(job, status)),
	);
}

function hasStatus(job: JobRecord, wanted: string): boolean {
	if (wanted === "ACTIVE") return isActiveJobStatus(job.status);
	if (wanted === "INACTIVE") return !isActiveJobStatus(job.status);
	return job.status.toUpperCase() === wanted;
}

// ── What a job does by itself ──

/** How many steps a job stays RUNNING, each with its share of the log. */
const RUNNING_STEPS = 3;

/** Sets a job's next change by itself; called again for every job when a server starts. */
export function armJob(
	world: World,
	team: TeamState,
	job: JobRecord,
	due: number | null,
): void {
	job.due = due;
	world.setTimer(`job:${job.id}`, team, due, () => stepJob(world, team, job));
}

/** Brings a job into a status that it leaves by itself; CREATED lets a waiting one begin. */
export function enterStatus(
	world: World,
	team: TeamState,
	job: JobRecord,
	status: string,
): void {
	setStatus(world, team, job, status);
	armJob(world, team, job, world.now() + world.stepMillis);
}

/**
 * A job with a start time or a cron becomes a task, and the task makes a job each time it is due.
 * That the task is a job in status TASK is documented; that its runs name it as their parent is a guess.
 */
function scheduleJob(world: World, team: TeamState, job: JobRecord): void {
	setStatus(world, team, job, "SCHEDULED");
	armJob(world, team, job, nextTaskRun(job, world.now()));
}

const nextTaskRun = (task: JobRecord, now: number): number | null =>
	nextRun(task.cron_expression, millisOf(task.start_after) ?? now, now);

function setStatus(
	world: World,
	team: TeamState,
	job: JobRecord,
	status: string,
): void {
	job.status = status;
	world.jobChanged(team, job);
}

export function finishJob(
	world: World,
	team: TeamState,
	job: JobRecord,
	status: string,
): void {
	armJob(world, team, job, null);
	job.finished_at = world.timestamp();
	closeStep(job, job.finished_at);
	setStatus(world, team, job, status);
	world.jobEnded(world, team, job);
}

function stepJob(world: World, team: TeamState, job: JobRecord): void {
	if (jobById(team, job.id) !== job) return;
	const now = world.timestamp();
	const enter = (status: string, label: string): void => {
		closeStep(job, now);
		job.steps = [
			...job.steps,
			{ name: status.toLowerCase(), label, started_at: now, finished_at: null },
		];
		enterStatus(world, team, job, status);
	};
	switch (job.status) {
		case "SCHEDULED":
		case "TASK":
			runTask(world, team, job);
			break;
		case "CREATED":
			enter("QUEUED", "Queued");
			break;
		case "QUEUED":
			job.started_at = now;
			addLine(
				job,
				`Preparing a ${job.query_type === "SHELL" ? "shell" : `Python ${job.python_version}`} environment`,
			);
			enter("INIT", "Environment setup");
			break;
		case "INIT":
			addLine(job, `Running ${job.name}`);
			enter("RUNNING", "Running");
			break;
		case "RUNNING":
			runOn(world, team, job);
			break;
		case "CANCELING":
		case "CANCELING_SCHEDULED":
			addLine(job, "Canceled");
			finishJob(world, team, job, "CANCELED");
			break;
		default:
			armJob(world, team, job, null);
	}
}

function runTask(world: World, team: TeamState, task: JobRecord): void {
	const { id: _, ...copied } = task;
	// A task never runs itself, so it has no start, log, steps or datasets that the copy would have to lose.
	const job = newJob({
		...copied,
		created_at: world.timestamp(),
		parent_job_id: task.id,
		start_after: null,
		cron_expression: null,
		finished_at: null,
	});
	team.jobs.push(job);
	enterStatus(world, team, job, "CREATED");
	task.finished_at ??= world.timestamp();
	setStatus(world, team, task, "TASK");
	armJob(
		world,
		team,
		task,
		task.cron_expression === null ? null : nextTaskRun(task, world.now()),
	);
	pruneJobs(team, task);
}

/** One step of a running job. */
function runOn(world: World, team: TeamState, job: JobRecord): void {
	const { output, holds, exitCode } = readScript(job.query);
	const from = Math.floor((output.length * job.progress) / RUNNING_STEPS);
	const to = Math.floor((output.length * (job.progress + 1)) / RUNNING_STEPS);
	job.logs = job.logs.concat(output.slice(from, to));
	job.progress = Math.min(job.progress + 1, RUNNING_STEPS);
	if (job.progress < RUNNING_STEPS || holds) {
		world.jobChanged(team, job);
		// A job that holds has nothing more to do by itself; canceling it sets a timer again.
		armJob(
			world,
			team,
			job,
			job.progress < RUNNING_STEPS ? world.now() + world.stepMillis : null,
		);
		return;
	}
	job.exit_code = exitCode;
	if (exitCode === 0) complete(world, team, job);
	else fail(world, team, job, exitCode);
}

function complete(world: World, team: TeamState, job: JobRecord): void {
	const version =
		job.dataset === null ? undefined : addVersion(team, job.dataset, job.id);
	if (job.dataset !== null && version !== undefined) {
		job.produced = [...job.produced, { dataset_name: job.dataset, version }];
		addLine(job, `Saved ${job.dataset}@${version}`);
	}
	addLine(job, "Finished");
	finishJob(world, team, job, "COMPLETE");
}

/** A job that rebuilt a dataset leaves a new version of it. */
function addVersion(
	team: TeamState,
	fullName: string,
	jobId: string,
): string | undefined {
	const dataset = team.datasets.find((one) => one.fullName === fullName);
	if (dataset === undefined) return undefined;
	const [major = "1", minor = "0", patch = "-1"] = (
		dataset.versions.at(-1)?.version ?? "1.0.-1"
	).split(".");
	const version = `${major}.${minor}.${Number(patch) + 1}`;
	dataset.versions.push({ version, jobId });
	return version;
}

function fail(world: World, team: TeamState, job: JobRecord, exitCode: number): void {
	job.error_message = `The query ended with exit code ${exitCode}`;
	job.error_stack = `SystemExit: ${exitCode}`;
	addLine(job, job.error_stack);
	finishJob(world, team, job, "FAILED");
}

function addLine(job: JobRecord, line: string): void {
	job.logs = [...job.logs, `${line}\n`];
}

function closeStep(job: JobRecord, now: string): void {
	const last = job.steps.at(-1);
	if (last?.finished_at !== null) return;
	job.steps = [...job.steps.slice(0, -1), { ...last, finished_at: now }];
}

const KEPT_JOBS = 1_000;

/** A task that runs every minute would fill any memory, so its oldest finished jobs are forgotten. */
function pruneJobs(team: TeamState, task: JobRecord): void {
	const finishedJobs = team.jobs.filter(
		(job) => job.parent_job_id === task.id && isFinishedJobStatus(job.status),
	);
	const gone = new Set(finishedJobs.slice(0, -KEPT_JOBS));
	if (gone.size > 0) team.jobs = team.jobs.filter((job) => !gone.has(job));
}

// ── What a query does here ──

const EXIT =
	/^[ \t]*(?:raise[ \t]+SystemExit\(|(?:sys\.)?exit[ \t(]+)[ \t]*(\d{1,3})\)?[ \t]*$/m;
const PRINT = /^[ \t]*(?:print\((["'])(.*)\1\)|echo[ \t]+(.*))[ \t]*$/;
const LINES = /^[ \t]*#[ \t]*local-server:[ \t]*lines=(\d{1,6})[ \t]*$/m;
const HOLD = /^[ \t]*#[ \t]*local-server:[ \t]*hold[ \t]*$/m;

/**
 * What running a query does here. Nothing is executed; the text alone decides, so that a test can foresee it:
 * - a line `raise SystemExit(N)`, `exit(N)`, `sys.exit(N)` or `exit N` with N above 0 makes the job fail with N;
 * - each line `print("text")` or `echo text` logs its text;
 * - a comment `# local-server: lines=N` logs N numbered lines, `# local-server: hold` runs until it is cancelled.
 */
export function readScript(query: string) {
	const output: string[] = [];
	for (const line of query.split(/\r?\n/)) {
		const match = PRINT.exec(line);
		if (match !== null) output.push(`${match[2] ?? match[3] ?? ""}\n`);
	}
	const numbered = Math.min(Number(LINES.exec(query)?.[1] ?? 0), 200_000);
	for (let line = 1; line <= numbered; line++) output.push(`line ${line}\n`);
	return {
		exitCode: Number(EXIT.exec(query)?.[1] ?? 0),
		output,
		holds: HOLD.test(query),
	};
}
