import { describeCron, isValidCron, sameCron } from "../../schemas/cron";
import { sameInstant } from "../../schemas/instant";
import type { Pipeline } from "../../schemas/pipeline";
import type { Schedule } from "../../schemas/schedule";
import { SCHEDULE_INPUTS, type ScheduleArgs } from "../../schemas/schedule-args";
import type { User } from "../../schemas/user";
import type { ProviderContext } from "../context";
import type { Props } from "../handler";
import { pick, setOnly } from "../shared/json";

/** Pause acts on the schedule's pipeline; a schedule has no state of its own. */
export const isPaused = (schedule: Schedule): boolean => isPausedPipeline(schedule.pipeline);

export const isPausedPipeline = (pipeline: Pipeline | null | undefined): boolean =>
	pipeline?.status?.toUpperCase() === "PAUSED";

export interface Difference {
	readonly field: string;
	readonly declared: string;
	readonly live: string;
}

/** What is declared and what the service shows, field by field, where the two differ in meaning. */
export function differences(args: ScheduleArgs, live: Schedule): Difference[] {
	const rows: { field: string; declared?: string; live?: string; same: boolean }[] = [
		row("scheduleName", args.scheduleName, live.schedule_name),
		row("pipelineName", args.pipelineName, live.pipeline?.name),
		row("cronExpression", args.cronExpression, live.cron_expression, sameCron),
		row("paused", String(args.paused), String(isPaused(live))),
	];
	// A start time that nobody declared is the service's own.
	if (args.startAfter !== undefined)
		rows.push(row("startAfter", args.startAfter, live.start_after, sameInstant));
	return rows
		.filter((r) => !r.same)
		.map((r) => ({ field: r.field, declared: r.declared ?? "not set", live: r.live ?? "not set" }));
}

function row(
	field: string,
	declared: string | undefined,
	found: string | null | undefined,
	same: (a: string, b: string) => boolean = (a, b) => a === b,
) {
	// A service may send an empty text for what is not set.
	const live = found || undefined;
	const equal = declared === undefined || live === undefined ? declared === live : same(declared, live);
	return { field, declared, live, same: equal };
}

/**
 * The inputs as the service has them now, with exactly the keys the user set. Where only the spelling differs, the
 * user's stays. A cron that someone added to a one-time schedule shows up, because it changes when things run.
 */
export function liveInputs(known: Props, live: Schedule): Props {
	const cron = live.cron_expression || undefined;
	const start = live.start_after || undefined;
	return setOnly({
		...pick(known, SCHEDULE_INPUTS),
		scheduleName: live.schedule_name ?? known.scheduleName,
		pipelineName: live.pipeline?.name ?? known.pipelineName,
		paused: live.pipeline ? isPaused(live) : known.paused,
		cronExpression: keepSpelling(known.cronExpression, cron, sameCron),
		startAfter:
			known.startAfter === undefined ? undefined : keepSpelling(known.startAfter, start, sameInstant),
	});
}

function keepSpelling(known: unknown, live: string | undefined, same: (a: string, b: string) => boolean) {
	return typeof known === "string" && live !== undefined && same(known, live) ? known : live;
}

/** Everything the resource shows: its inputs, and what the service adds to them. */
export function scheduleOuts(
	context: ProviderContext,
	inputs: Props,
	live: Schedule,
	adopted: boolean,
): Props {
	const cron = inputs.cronExpression;
	return setOnly({
		...inputs,
		scheduleId: live.id,
		nextRun: live.next_run,
		createdAt: live.created_at,
		updatedAt: live.updated_at,
		createdBy: live.created_by ? userOut(live.created_by) : undefined,
		latestRun: live.latest_run ? pipelineSummary(live.latest_run) : undefined,
		pipeline: live.pipeline ? pipelineSummary(live.pipeline) : undefined,
		cronDescription: typeof cron === "string" && isValidCron(cron) ? describeCron(cron) : undefined,
		adopted,
		serviceUrl: context.serviceUrl,
	});
}

const userOut = (user: User): Props =>
	setOnly({ username: user.username, firstName: user.first_name, lastName: user.last_name });

/**
 * A pipeline without its environment, error texts and code: the engine encrypts a value only under the key of a
 * secret input, so a copy of the API's reply would put the pipeline's secrets into the state in clear.
 */
export const pipelineSummary = (pipeline: Pipeline): Props =>
	setOnly({
		pipelineId: pipeline.pipeline_id,
		name: pipeline.name,
		status: pipeline.status,
		triggeredFrom: pipeline.triggered_from,
		completed: pipeline.completed,
		total: pipeline.total,
		createdAt: pipeline.created_at,
		updatedAt: pipeline.updated_at,
	});
