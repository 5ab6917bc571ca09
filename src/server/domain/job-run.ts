import { isFinishedJobStatus } from "../../schemas/job";
import type { JobRecord, TeamState } from "../state";
import type { World } from "../world";
import { addVersion } from "./datasets";
import { readScript } from "./job-script";

/** How many steps a job stays RUNNING, each with its share of the log. */
const RUNNING_STEPS = 3;

/** Sets a job's next change by itself; called again for every unfinished job when a server starts. */
export function armJob(world: World, team: TeamState, job: JobRecord, due: number | null): void {
	job.due = due;
	world.setTimer(`job:${job.id}`, due, () => stepJob(world, team, job));
}

/** Lets a waiting job begin. */
export function startJob(world: World, team: TeamState, job: JobRecord): void {
	setStatus(world, team, job, "CREATED");
	armJob(world, team, job, world.now() + world.stepMillis);
}

export function setStatus(world: World, team: TeamState, job: JobRecord, status: string): void {
	job.status = status;
	world.jobChanged(team, job);
}

export function finishJob(world: World, team: TeamState, job: JobRecord, status: string): void {
	armJob(world, team, job, null);
	const now = world.now();
	job.finishedAt = now;
	closeStep(job, now);
	setStatus(world, team, job, status);
	world.jobEnded(team, job);
}

function stepJob(world: World, team: TeamState, job: JobRecord): void {
	if (isFinishedJobStatus(job.status)) return;
	const again = (): void => armJob(world, team, job, world.now() + world.stepMillis);
	switch (job.status) {
		case "CREATED":
			openStep(job, "queued", "Queued", world.now());
			setStatus(world, team, job, "QUEUED");
			again();
			return;
		case "QUEUED":
			openStep(job, "init", "Environment setup", world.now());
			job.startedAt = world.now();
			addLines(
				job,
				`Preparing a ${job.queryType === "SHELL" ? "shell" : `Python ${job.pythonVersion}`} environment\n`,
			);
			setStatus(world, team, job, "INIT");
			again();
			return;
		case "INIT":
			openStep(job, "running", "Running", world.now());
			logRequirements(job);
			addLines(job, `Running ${job.name}\n`);
			setStatus(world, team, job, "RUNNING");
			again();
			return;
		case "RUNNING":
			if (runOn(world, team, job)) again();
			return;
		case "CANCELING":
		case "CANCELING_SCHEDULED":
			addLines(job, "Canceled\n");
			finishJob(world, team, job, "CANCELED");
			return;
		default:
			armJob(world, team, job, null);
	}
}

/** One step of a running job; true while there is more to come. */
function runOn(world: World, team: TeamState, job: JobRecord): boolean {
	const script = readScript(job.query);
	const from = Math.floor((script.output.length * job.progress) / RUNNING_STEPS);
	const to = Math.floor((script.output.length * (job.progress + 1)) / RUNNING_STEPS);
	job.logs = job.logs.concat(script.output.slice(from, to));
	if (job.progress < RUNNING_STEPS) job.progress++;
	if (job.progress < RUNNING_STEPS || script.holds) {
		world.jobChanged(team, job);
		// A job that holds has nothing more to do by itself; canceling it sets a timer again.
		if (job.progress === RUNNING_STEPS) armJob(world, team, job, null);
		return job.progress < RUNNING_STEPS;
	}
	job.exitCode = script.exitCode;
	if (script.exitCode === 0) complete(world, team, job);
	else fail(world, team, job, script.exitCode);
	return false;
}

function complete(world: World, team: TeamState, job: JobRecord): void {
	const version = job.dataset === null ? undefined : addVersion(team, job.dataset, job.id);
	if (job.dataset !== null && version !== undefined) {
		job.produced = [...job.produced, { dataset: job.dataset, version }];
		addLines(job, `Saved ${job.dataset}@${version}\n`);
	}
	addLines(job, "Finished\n");
	finishJob(world, team, job, "COMPLETE");
}

function fail(world: World, team: TeamState, job: JobRecord, exitCode: number): void {
	job.errorMessage = `The query ended with exit code ${exitCode}`;
	job.errorStack = `SystemExit: ${exitCode}`;
	addLines(job, `${job.errorStack}\n`);
	finishJob(world, team, job, "FAILED");
}

function addLines(job: JobRecord, ...lines: string[]): void {
	job.logs = [...job.logs, ...lines];
}

function logRequirements(job: JobRecord): void {
	const wanted = job.requirements.split("\n").filter((line) => line.trim() !== "").length;
	if (wanted > 0) addLines(job, `Installing ${wanted} ${wanted === 1 ? "requirement" : "requirements"}\n`);
}

function openStep(job: JobRecord, name: string, label: string, now: number): void {
	closeStep(job, now);
	job.steps = [...job.steps, { name, label, startedAt: now, finishedAt: null }];
}

function closeStep(job: JobRecord, now: number): void {
	const last = job.steps.at(-1);
	if (last?.finishedAt !== null) return;
	job.steps = [...job.steps.slice(0, -1), { ...last, finishedAt: now }];
}
