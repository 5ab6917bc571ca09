import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, ServerError } from "../../api";
import type { Schedule, ScheduleItem } from "../../schemas/schedule";
import type { ScheduleArgs } from "../../schemas/schedule-args";
import type { ProviderContext } from "../context";
import { PartlyDoneError } from "../handler";
import { compact } from "../shared/json";
import { findByName, getSchedule } from "./find";
import { differences, isPaused, isPausedPipeline } from "./live";
import { alreadyThere, declaredTwice, otherPipeline, severalOfThatName, unclear } from "./refusals";
import { applyArgs, setPipelinePaused } from "./write";

export interface Made {
	readonly live: Schedule;
	readonly adopted: boolean;
}

/**
 * Makes the schedule, or takes the one that is already there. An existing schedule is taken when the user asks for
 * it (`adopt`), or when it equals the declared one in every field: that is what a lost reply or a killed deployment
 * leaves behind, and making another would run the pipeline twice.
 */
export async function makeOrTake(context: ProviderContext, args: ScheduleArgs): Promise<Made> {
	const [first, ...others] = await findExisting(context, args);
	if (first === undefined) return { live: await make(context, args), adopted: false };
	if (others.length > 0) throw await severalOfThatName(context, args, [first, ...others]);
	const existing = await getSchedule(context, args.teamName, first.id);
	if (context.ownership.isOwned(args.teamName, String(existing.id))) throw declaredTwice(args, existing);
	const different = differences(args, existing);
	if (different.length === 0) return { live: existing, adopted: args.adopt === true };
	if (!args.adopt) throw alreadyThere(args, existing, different);
	if (different.some((row) => row.field === "pipelineName")) throw otherPipeline(args, existing);
	return { live: await applyArgs(context, args, existing, { clearStart: false }), adopted: true };
}

/**
 * A list from a moment ago is enough to see that a name is free, unless this process has used it since; whatever it
 * shows is looked up again, because the schedule may be gone by now (its replacement deletes it first).
 */
async function findExisting(context: ProviderContext, args: ScheduleArgs): Promise<ScheduleItem[]> {
	const { teamName: team, scheduleName: name } = args;
	const used = context.ownership.isUsedName(team, name);
	context.ownership.useName(team, name);
	const recent = await context.lists.recentSchedules(team);
	if (!used && !recent.some((item) => item.schedule_name === name)) return [];
	return findByName(context, team, name);
}

async function make(context: ProviderContext, args: ScheduleArgs): Promise<Schedule> {
	// The pipeline is paused or resumed first: a schedule left behind by a kill is then already as declared, and a
	// paused one cannot fire in between.
	if ((await isPipelinePaused(context, args)) !== args.paused) await setPipelinePaused(context, args);
	const id = await createOnce(context, args);
	context.lists.drop(args.teamName);
	try {
		const made = await getSchedule(context, args.teamName, id);
		if (isPaused(made) === args.paused || !made.pipeline) return made;
		await setPipelinePaused(context, args);
		return await getSchedule(context, args.teamName, id);
	} catch (error) {
		const outs = { ...args, scheduleId: id, adopted: false, serviceUrl: context.serviceUrl };
		const why = error instanceof Error ? error.message : String(error);
		throw new PartlyDoneError(
			String(id),
			compact(outs),
			`Schedule "${args.scheduleName}" (id ${id}) was created in team "${args.teamName}", but could not be verified: ${why}`,
		);
	}
}

async function isPipelinePaused(context: ProviderContext, args: ScheduleArgs): Promise<boolean> {
	const recent = await context.lists.recentPipelines(args.teamName);
	const pipeline =
		recent.find((candidate) => candidate.name === args.pipelineName) ??
		(await context.client.pipelines.status({ team_name: args.teamName, name: args.pipelineName }));
	return isPausedPipeline(pipeline);
}

/** Sends the request until it surely had its effect once; never again while it may still take effect. */
async function createOnce(context: ProviderContext, args: ScheduleArgs, mayRepeat = true): Promise<number> {
	context.lists.drop(args.teamName);
	try {
		const reply = await context.client.schedules.create({
			team_name: args.teamName,
			schedule_name: args.scheduleName,
			pipeline_name: args.pipelineName,
			...(args.cronExpression !== undefined && { cron_expression: args.cronExpression }),
			...(args.startAfter !== undefined && { start_after: args.startAfter }),
		});
		if (reply.schedule) return reply.schedule.id;
	} catch (error) {
		if (!(error instanceof ApiError) || error.received === false) throw error;
		const id = await lookFor(context, args);
		if (id !== undefined) return id;
		// A service that answered 500 or 503 is done with the request; a gateway's 502 or 504 says nothing of what
		// still runs behind it.
		const answered = error instanceof ServerError && (error.status === 500 || error.status === 503);
		if (answered && mayRepeat) return createOnce(context, args, false);
		throw unclear(args, error);
	}
	const id = await lookFor(context, args);
	if (id === undefined) throw unclear(args);
	return id;
}

/** Looks for the schedule whose reply was lost: the work may be finished a little later than the connection. */
async function lookFor(context: ProviderContext, args: ScheduleArgs): Promise<number | undefined> {
	for (const pause of context.graceMillis) {
		await sleep(pause);
		const [item] = await findByName(context, args.teamName, args.scheduleName);
		if (item !== undefined) return item.id;
	}
	return undefined;
}
