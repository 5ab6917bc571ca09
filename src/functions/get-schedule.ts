import { camelKeys } from "../schemas/camel";
import { scheduleItemSchema, type Schedule as WireSchedule } from "../schemas/schedule";
import { asOutput } from "./as-output";
import type { LookupOptions } from "./connection";
import { exactlyOne } from "./exactly-one";
import type { PipelineResult } from "./get-pipelines";
import { getSchedules, type ScheduleListItem } from "./get-schedules";
import { type KeysOf, knownArgs } from "./keys";
import { lookUp } from "./lookup";
import { pipelineResult } from "./pipeline-result";

export interface ScheduleResult extends ScheduleListItem {
	/** The pipeline that the schedule runs. */
	pipeline?: PipelineResult;
	/** The newest run that the schedule started. */
	latestRun?: PipelineResult;
}

export interface GetScheduleArgs {
	/** The service's id. Give this or the name. */
	scheduleId?: number;
	/** Exact name; an error where several schedules have it. */
	scheduleName?: string;
}

const KEYS: KeysOf<GetScheduleArgs> = { scheduleId: true, scheduleName: true };

/** One schedule, with its pipeline and latest run. */
export async function getSchedule(args: GetScheduleArgs, options?: LookupOptions): Promise<ScheduleResult> {
	const asked = knownArgs("getSchedule", KEYS, args);
	const id = asked.scheduleId ?? (await idOf(asked, options));
	return toResult(
		await lookUp("getSchedule", options, `schedule ${id}`, (client) =>
			client.schedules.get({ schedule_id: id }),
		),
	);
}

export const getScheduleOutput = asOutput<GetScheduleArgs, ScheduleResult>(getSchedule, KEYS);

async function idOf(args: GetScheduleArgs, options: LookupOptions | undefined): Promise<number> {
	const all = await getSchedules({}, options);
	const found = all.filter((item) => item.scheduleName === args.scheduleName);
	return exactlyOne("schedule", args, args.scheduleName === undefined ? [] : found, all, describe).id;
}

function toResult(schedule: WireSchedule): ScheduleResult {
	return {
		...camelKeys(scheduleItemSchema, schedule),
		...(schedule.pipeline && { pipeline: pipelineResult(schedule.pipeline) }),
		...(schedule.latest_run && { latestRun: pipelineResult(schedule.latest_run) }),
	};
}

const describe = (item: ScheduleListItem): string =>
	`"${item.scheduleName}" (id ${item.id}, by ${item.createdBy?.username ?? "an unknown user"})`;
