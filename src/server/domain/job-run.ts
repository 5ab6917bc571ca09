import type { JobRecord, TeamState } from "../state";
import type { World } from "../world";
import { addVersion } from "./datasets";
import { nextRun } from "./inputs";
import { readScript } from "./job-script";
import { newJob } from "./records";
import { pruneJobs } from "./retention";

/** How many steps a job stays RUNNING, each with its share of the log. */
const RUNNING_STEPS = 3;

/** Sets a job's next change by itself; called again for every job when a server starts. */
export function armJob(world: World, team: TeamState, job: JobRecord, due: number | null): void {
	job.due = due;
	world.setTimer(`job:${job.id}`, due, () => stepJob(world, team, job));
}

/** Brings a job into a status that it leaves by itself; CREATED lets a waiting one begin. */
export function enterStatus(world: World, team: TeamState, job: JobRecord, status: string): void {
	setStatus(world, team, job, status);
	armJob(world, team, job, world.now() + world.stepMillis);
}

/**
 * A job with a start time or a cron becomes a task, and the task makes a job each time it is due.
 * That the task is a job in status TASK is documented; that its runs name it as their parent is a guess.
 */
export function scheduleJob(world: World, team: TeamState, job: JobRecord): void {
	setStatus(world, team, job, "SCHEDULED");
	armJob(world, team, job, nextTaskRun(job, world.now()));
}

const nextTaskRun = (task: JobRecord, now: number): number | null =>
	nextRun(task.cronExpression, task.startAfter ?? now, now);

function setStatus(world: World, team: TeamState, job: JobRecord, status: string): void {
	job.status = status;
	world.jobChanged(team, job);
}

export function finishJob(world: World, team: TeamState, job: JobRecord, status: string): void {
	armJob(world, team, job, null);
	job.finishedAt = world.now();
	closeStep(job, job.finishedAt);
	setStatus(world, team, job, status);
	world.jobEnded(world, team, job);
}

function stepJob(world: World, team: TeamState, job: JobRecord): void {
	const now = world.now();
	const enter = (status: string, label: string): void => {
		closeStep(job, now);
		job.steps = [...job.steps, { name: status.toLowerCase(), label, startedAt: now, finishedAt: null }];
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
			job.startedAt = now;
			addLine(
				job,
				`Preparing a ${job.queryType === "SHELL" ? "shell" : `Python ${job.pythonVersion}`} environment`,
			);
			enter("INIT", "Environment setup");
			break;
		case "INIT":
			logRequirements(job);
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
		createdAt: world.now(),
		parentJobId: task.id,
		startAfter: null,
		cronExpression: null,
		finishedAt: null,
	});
	team.jobs.push(job);
	enterStatus(world, team, job, "CREATED");
	task.finishedAt ??= world.now();
	setStatus(world, team, task, "TASK");
	armJob(world, team, task, task.cronExpression === null ? null : nextTaskRun(task, world.now()));
	pruneJobs(team);
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
		armJob(world, team, job, job.progress < RUNNING_STEPS ? world.now() + world.stepMillis : null);
		return;
	}
	job.exitCode = exitCode;
	if (exitCode === 0) complete(world, team, job);
	else fail(world, team, job, exitCode);
}

function complete(world: World, team: TeamState, job: JobRecord): void {
	const version = job.dataset === null ? undefined : addVersion(team, job.dataset, job.id);
	if (job.dataset !== null && version !== undefined) {
		job.produced = [...job.produced, { dataset: job.dataset, version }];
		addLine(job, `Saved ${job.dataset}@${version}`);
	}
	addLine(job, "Finished");
	finishJob(world, team, job, "COMPLETE");
}

function fail(world: World, team: TeamState, job: JobRecord, exitCode: number): void {
	job.errorMessage = `The query ended with exit code ${exitCode}`;
	job.errorStack = `SystemExit: ${exitCode}`;
	addLine(job, job.errorStack);
	finishJob(world, team, job, "FAILED");
}

function addLine(job: JobRecord, line: string): void {
	job.logs = [...job.logs, `${line}\n`];
}

function logRequirements(job: JobRecord): void {
	const wanted = job.requirements.split("\n").filter((line) => line.trim() !== "").length;
	if (wanted > 0) addLine(job, `Installing ${wanted} ${wanted === 1 ? "requirement" : "requirements"}`);
}

function closeStep(job: JobRecord, now: number): void {
	const last = job.steps.at(-1);
	if (last?.finishedAt !== null) return;
	job.steps = [...job.steps.slice(0, -1), { ...last, finishedAt: now }];
}
