import type { RequestOf } from "../../schemas/wire/endpoints";
import { invalid, notFound } from "../refusal";
import type { ScheduleRecord, TeamState } from "../state";
import type { World } from "../world";
import { nextRun, readCron, readInstant } from "./inputs";
import { requirePlainName } from "./names";
import { copyPipeline } from "./pipeline-build";
import { advancePipeline, requirePipeline, setPaused } from "./pipelines";
import { pruneRuns } from "./retention";

/** Two schedules may share a name: no document says that they may not, and it is the harder case for clients. */
export function createSchedule(
	world: World,
	team: TeamState,
	user: string,
	input: RequestOf<"createSchedule">,
): ScheduleRecord {
	const name = requirePlainName("schedule_name", input.schedule_name);
	if (input.cron_expression === undefined && input.start_after === undefined) {
		throw invalid("Give cron_expression, start_after, or both.");
	}
	const cronExpression = readCron(input.cron_expression, world.normalise) ?? null;
	const now = world.now();
	const startAfter = readInstant("start_after", input.start_after) ?? now;
	const pipeline = requirePipeline(team, { name: input.pipeline_name });
	const schedule: ScheduleRecord = {
		id: world.state.nextScheduleId++,
		name,
		createdAt: now,
		createdBy: user,
		updatedAt: now,
		startAfter,
		cronExpression,
		nextRun: null,
		pipelineId: pipeline.id,
		latestRunId: null,
	};
	team.schedules.push(schedule);
	armSchedule(world, team, schedule, nextRunOf(schedule, now));
	world.changed(team);
	return schedule;
}

/** Only what is given changes; a schedule whose times stay keeps its next run. */
export function updateSchedule(
	world: World,
	team: TeamState,
	input: RequestOf<"updateSchedule">,
): ScheduleRecord {
	const schedule = requireSchedule(team, input.schedule_id);
	// Everything is read before anything is changed, so that a refused update leaves no trace.
	const name = requirePlainName("schedule_name", input.schedule_name ?? schedule.name);
	const cronExpression = readCron(input.cron_expression, world.normalise) ?? schedule.cronExpression;
	const startAfter = readInstant("start_after", input.start_after) ?? schedule.startAfter;
	const now = world.now();
	Object.assign(schedule, { name, cronExpression, startAfter, updatedAt: now });
	if (input.cron_expression !== undefined || input.start_after !== undefined) {
		armSchedule(world, team, schedule, nextRunOf(schedule, now));
	}
	// The documentation says only what true does. False resumes nothing, so that clients which rely on it notice.
	const pipeline = team.pipelines.find((one) => one.id === schedule.pipelineId);
	if (input.pause_pipeline === true && pipeline !== undefined) {
		setPaused(world, team, { pipeline_id: pipeline.id }, true);
	}
	world.changed(team);
	return schedule;
}

export function deleteSchedule(world: World, team: TeamState, id: number): void {
	const schedule = requireSchedule(team, id);
	armSchedule(world, team, schedule, null);
	team.schedules = team.schedules.filter((one) => one !== schedule);
	world.changed(team);
}

export function requireSchedule(team: TeamState, id: number): ScheduleRecord {
	const schedule = team.schedules.find((one) => one.id === id);
	if (schedule === undefined) throw notFound(`Team "${team.name}" has no schedule with id ${id}.`);
	return schedule;
}

/** Without a cron the schedule runs once, at its start; a start in the past means at once, which is a guess. */
const nextRunOf = ({ cronExpression, startAfter }: ScheduleRecord, now: number): number | null =>
	nextRun(cronExpression, Math.max(startAfter, now), now);

/**
 * Sets the next run; called again for each schedule when a server starts. Runs that fell due while no server
 * ran are made up for once, not one by one: a guess, but what users of other schedulers expect.
 */
export function armSchedule(
	world: World,
	team: TeamState,
	schedule: ScheduleRecord,
	nextRun: number | null,
): void {
	schedule.nextRun = nextRun;
	world.setTimer(`schedule:${schedule.id}`, nextRun, () => fire(world, team, schedule));
}

/** A paused pipeline does not run; its schedule goes on counting, and a single run that falls due then is lost. */
function fire(world: World, team: TeamState, schedule: ScheduleRecord): void {
	const template = team.pipelines.find((pipeline) => pipeline.id === schedule.pipelineId);
	if (template !== undefined && !template.paused) {
		const run = copyPipeline(world, team, template);
		run.scheduleId = schedule.id;
		run.scheduleName = schedule.name;
		schedule.latestRunId = run.id;
		advancePipeline(world, team, run);
		pruneRuns(team);
	}
	const next = schedule.cronExpression === null ? null : nextRunOf(schedule, world.now());
	armSchedule(world, team, schedule, next);
	world.changed(team);
}
