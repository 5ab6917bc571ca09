import { pollUntil } from "../../../client/read-back";
import { missingIsUndefined } from "../../../operations/pipelines";
import { foldName } from "../../../schemas/primitives";
import type { Schedule } from "../../../schemas/wire/schedule";
import { parseInstant, showInstant, showInstantOf } from "../../../text/instant";
import type { Props } from "../../model/props";
import { differences } from "../../model/table";
import type { Call } from "../../run/context";
import type { Candidate, NameRequest } from "../../run/name-check";
import { isYoung, refuseOtherService } from "../../run/outcome";
import type { ObjectRef } from "../../run/owners";
import {
	firstPipelinesByName,
	type ListedSchedule,
	nameOf,
	namesakesIn,
	runsBySchedule,
	schedulesById,
} from "../../run/team-lists";
import { duplicatesOf } from "./duplicates";
import { SCHEDULE_FIELDS } from "./fields";
import { pipelineOf, unreadable } from "./messages";

export const refOf = (team: string, id: number): ObjectRef => ({
	kind: "PipelineSchedule",
	team,
	id: String(id),
});

export function numericId(id: string): number {
	const value = Number(id);
	if (Number.isSafeInteger(value) && String(value) === id) return value;
	throw new Error(
		`"${id}" is not the id of a schedule: ids are whole numbers, shown by "pulumi-datachain schedules".`,
	);
}

export const getSchedule = (call: Call, team: string, id: number): Promise<Schedule> =>
	call.client.schedules.get({ team_name: team, schedule_id: id });

/** Compares the schedule with the declaration. The list omits the pipeline, which then counts as the declared one. */
export function candidateOf(
	inputs: Props,
	live: Schedule & ListedSchedule,
): Candidate<Schedule> {
	const different = differences(SCHEDULE_FIELDS, inputs, live).map(
		({ field }) => field,
	);
	const isReadable = unreadable(live) === undefined;
	return {
		id: String(live.id),
		live,
		equal: isReadable && different.length === 0,
		// Consent is to the schedule of the declared name, not to that of another spelling.
		fits: isReadable
			? !different.includes("pipelineName") && !different.includes("scheduleName")
			: undefined,
	};
}

/** The schedules of the name. A cached list may omit one that this run created, so it is added. */
export async function namesakes(
	call: Call,
	{ team, name, inputs }: NameRequest,
	from: "recent" | "now",
): Promise<Candidate<Schedule>[]> {
	const namesakes = namesakesIn(await call.lists.schedules(team, from), name);
	const made = duplicatesOf(call).madeAs(team, name);
	const unlisted =
		made !== undefined && !namesakes.some(({ id }) => id === made.id)
			? [{ id: made.id, schedule_name: made.name }]
			: [];
	return [...namesakes, ...unlisted].map((item) => candidateOf(inputs, item));
}

/** The schedule as the shared lists show it; undefined means only that the lists do not tell enough. */
export async function readFromLists(
	call: Call,
	id: string,
	recorded: Props,
	from: "shared" | "recent",
): Promise<Schedule | undefined> {
	const team = String(recorded.teamName);
	const scheduleId = numericId(id);
	// Without a state (`PipelineSchedule.get`) there is no pipeline name to look for in the lists; without the moment of
	// creation a state knows its schedule by the pipeline, which the list does not tell.
	if (
		typeof recorded.pipelineName !== "string" ||
		typeof recorded.createdAt !== "string"
	)
		return undefined;
	const { schedules, pipelines } = call.lists;
	const [items, all] = await Promise.all([
		schedules(team, from),
		pipelines(team, from),
	]);
	const item = schedulesById(items).get(scheduleId);
	// The list leaves out the pipeline; no request can give a schedule another one, so the known name still holds.
	const pipeline = firstPipelinesByName(all).get(recorded.pipelineName);
	if (item === undefined || item.unreadable !== undefined || pipeline === undefined)
		return undefined;
	const runs = runsBySchedule(all).get(item.schedule_name) ?? [];
	const newestRun = runs.find(
		({ pipeline_id }) => pipeline_id !== pipeline.pipeline_id,
	);
	const detailed = { ...item, pipeline, latest_run: newestRun };
	// A list may show times in another form; a direct request decides whether it is another schedule.
	return isSameSchedule(recorded, detailed) ? detailed : undefined;
}

/**
 * The schedule, or undefined if the service itself says that it is gone: a direct request answers 404 in its own words,
 * and the team's list does not have it either. What was made a moment ago, and what the list still shows, is asked for again.
 */
export async function getUnlessGone(
	call: Call,
	team: string,
	id: number,
	recorded: Props,
): Promise<Schedule | undefined> {
	/** `listed` also if the list still has what a direct request does not know. */
	const look = async () => {
		const live = await getSchedule(call, team, id).catch(missingIsUndefined);
		if (live !== undefined) return { live, listed: true };
		// Retries do not make another service show it.
		refuseOtherService(
			call,
			recorded,
			`Schedule ${id} of team "${team}" was not found`,
		);
		return { live, listed: await isListed(call, team, id) };
	};
	const { live, listed } = await pollUntil(
		call,
		look,
		(reading) =>
			reading.live !== undefined || !(reading.listed || isYoung(call, recorded)),
	);
	if (live !== undefined) refuseOtherSchedule(call, team, recorded, live);
	else if (listed)
		throw new Error(
			`Schedule ${id} of team "${team}" is in the service's list, but a direct request for it returns 404. ` +
				"Nothing was changed. Run the command again in a minute; if that does not help, contact the operator of the service.",
		);
	return live;
}

export const isListed = async (
	call: Call,
	team: string,
	id: number,
): Promise<boolean> => schedulesById(await call.lists.schedules(team, "now")).has(id);

/** Some services round times in one reply and not in another. */
const ROUNDING_MILLIS = 1_000;

/**
 * Rule 1: whether the schedule under the id is the one in the state. Another installation of the service has the same ids,
 * and a service may use an id again; the moment of creation does not repeat. A state that was kept after a failure may not
 * know it: then name and pipeline must be the ones in the state.
 */
export function isSameSchedule(recorded: Props, live: Schedule): boolean {
	const before = parseInstant(String(recorded.createdAt));
	const now = parseInstant(String(live.created_at));
	if (before !== undefined && now !== undefined)
		return Math.abs(before - now) <= ROUNDING_MILLIS;
	if (recorded.scheduleName === undefined) return true;
	const isNamed = foldName(nameOf(live)) === foldName(String(recorded.scheduleName));
	return (
		isNamed && (!live.pipeline?.name || live.pipeline.name === recorded.pipelineName)
	);
}

export function refuseOtherSchedule(
	call: Call,
	team: string,
	recorded: Props,
	live: Schedule,
): void {
	if (isSameSchedule(recorded, live)) return;
	const before = parseInstant(String(recorded.createdAt));
	const expected =
		before === undefined
			? `"${String(recorded.scheduleName)}" on pipeline "${String(recorded.pipelineName)}"`
			: `one that was created at ${showInstant(String(recorded.createdAt))}`;
	const actual =
		before === undefined
			? `"${nameOf(live)}" on pipeline "${pipelineOf(live)}"`
			: `created at ${showInstantOf(live.created_at)}`;
	throw new Error(
		`Schedule ${live.id} of team "${team}" at ${call.serviceUrl} is another schedule: it is ${actual}, and the state expects ` +
			`${expected}. Nothing was changed. Check that the connection points to the right service (DATACHAIN_STUDIO_URL or ` +
			"datachain:baseUrl). If it does, the schedule was deleted and its id was given to another one: remove the resource from the " +
			'state with "pulumi state delete <urn>", then run "pulumi up".',
	);
}
