import { type CamelKeys, camelKeys } from "../schemas/camel";
import { type ScheduleItem, scheduleItemSchema } from "../schemas/schedule";
import { asOutput, type LookupOptions, lookUp } from "./lookup";

/** A schedule as the team's list shows it; `getSchedule` adds its pipeline and latest run. */
export type ScheduleListItem = CamelKeys<ScheduleItem>;

export interface GetSchedulesArgs {
	/** Exact name. Names are not unique on the service. */
	scheduleName?: string;
	/** User name of who made it. */
	createdBy?: string;
}

/** The team's pipeline schedules, all of them or those that match every given filter. */
export async function getSchedules(
	args: GetSchedulesArgs = {},
	options?: LookupOptions,
): Promise<ScheduleListItem[]> {
	const all = await lookUp(options, "schedules", (client) => client.schedules.list());
	return all
		.map((item) => camelKeys(scheduleItemSchema, item))
		.filter(
			(item) =>
				(args.scheduleName === undefined || item.scheduleName === args.scheduleName) &&
				(args.createdBy === undefined || item.createdBy?.username === args.createdBy),
		);
}

export const getSchedulesOutput = asOutput<GetSchedulesArgs, ScheduleListItem[]>(getSchedules);
