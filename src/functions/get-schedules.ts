import type { ScheduleCreator } from "../schemas/schedule-creator";
import { asOutput } from "./as-output";
import type { LookupOptions } from "./connection";
import { type KeysOf, knownArgs } from "./keys";
import { lookUp, results } from "./lookup";

/** A schedule as the team's list shows it; `getSchedule` adds its pipeline and latest run. */
export interface ScheduleListItem {
	/** The service's id of the schedule. */
	id: number;
	scheduleName?: string;
	createdAt?: string;
	updatedAt?: string;
	startAfter?: string;
	cronExpression?: string;
	/** When it runs next, as the service computes it. */
	nextRun?: string;
	createdBy?: ScheduleCreator;
}

export interface GetSchedulesArgs {
	/** Exact name. Names are not unique on the service. */
	scheduleName?: string;
	/** User name of who made it. */
	createdBy?: string;
}

const KEYS: KeysOf<GetSchedulesArgs> = { scheduleName: true, createdBy: true };

/** The team's pipeline schedules, all of them or those that match every given filter. */
export async function getSchedules(
	args: GetSchedulesArgs = {},
	options?: LookupOptions,
): Promise<ScheduleListItem[]> {
	const asked = knownArgs("getSchedules", KEYS, args);
	const all = await lookUp("getSchedules", options, "schedules", (client) => client.schedules.list());
	return all
		.map(results().scheduleListItem)
		.filter(
			(item) =>
				(asked.scheduleName === undefined || item.scheduleName === asked.scheduleName) &&
				(asked.createdBy === undefined || item.createdBy?.username === asked.createdBy),
		);
}

export const getSchedulesOutput = asOutput<GetSchedulesArgs, ScheduleListItem[]>(getSchedules, KEYS);
