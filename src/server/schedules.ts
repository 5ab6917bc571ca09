import { scheduleSchema } from "../schemas/schedule";
import type { ReplyOf, RequestOf } from "../schemas/wire/endpoints";
import { formatInstant } from "../text/instant";
import { invalid, millisOf, nextRun, notFound, readCron, readInstant } from "./inputs";
import { advancePipeline, pruneRuns } from "./pipeline-progress";
import { copyPipeline, pipelineReply, requirePipeline, setPaused } from "./pipelines";
import {
	definedFields,
	newSchedule,
	newUser,
	pipelineById,
	type ScheduleRecord,
	type TeamState,
	visibleFields,
} from "./state";
import type { CallOf, World } from "./world";

export function scheduleReply(
	team: TeamState,
	schedule: ScheduleRecord,
): ReplyOf<"getSchedule"> {
	const replyOf = (id: string | null) => {
		const pipeline = pipelineById(team, id);
		return pipeline === undefined ? null : pipelineReply(team, pipeline);
	};
	return {
		...visibleFields(scheduleSchema, schedule),
		latest_run: replyOf(schedule.latest_run_id),
		pipeline: replyOf(schedule.pipeline_id),
	};
}

/** Two schedules may share a name: no document says that they may not, and it is the harder case for clients. */
export function createSchedule({
	world,
	team,
	user,
	input,
}: CallOf<"createSchedule">): ScheduleRecord {
	const { team_name: _, pipeline_name: pipelineName, ...fields } = input;
	if (fields.cron_expression === undefined && fields.start_after === undefined) {
		throw invalid("Give cron_expression, start_after, or both.");
	}
	const times = readTimes(world, fields);
	const pipeline = requirePipeline(team, { name: pipelineName });
	const schedule = newSchedule({
		...definedFields({ ...fields, ...times }),
		id: world.state.nextScheduleId++,
		created_at: world.timestamp(),
		created_by: newUser(user),
		pipeline_id: pipeline.pipeline_id,
	});
	team.schedules.push(schedule);
	armSchedule(world, team, schedule, nextRunOf(schedule, world.now()));
	world.changed(team);
	return schedule;
}

/** Only what is given changes; a schedule whose times stay keeps its next run. */
export function updateSchedule(call: CallOf<"updateSchedule">): ScheduleRecord {
	const { world, team, input } = call;
	const { team_name: _, schedule_id: id, pause_pipeline: pause, ...fields } = input;
	const schedule = requireSchedule(team, id);
	// Everything is read before anything is changed, so that a refused update leaves no trace.
	const times = definedFields(readTimes(world, fields));
	Object.assign(schedule, definedFields(fields), times, {
		updated_at: world.timestamp(),
	});
	if (Object.keys(times).length > 0) {
		armSchedule(world, team, schedule, nextRunOf(schedule, world.now()));
	}
	// The documentation says only what true does. False resumes nothing, so that clients which rely on it notice.
	const pipeline = pipelineById(team, schedule.pipeline_id);
	if (pause === true && pipeline !== undefined)
		setPaused({ ...call, input: pipeline }, true);
	world.changed(team);
	return schedule;
}

type Times = Pick<RequestOf<"createSchedule">, "cron_expression" | "start_after">;

const readTimes = (world: World, times: Times): Times => ({
	cron_expression: readCron(times.cron_expression, world.normalise),
	start_after: readInstant("start_after", times.start_after),
});

export function deleteSchedule({ world, team, input }: CallOf<"deleteSchedule">): void {
	const schedule = requireSchedule(team, input.schedule_id);
	team.schedules = team.schedules.filter((one) => one !== schedule);
	world.changed(team);
}

export function requireSchedule(team: TeamState, id: number): ScheduleRecord {
	const schedule = team.schedules.find((one) => one.id === id);
	if (schedule === undefined)
		throw notFound(`Team "${team.name}" has no schedule with id ${id}.`);
	return schedule;
}

/** Without a cron the schedule runs once, at its start; a start in the past means at once, which is a guess. */
const nextRunOf = (
	{ cron_expression: cron, start_after: start }: ScheduleRecord,
	now: number,
): number | null => nextRun(cron, Math.max(Date.parse(start), now), now);

/**
 * Sets the next run; called again for each schedule when a server starts. Runs that fell due while no server
 * ran are made up for once, not one by one: a guess, but what users of other schedulers expect.
 */
export function armSchedule(
	world: World,
	team: TeamState,
	schedule: ScheduleRecord,
	next: number | null = millisOf(schedule.next_run),
): void {
	schedule.next_run = next === null ? null : formatInstant(next);
	world.setTimer(`schedule:${schedule.id}`, team, next, () =>
		fire(world, team, schedule),
	);
}

/** A paused pipeline does not run; its schedule goes on counting, and a single run that falls due then is lost. */
function fire(world: World, team: TeamState, schedule: ScheduleRecord): void {
	if (!team.schedules.includes(schedule)) return;
	const template = pipelineById(team, schedule.pipeline_id);
	if (template !== undefined && !template.paused) {
		const run = copyPipeline(world, team, template);
		run.schedule_id = schedule.id;
		run.schedule_name = schedule.schedule_name;
		schedule.latest_run_id = run.pipeline_id;
		advancePipeline(world, team, run);
		pruneRuns(team, schedule.id);
	}
	const next =
		schedule.cron_expression === null ? null : nextRunOf(schedule, world.now());
	armSchedule(world, team, schedule, next);
	world.changed(team);
}
