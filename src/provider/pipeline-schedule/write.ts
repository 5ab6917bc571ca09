import { sameCron } from "../../schemas/cron";
import { formatInstant, sameInstant } from "../../schemas/instant";
import type { Schedule } from "../../schemas/schedule";
import type { ScheduleArgs } from "../../schemas/schedule-args";
import type { ProviderContext } from "../context";
import { getSchedule } from "./find";
import { differences, isPaused } from "./live";

/**
 * Brings an existing schedule to what is declared and returns it as the service shows it afterwards. Nobody has
 * seen this endpoint's reply on the wire, so the reply is not believed: the schedule is read back.
 */
export async function applyArgs(
	context: ProviderContext,
	args: ScheduleArgs,
	live: Schedule,
	options: { clearStart: boolean },
): Promise<Schedule> {
	await send(context, args, live.id, changedFields(args, live, options));
	let now = await getSchedule(context, args.teamName, live.id);
	// What the changes were compared with may be seconds old: what somebody else changed meanwhile shows only now.
	// The pause has a request of its own below.
	const missed = changedFields({ ...args, paused: isPaused(now) }, now, { clearStart: false });
	if (await send(context, args, live.id, missed)) now = await getSchedule(context, args.teamName, live.id);
	if (now.pipeline && isPaused(now) !== args.paused) now = await forcePause(context, args, live.id);
	context.lists.drop(args.teamName);
	return now;
}

/** Sends the changes, if there are any; says whether there were. */
async function send(
	context: ProviderContext,
	args: ScheduleArgs,
	id: number,
	changes: ReturnType<typeof changedFields>,
): Promise<boolean> {
	if (Object.keys(changes).length === 0) return false;
	context.lists.drop(args.teamName);
	await context.client.schedules.update({ team_name: args.teamName, schedule_id: id, ...changes });
	return true;
}

function changedFields(args: ScheduleArgs, live: Schedule, options: { clearStart: boolean }) {
	const cron = args.cronExpression;
	const start = args.startAfter ?? (options.clearStart ? formatInstant(Date.now()) : undefined);
	return {
		...(args.scheduleName !== live.schedule_name && { schedule_name: args.scheduleName }),
		...(cron !== undefined && !sameCron(cron, live.cron_expression ?? "") && { cron_expression: cron }),
		...(start !== undefined && !sameInstant(start, live.start_after ?? "") && { start_after: start }),
		...(args.paused !== isPaused(live) && { pause_pipeline: args.paused }),
	};
}

/** The document promises only that `pause_pipeline: true` pauses; pausing and resuming the pipeline itself settles it. */
async function forcePause(context: ProviderContext, args: ScheduleArgs, id: number): Promise<Schedule> {
	await setPipelinePaused(context, args);
	return getSchedule(context, args.teamName, id);
}

export async function setPipelinePaused(context: ProviderContext, args: ScheduleArgs): Promise<void> {
	const target = { team_name: args.teamName, name: args.pipelineName };
	context.lists.drop(args.teamName);
	await (args.paused ? context.client.pipelines.pause(target) : context.client.pipelines.resume(target));
}

/** Why the schedule is not as declared after a write that the service accepted; undefined where it is. */
export function unsettled(args: ScheduleArgs, live: Schedule): string | undefined {
	// A reply without the pipeline proves nothing about it, so it is no reason to call the write a failure.
	const rows = differences(args, live).filter(
		(row) => live.pipeline || (row.field !== "pipelineName" && row.field !== "paused"),
	);
	if (rows.length === 0) return undefined;
	const list = rows.map((row) => `${row.field} (declared ${row.declared}, found ${row.live})`).join("; ");
	return (
		`The service accepted schedule "${args.scheduleName}" (id ${live.id}) in team "${args.teamName}", but shows other ` +
		`values: ${list}. Run "pulumi up" again; if it stays, compare the schedule in the web UI.`
	);
}
