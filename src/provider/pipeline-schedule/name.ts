import type { ScheduleItem } from "../../schemas/wire/schedule";
import type { Call } from "../context";
import type { Fate } from "../ownership";
import { differences } from "../shared/table";
import { byName } from "../shared/twins";
import { LEAVING_MILLIS, NEWS_MILLIS } from "../time";
import { SCHEDULE_FIELDS, type ScheduleArgs } from "./fields";
import { scheduleRef } from "./find";
import { heldByOther, stuckInTheWay } from "./refusals";

interface Namesake {
	readonly item: ScheduleItem;
	readonly fate: Fate;
}

/** Schedules that have the name, with what this run has in mind for each; without those that it has deleted or renamed. */
function namesakes(
	call: Call,
	args: ScheduleArgs,
	items: readonly ScheduleItem[],
	ownId?: number,
): Namesake[] {
	return (byName(items).get(args.scheduleName) ?? [])
		.filter((item) => item.id !== ownId)
		.map((item) => ({ item, fate: call.ownership.fate(scheduleRef(args.teamName, item.id)) }))
		.filter((namesake) => !hasGivenUp(args, namesake));
}

const hasGivenUp = (args: ScheduleArgs, namesake: Namesake): boolean =>
	namesake.fate.is === "gone" ||
	(namesake.fate.is === "held" && namesake.fate.written === "done" && givesUp(args, namesake));

/** True where this run frees the name: its holder takes another one, or its own replacement deletes it. */
const givesUp = (args: ScheduleArgs, { fate }: Namesake): boolean =>
	fate.is === "leaving" ||
	(fate.is === "held" && (fate.slot?.name !== args.scheduleName || fate.slot.team !== args.teamName));

/** Who asks for the name. A rename keeps its own schedule, and cannot take another one over; a replacement gives it up. */
interface Asker {
	readonly ownId?: number;
	readonly isRename?: true;
}

/**
 * Schedules of the name that nobody in this run has spoken for. Those in this stack's own state are among them only
 * where the resource says `adopt`: their own resource renames or deletes them later, or is refused for the name.
 */
export function strangers(
	call: Call,
	args: ScheduleArgs,
	items: readonly ScheduleItem[],
	asker: Asker = {},
): ScheduleItem[] {
	const takesOurs = !asker.isRename && args.adopt === true;
	return namesakes(call, args, items, asker.ownId)
		.filter(({ fate }) => fate.is === "unknown" && (!fate.ours || takesOurs))
		.map(({ item }) => item);
}

/**
 * Waits until no resource of this run stands in the way of the name, and answers what still has it: schedules that
 * could be taken over with the user's consent. Where there is consent they are not waited for. Names may double up for
 * a moment, where the engine lets the resource that frees the name come only later.
 */
export async function waitForName(
	call: Call,
	args: ScheduleArgs,
	asker: Asker = {},
): Promise<readonly ScheduleItem[]> {
	const { ownership, time, urn } = call;
	const isReplacement = asker.ownId !== undefined && !asker.isRename;
	const consent = !asker.isRename && (args.adopt === true || call.adoptEqual);
	const startedAt = time.now();
	let items = await call.lists.glanceSchedules(args.teamName);
	try {
		for (;;) {
			const found = namesakes(call, args, items, asker.ownId);
			for (const { item, fate } of found) refuseWhatStays(args, item, fate);
			const waited = time.now() - startedAt;
			if (strangers(call, args, items, asker).length > 0) {
				if (consent || waited >= NEWS_MILLIS) {
					// What the list of a moment ago shows may be gone by now.
					items = await call.lists.freshSchedules(args.teamName);
					const left = strangers(call, args, items, asker);
					// A resource of this run may have spoken for it while the list was read: then it is waited for like any other.
					if (left.length > 0 || namesakes(call, args, items, asker.ownId).length === 0) return left;
					continue;
				}
			} else if (isReplacement) {
				return [];
			} else if (isFree(found, waited)) {
				const [stuck] = found.flatMap((namesake) => willStay(namesake) ?? []);
				if (stuck === undefined) return [];
				if (waited >= NEWS_MILLIS) throw stuck;
			}
			await ownership.news(time, 250);
		}
	} finally {
		ownership.doneWaiting(urn);
	}

	function isFree(found: readonly Namesake[], waited: number): boolean {
		// Its own resource's turn may come yet, so that the name need not double up.
		if (found.some(({ fate }) => fate.is === "unknown")) return waited >= NEWS_MILLIS;
		const leaving = found.filter((namesake) => givesUp(args, namesake));
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

	/** The refusal for whoever waits for a name that its holder will not be able to give up. */
	function willStay(namesake: Namesake): Error | undefined {
		const other = inItsWay(call, items, namesake);
		const should = namesake.fate.is === "held" ? "renamed" : "deleted";
		return other && stuckInTheWay(args, namesake.item.id, should, other);
	}
}

/**
 * What keeps the resource that shall give the name up from doing so: a schedule of nobody we know that has the name it
 * wants in turn. Whoever went ahead would leave two of the first name, because that resource will be refused.
 */
function inItsWay(
	call: Call,
	items: readonly ScheduleItem[],
	{ item, fate }: Namesake,
	seen: readonly number[] = [],
): ScheduleItem | undefined {
	const wants = fate.is === "leaving" || fate.is === "held" ? call.declared.get(fate.by) : undefined;
	if (wants === undefined || seen.includes(item.id)) return undefined;
	const args = wants as unknown as ScheduleArgs;
	const isRename = fate.is === "held";
	const asker = { ownId: item.id, ...(isRename && { isRename }) };
	const stranger = strangers(call, args, items, asker).find(
		(other) => isRename || !hasConsent(call, args, other),
	);
	if (stranger !== undefined || !isRename) return stranger;
	// A rename waits for its new name, and a delete for nobody.
	return namesakes(call, args, items, item.id)
		.map((namesake) => inItsWay(call, items, namesake, [...seen, item.id]))
		.find((found) => found !== undefined);
}

/** The user's consent to take the schedule over: the resource's own, or the run's for what is equal. */
export const hasConsent = (call: Call, args: ScheduleArgs, existing: ScheduleItem): boolean =>
	args.adopt === true || (call.adoptEqual && differences(SCHEDULE_FIELDS, args, existing).length === 0);

function refuseWhatStays(args: ScheduleArgs, item: ScheduleItem, fate: Fate): void {
	if (fate.is === "stuck") throw stuckInTheWay(args, item.id, "deleted");
	if (fate.is === "held" && fate.written === "failed") throw stuckInTheWay(args, item.id, "renamed");
	if (fate.is === "held" && !givesUp(args, { item, fate })) throw heldByOther(args, item.id, fate.by);
}
