import type { ApiError } from "../../api";
import type { Schedule, ScheduleItem } from "../../schemas/schedule";
import type { ScheduleArgs } from "../../schemas/schedule-args";
import type { ProviderContext } from "../context";
import { halfReplaced } from "../shared/half-replaced";
import { getSchedule } from "./find";
import type { Difference } from "./live";

/** Why a schedule cannot be made or taken over: what, which, why, and what to do next. */

const who = (item: ScheduleItem): string => item.created_by?.username ?? "an unknown user";

export function unclear(args: ScheduleArgs, cause?: ApiError): Error {
	return new Error(
		`Could not tell whether schedule "${args.scheduleName}" was created in team "${args.teamName}": ` +
			`${cause ? cause.message : "the reply named no schedule"} It is not in the list now. Run "pulumi up" again: ` +
			`if it was created after all, it is taken over and no second one is made.`,
	);
}

export function declaredTwice(args: ScheduleArgs, existing: Schedule): Error {
	return new Error(
		`Schedule "${args.scheduleName}" (id ${existing.id}) in team "${args.teamName}" is already managed by another ` +
			`resource of this program. Give one of the two another scheduleName, or remove it. ${halfReplaced}`,
	);
}

export function alreadyThere(
	args: ScheduleArgs,
	existing: Schedule,
	different: readonly Difference[],
): Error {
	const list = different
		.map((row) => `${row.field} is ${row.live} there and ${row.declared} here`)
		.join("; ");
	return new Error(
		`A schedule named "${args.scheduleName}" already exists in team "${args.teamName}" (id ${existing.id}, created by ` +
			`${who(existing)}), and differs: ${list}. Set adopt: true to manage it and change it to what is declared, or ` +
			`choose another scheduleName.`,
	);
}

export function otherPipeline(args: ScheduleArgs, existing: Schedule): Error {
	return new Error(
		`Schedule "${args.scheduleName}" (id ${existing.id}) in team "${args.teamName}" runs pipeline ` +
			`"${existing.pipeline?.name ?? "unknown"}", not "${args.pipelineName}", and the service cannot move a schedule to ` +
			`another pipeline. Declare pipelineName: "${existing.pipeline?.name ?? ""}" to adopt it, or choose another scheduleName.`,
	);
}

export async function severalOfThatName(
	context: ProviderContext,
	args: ScheduleArgs,
	found: readonly ScheduleItem[],
): Promise<Error> {
	const all = await Promise.all(
		found.slice(0, 10).map((item) => getSchedule(context, args.teamName, item.id)),
	);
	const list = all
		.map((s) => `id ${s.id} by ${who(s)} on pipeline "${s.pipeline?.name ?? "unknown"}"`)
		.join("; ");
	return new Error(
		`Team "${args.teamName}" has ${found.length} schedules named "${args.scheduleName}": ${list}. Names must be unique to be ` +
			`managed: delete or rename the others, then run "pulumi up" again.`,
	);
}
