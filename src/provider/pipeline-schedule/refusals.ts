import { parseInstant } from "../../schemas/instant";
import type { Schedule, ScheduleItem } from "../../schemas/wire/schedule";
import { ADOPT_EQUAL, type Call } from "../context";
import { describe, differences } from "../shared/table";
import { ifInterrupted, ifOurs } from "../shared/ways-out";
import { resourceName } from "../urn";
import { SCHEDULE_FIELDS, type ScheduleArgs } from "./fields";

/** Why a schedule cannot be made or taken over: what, which, why, and what to do next. */

const who = (item: ScheduleItem): string => item.created_by?.username ?? "an unknown user";

/** `id 7, created by ada 3 hours ago`. */
export function identify(call: Call, item: ScheduleItem): string {
	const at = item.created_at ? parseInstant(item.created_at) : undefined;
	const age = at === undefined ? "at an unknown time" : agoText(call.time.now() - at);
	return `id ${item.id}, created by ${who(item)} ${age}`;
}

export function agoText(millis: number): string {
	const steps = [
		[86_400_000, "day"],
		[3_600_000, "hour"],
		[60_000, "minute"],
	] as const;
	for (const [length, unit] of steps) {
		const count = Math.floor(millis / length);
		if (count > 0) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
	}
	return "less than a minute ago";
}

/** The name is taken by something that this run knows nothing of. */
export function nameIsTaken(call: Call, args: ScheduleArgs, existing: Schedule): Error {
	const different = differences(SCHEDULE_FIELDS, args, existing);
	const equal =
		different.length === 0
			? "It is equal in every declared field"
			: `It differs: ${different.map((row) => describe(SCHEDULE_FIELDS, row)).join("; ")}`;
	return new Error(
		`A schedule named "${args.scheduleName}" already exists in team "${args.teamName}" (${identify(call, existing)}). ${equal}; it ` +
			"was left alone. Set adopt: true to take it over, or choose another scheduleName. " +
			`${ifOurs("has it and gives the name up")} ${ifInterrupted("it")}`,
	);
}

/** The same for a schedule that is renamed: it has an object of its own and cannot take another one over. */
export function newNameIsTaken(call: Call, args: ScheduleArgs, existing: Schedule): Error {
	return new Error(
		`Another schedule named "${args.scheduleName}" already exists in team "${args.teamName}" (${identify(call, existing)}), so ` +
			"none was renamed to it. Choose another scheduleName, or rename or delete that one first. " +
			`${ifOurs("has it and gives the name up")} ${ifInterrupted("it")}`,
	);
}

/** For a preview: another resource's turn may come later, so nobody can say yet whether the name will be free. */
export function nameMayBeTaken(
	call: Call,
	args: ScheduleArgs,
	found: readonly ScheduleItem[],
	isNew: boolean,
): string {
	const list = found.slice(0, 10).map((item) => identify(call, item));
	return (
		`${resourceName(call.urn)}: the name "${args.scheduleName}" is taken in team "${args.teamName}" (${list.join("; ")}). Unless a ` +
		`resource of this program gives it up in this deployment, it will be refused: ${isNew ? "set adopt: true to take it over, or " : ""}` +
		"choose another scheduleName."
	);
}

export function severalOfThatName(call: Call, args: ScheduleArgs, found: readonly ScheduleItem[]): Error {
	const list = found.slice(0, 10).map((item) => identify(call, item));
	return new Error(
		`Team "${args.teamName}" has ${found.length} schedules named "${args.scheduleName}": ${list.join("; ")}. Nothing was changed. ` +
			'Names must be unique to be managed: delete or rename the others, then run "pulumi up" again.',
	);
}

export function heldByOther(args: ScheduleArgs, id: string | number, other: string): Error {
	return new Error(
		`Schedule "${args.scheduleName}" (id ${id}) in team "${args.teamName}" is already managed by ` +
			`resource ${resourceName(other)} of this program. Give one of the two another scheduleName, or remove it.`,
	);
}

export function otherPipeline(args: ScheduleArgs, existing: Schedule): Error {
	return new Error(
		`Schedule "${args.scheduleName}" (id ${existing.id}) in team "${args.teamName}" runs pipeline ` +
			`"${existing.pipeline?.name ?? "unknown"}", not "${args.pipelineName}", and the service cannot move a schedule to ` +
			`another pipeline. Declare pipelineName: "${existing.pipeline?.name ?? ""}" to adopt it, or choose another scheduleName.`,
	);
}

/** The one that gives the name up could not do so, or will not be able to: somebody has the name that it wants in turn. */
export function stuckInTheWay(
	args: ScheduleArgs,
	id: number,
	should: "deleted" | "renamed",
	inItsWay?: ScheduleItem,
): Error {
	const which = `Schedule "${args.scheduleName}" (id ${id}) in team "${args.teamName}"`;
	if (inItsWay === undefined) {
		return new Error(
			`${which} should have been ${should} first, and could not be. Mend that failure, then run "pulumi up" again.`,
		);
	}
	const taken = `"${inItsWay.schedule_name ?? ""}" (id ${inItsWay.id})`;
	return new Error(
		`${which} must be ${should} first, and cannot be: the name that its resource wants in turn is taken by schedule ${taken}. ` +
			`Nothing was made. ${ifOurs("has that one and gives the name up")}`,
	);
}

export function unclear(args: ScheduleArgs, why: string): Error {
	return new Error(
		`Could not tell whether schedule "${args.scheduleName}" was created in team "${args.teamName}": ${why} It is not in the ` +
			'list so far, and it was not sent again, because that could make a second one. Run "pulumi up" again: if it was not ' +
			`created, it is made then; if it was, it is refused, and one run with ${ADOPT_EQUAL}=true takes it over.`,
	);
}
