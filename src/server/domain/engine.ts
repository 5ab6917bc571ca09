import { isFinishedJobStatus } from "../../schemas/job";
import type { World } from "../world";
import { armJob } from "./job-run";
import { armTask } from "./jobs";
import { pipelineJobEnded } from "./pipelines";
import { armSchedule } from "./schedules";

/** Takes up the work where an earlier server left it: jobs go on, schedules fire, what is overdue happens now. */
export function startEngine(world: World): void {
	world.jobEnd = (team, job) => pipelineJobEnded(world, team, job);
	for (const team of world.state.teams) {
		for (const job of team.jobs) {
			const task = job.startAfter !== null || job.cronExpression !== null;
			if (task && (job.status === "SCHEDULED" || job.status === "TASK")) armTask(world, team, job, job.due);
			else if (!isFinishedJobStatus(job.status)) armJob(world, team, job, job.due);
		}
		for (const schedule of team.schedules) armSchedule(world, team, schedule, schedule.nextRun);
	}
	if (world.clock.manual) world.clock.advance(0);
}
