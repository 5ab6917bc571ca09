import type { JobRecord, TeamState } from "../state";
import type { World } from "../world";
import { armJob } from "./job-run";
import { armTask } from "./jobs";
import { pipelineJobEnded } from "./pipelines";
import { armSchedule } from "./schedules";

/** Takes up the work where an earlier server left it: jobs go on, schedules fire, what is overdue happens now. */
export function startEngine(world: World): void {
	world.jobEnd = pipelineJobEnded;
	for (const team of world.state.teams) {
		for (const job of team.jobs) armAgain(world, team, job);
		for (const schedule of team.schedules) armSchedule(world, team, schedule, schedule.nextRun);
	}
	if (world.clock.manual) world.clock.advance(0);
}

/** Sets the timer that a job's record asks for. */
export function armAgain(world: World, team: TeamState, job: JobRecord): void {
	const task = job.startAfter !== null || job.cronExpression !== null;
	if (task && (job.status === "SCHEDULED" || job.status === "TASK")) armTask(world, team, job, job.due);
	else armJob(world, team, job, job.due);
}
