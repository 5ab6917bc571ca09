import type { ScheduleListItem } from "../schemas/wire/results";
import {
	asOutput,
	checkedArgs,
	exactlyOne,
	type KeysOf,
	lookUp,
	resultsModule,
} from "./lookup";
import type { LookupOptions } from "./place";
import type { ScheduleResult } from "./result-types";

export interface GetSchedulesArgs {
	/** Exact name. Names are not unique on the service. */
	scheduleName?: string;
	/** Name of the user who created it. */
	createdBy?: string;
}

const LIST_KEYS: KeysOf<GetSchedulesArgs> = { scheduleName: true, createdBy: true };

export interface GetSchedulesResult {
	/** The schedules that match. */
	schedules: ScheduleListItem[];
}

/**
 * The team's pipeline schedules, all of them or those that match every given filter.
 *
 * ```ts
 * datachain.getSchedulesOutput({ createdBy: "ops-oncall" }).schedules
 * ```
 */
export async function getSchedules(
	args: GetSchedulesArgs = {},
	options?: LookupOptions,
): Promise<GetSchedulesResult> {
	const asked = checkedArgs("getSchedules", LIST_KEYS, args);
	const all = await listed("getSchedules", options);
	const schedules = all.filter(
		(item) =>
			(asked.scheduleName === undefined || item.scheduleName === asked.scheduleName) &&
			(asked.createdBy === undefined || item.createdBy?.username === asked.createdBy),
	);
	return { schedules };
}

const listed = async (
	lookup: string,
	options: LookupOptions | undefined,
): Promise<ScheduleListItem[]> => {
	const all = await lookUp(lookup, options, "schedules", (client) =>
		client.schedules.list(),
	);
	return all.map(resultsModule().scheduleListItem);
};

export const getSchedulesOutput = asOutput<GetSchedulesArgs, GetSchedulesResult>(
	getSchedules,
	LIST_KEYS,
);

export interface GetScheduleArgs {
	/** The service's id. Give this or the name. */
	scheduleId?: number;
	/** Exact name. Fails if several schedules have it. */
	scheduleName?: string;
	/** True adds the values of the environment variables of its pipeline and latest run, as a secret. Their names are always returned. */
	withEnvironment?: boolean;
}

const SINGLE_KEYS: KeysOf<GetScheduleArgs> = {
	scheduleId: true,
	scheduleName: true,
	withEnvironment: true,
};

/**
 * One schedule, with its pipeline and latest run.
 *
 * ```ts
 * datachain.getScheduleOutput({ scheduleName: "nightly-images-by-hand" }).nextRun
 * ```
 */
export async function getSchedule(
	args: GetScheduleArgs,
	options?: LookupOptions,
): Promise<ScheduleResult> {
	const asked = checkedArgs("getSchedule", SINGLE_KEYS, args);
	if (asked.scheduleId !== undefined && asked.scheduleName !== undefined)
		throw new TypeError(
			"getSchedule takes a scheduleId or a scheduleName, and not both: the id alone says which schedule it is.",
		);
	const id = asked.scheduleId ?? (await idOf(asked, options));
	const schedule = await lookUp("getSchedule", options, `schedule ${id}`, (client) =>
		client.schedules.get({ schedule_id: id }),
	);
	return resultsModule().scheduleResult(schedule, asked.withEnvironment);
}

export const getScheduleOutput = asOutput<GetScheduleArgs, ScheduleResult>(
	getSchedule,
	SINGLE_KEYS,
);

async function idOf(
	args: GetScheduleArgs,
	options: LookupOptions | undefined,
): Promise<number> {
	const all = await listed("getSchedule", options);
	const matching = all.filter((item) => item.scheduleName === args.scheduleName);
	const names = {
		asked: args.scheduleName,
		all: all.map(({ scheduleName }) => scheduleName),
	};
	return exactlyOne(
		"schedule",
		args,
		args.scheduleName === undefined ? [] : matching,
		all,
		describe,
		names,
	).id;
}

const describe = (item: ScheduleListItem): string =>
	`"${item.scheduleName}" (id ${item.id}, by ${item.createdBy?.username ?? "an unknown user"})`;
