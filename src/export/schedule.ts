import { isValidCron } from "../schemas/cron";
import { parseInstant } from "../schemas/instant";
import { objectName } from "../schemas/primitives";
import type { Schedule } from "../schemas/schedule";
import type { Expression, Fields } from "./expression";
import { isWellFormed, NOT_WELL_FORMED } from "./well-formed";

export type DescribedSchedule =
	| { readonly args: Fields; readonly why?: undefined }
	| { readonly args?: undefined; readonly why: string };

/** The arguments that adopt a schedule as it is, or why no arguments can. `ids` are all schedules of its name. */
export function describeSchedule(
	schedule: Schedule,
	ids: readonly number[],
	teamName: string | undefined,
): DescribedSchedule {
	const why = obstacle(schedule, ids);
	if (why !== undefined) return { why };
	const cron = schedule.cron_expression || undefined;
	const start = schedule.start_after || undefined;
	const fields: (readonly [string, Expression | undefined])[] = [
		["scheduleName", schedule.schedule_name ?? undefined],
		["pipelineName", schedule.pipeline?.name ?? undefined],
		["cronExpression", cron],
		// Beside a cron the service fills in a start of its own; without one it is when the schedule runs.
		["startAfter", cron === undefined ? start : undefined],
		["paused", schedule.pipeline?.status?.toUpperCase() === "PAUSED"],
		["teamName", teamName],
		["adopt", true],
	];
	return { args: { fields: declared(fields) } };
}

function obstacle(schedule: Schedule, ids: readonly number[]): string | undefined {
	const name = objectName.safeParse(schedule.schedule_name);
	const cron = schedule.cron_expression || undefined;
	const start = schedule.start_after || undefined;
	if (!name.success) return `its name ${reason(name.error)}; rename it on the service`;
	if (!isWellFormed(name.data)) return `its name ${NOT_WELL_FORMED}; rename it on the service`;
	if (ids.length > 1) {
		const others = [...ids].sort((a, b) => a - b).join(", ");
		return `several schedules have this name (ids ${others}), and a schedule is adopted by its name; rename or delete all but one`;
	}
	const pipeline = objectName.safeParse(schedule.pipeline?.name);
	if (!schedule.pipeline?.name) return "the service does not say which pipeline it runs";
	if (!pipeline.success) return `the name of its pipeline ${reason(pipeline.error)}`;
	if (!isWellFormed(pipeline.data)) return `the name of its pipeline ${NOT_WELL_FORMED}`;
	if (cron !== undefined && !isValidCron(cron)) return "its cron expression is not one that can be declared";
	if (cron === undefined && start === undefined) return "it has neither a cron expression nor a start time";
	if (cron === undefined && start !== undefined && parseInstant(start) === undefined)
		return "its start time is not a date-time that can be declared";
	return undefined;
}

const reason = (error: { readonly issues: readonly { readonly message: string }[] }): string =>
	error.issues[0]?.message ?? "cannot be declared";

/** Only what is set is declared: an omitted argument and an empty one are different things. */
export function declared(
	fields: readonly (readonly [string, Expression | undefined])[],
): (readonly [string, Expression])[] {
	return fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
