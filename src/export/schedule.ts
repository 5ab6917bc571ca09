import { isValidCron } from "../schemas/cron";
import { parseInstant } from "../schemas/instant";
import type { Schedule } from "../schemas/wire/schedule";
import { declared, isWellFormed, NOT_WELL_FORMED, nameProblem } from "./declarable";
import type { Expression } from "./expression";

interface ScheduleOptions {
	/** All schedules of its name. */
	readonly ids: readonly number[];
	/** Whether this is the schedule that declares its pipeline as paused. */
	readonly paused: boolean;
	readonly teamName: string | undefined;
	readonly now: number;
}

/** The arguments that adopt a schedule as it is, or why no arguments can. */
export function describeSchedule(schedule: Schedule, options: ScheduleOptions) {
	const why = obstacle(schedule, options.ids);
	if (why !== undefined) return { why };
	const cron = schedule.cron_expression || undefined;
	const start = schedule.start_after || undefined;
	const fields: (readonly [string, Expression | undefined])[] = [
		["scheduleName", schedule.schedule_name ?? undefined],
		["pipelineName", schedule.pipeline?.name ?? undefined],
		["cronExpression", cron],
		["startAfter", cron === undefined || isAhead(start, options.now) ? start : undefined],
		["paused", options.paused ? true : undefined],
		["teamName", options.teamName],
		["adopt", true],
	];
	return { args: { fields: declared(fields) }, notes: notesOn(cron, start) };
}

/** Beside a cron the service fills in a start of its own, which means nothing once it has passed. */
const isAhead = (start: string | undefined, now: number): boolean =>
	start !== undefined && (parseInstant(start) ?? now) > now;

/** What a reader of the program should know; never a text of the service. */
function notesOn(cron: string | undefined, start: string | undefined): string[] {
	if (cron === undefined) return [];
	const notes: string[] = [];
	if (!isValidCron(cron)) {
		notes.push(
			"The service has this cron expression, so it is adopted; in a new schedule it would be refused.",
		);
	}
	if (start !== undefined && parseInstant(start) === undefined) {
		notes.push("The service shows a start time that cannot be declared; it stays as it is.");
	}
	return notes;
}

function obstacle(schedule: Schedule, ids: readonly number[]): string | undefined {
	const name = nameProblem(schedule.schedule_name);
	const cron = schedule.cron_expression || undefined;
	const start = schedule.start_after || undefined;
	if (name !== undefined) return `its name ${name}; rename it on the service`;
	if (ids.length > 1) {
		const others = [...ids].sort((a, b) => a - b).join(", ");
		return `several schedules have this name (ids ${others}), and a schedule is adopted by its name; rename or delete all but one`;
	}
	if (!schedule.pipeline?.name) return "the service does not say which pipeline it runs";
	const pipeline = nameProblem(schedule.pipeline.name);
	if (pipeline !== undefined) return `the name of its pipeline ${pipeline}`;
	if (cron !== undefined && !isWellFormed(cron)) return `its cron expression ${NOT_WELL_FORMED}`;
	if (cron === undefined && start === undefined) return "it has neither a cron expression nor a start time";
	if (cron === undefined && start !== undefined && parseInstant(start) === undefined)
		return "its start time is not a date-time that can be declared";
	return undefined;
}
