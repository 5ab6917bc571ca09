import { camelKeys } from "../schemas/camel";
import { scheduleItemSchema, type Schedule as WireSchedule } from "../schemas/schedule";
import { exactlyOne } from "./exactly-one";
import { type PipelineResult, pipelineResult } from "./get-pipelines";
import { getSchedules, type ScheduleListItem } from "./get-schedules";
import { asOutput, type LookupOptions, lookUp } from "./lookup";

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

/** One schedule, with its pipeline and latest run. */
export async function getSchedule(args: GetScheduleArgs, options?: LookupOptions): Promise<ScheduleResult> {
	const id = args.scheduleId ?? (await idOf(args, options));
	return toResult(
		await lookUp(options, `schedule ${id}`, (client) => client.schedules.get({ schedule_id: id })),
	);
}

export const getScheduleOutput = asOutput<GetScheduleArgs, ScheduleResult>(getSchedule);

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
