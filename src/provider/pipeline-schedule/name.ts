import type { ScheduleItem } from "../../schemas/wire/schedule";
import type { Call } from "../context";
import type { Fate } from "../ownership";
import type { ScheduleArgs } from "./fields";
import { scheduleRef } from "./find";
import { heldByOther, stuckInTheWay } from "./refusals";

/** How long a name that is taken by nobody we know of is waited for: another resource's diff may be under way. */
const NEWS_MILLIS = 4_000;
/** How long a schedule that this run renames or deletes is waited for. Longer, and it goes on: names may double up for a moment. */
const LEAVING_MILLIS = 5_000;

export interface Namesake {
	readonly item: ScheduleItem;
	readonly fate: Fate;
}

/** Schedules that have the name, with what this run has in mind for each; without those that it has deleted or renamed. */
export function namesakes(
	call: Call,
	args: ScheduleArgs,
	items: readonly ScheduleItem[],
	ownId?: number,
): Namesake[] {
	return items
		.filter((item) => item.schedule_name === args.scheduleName && item.id !== ownId)
		.map((item) => ({ item, fate: call.ownership.fate(scheduleRef(args.teamName, item.id)) }))
		.filter((namesake) => !hasGivenUp(args, namesake));
}

const hasGivenUp = (args: ScheduleArgs, namesake: Namesake): boolean =>
	namesake.fate.is === "gone" ||
	(namesake.fate.is === "held" && namesake.fate.settled && givesUp(args, namesake));

/** True where this run frees the name: its holder takes another one, or its own replacement deletes it. */
export const givesUp = (args: ScheduleArgs, { fate }: Namesake): boolean =>
	fate.is === "leaving" ||
	(fate.is === "held" && (fate.slot?.name !== args.scheduleName || fate.slot.team !== args.teamName));

/**
 * Waits until no resource of this run stands in the way of the name, and answers what still has it: schedules that
 * nobody in this run has spoken for. With consent to take them over nothing is waited for; with `onlyUnknown` neither
 * are those that this run frees anyway.
 */
export async function waitForName(
	call: Call,
	args: ScheduleArgs,
	options: { ownId?: number; consent: boolean; onlyUnknown?: boolean },
): Promise<readonly ScheduleItem[]> {
	const { ownership, time, urn } = call;
	const startedAt = time.now();
	let items = await call.lists.glanceSchedules(args.teamName);
	try {
		for (;;) {
			const found = namesakes(call, args, items, options.ownId);
			for (const { item, fate } of found) refuseWhatStays(args, item, fate);
			const unknown = found.filter(({ fate }) => fate.is === "unknown");
			const leaving = found.filter((namesake) => givesUp(args, namesake));
			const waited = time.now() - startedAt;
			if (unknown.length > 0 && (options.consent || waited >= NEWS_MILLIS)) {
				// What the list of a moment ago shows may be gone by now.
				items = await call.lists.freshSchedules(args.teamName);
				const still = namesakes(call, args, items, options.ownId);
				return still.filter(({ fate }) => fate.is === "unknown").map(({ item }) => item);
			}
			if (unknown.length === 0 && (options.onlyUnknown || isFree(leaving, waited))) return [];
			await ownership.news(time, 250);
		}
	} finally {
		ownership.doneWaiting(urn);
	}

	function isFree(leaving: readonly Namesake[], waited: number): boolean {
		// A delete that is under way ends by itself, and it waits for nobody.
		if (leaving.some(({ fate }) => fate.is === "leaving" && fate.started)) return false;
		return (
			waited >= LEAVING_MILLIS ||
			leaving.every(
				({ item, fate }) =>
					(fate.is === "leaving" && fate.by === urn) ||
					!ownership.await(urn, scheduleRef(args.teamName, item.id)),
			)
		);
	}
}

function refuseWhatStays(args: ScheduleArgs, item: ScheduleItem, fate: Fate): void {
	if (fate.is === "stuck") throw stuckInTheWay(args, item.id);
	if (fate.is === "held" && !givesUp(args, { item, fate })) throw heldByOther(args, item.id, fate.by);
}
