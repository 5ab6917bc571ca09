import { asOutput } from "./as-output";
import type { LookupOptions } from "./connection";
import { exactlyOne } from "./exactly-one";
import type { PipelineResult } from "./get-pipelines";
import { getSchedules, type ScheduleListItem } from "./get-schedules";
import { checkOptions, type KeysOf, knownArgs } from "./keys";
import { lookUp, results } from "./lookup";

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
	checkOptions("getSchedule", options);
	if (asked.scheduleId !== undefined && asked.scheduleName !== undefined)
		throw new TypeError(
			"getSchedule takes a scheduleId or a scheduleName, and not both: the id alone says which schedule it is.",
		);
	const id = asked.scheduleId ?? (await idOf(asked, options));
	const schedule = await lookUp("getSchedule", options, `schedule ${id}`, (client) =>
		client.schedules.get({ schedule_id: id }),
	);
	return results().scheduleResult(schedule);
}

export const getScheduleOutput = asOutput<GetScheduleArgs, ScheduleResult>(getSchedule, KEYS);

async function idOf(args: GetScheduleArgs, options: LookupOptions | undefined): Promise<number> {
	const all = await getSchedules({}, options);
	const found = all.filter((item) => item.scheduleName === args.scheduleName);
	return exactlyOne("schedule", args, args.scheduleName === undefined ? [] : found, all, describe).id;
}

const describe = (item: ScheduleListItem): string =>
	`"${item.scheduleName}" (id ${item.id}, by ${item.createdBy?.username ?? "an unknown user"})`;
