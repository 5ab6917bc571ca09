import { isPausedPipeline } from "../../schemas/pipeline-status";
import type { Schedule, ScheduleItem } from "../../schemas/wire/schedule";
import type { Call } from "../context";
import { PartlyDoneError } from "../handler";
import { failureIsUndefined, makeOnce } from "../runs/send-once";
import { BeforeRequest } from "../shared/before-request";
import { compact } from "../shared/json";
import { perList } from "../shared/per-list";
import { differences, toWire } from "../shared/table";
import { seenSoon } from "../time";
import { CREATE_FIELDS, SCHEDULE_FIELDS, type ScheduleArgs } from "./fields";
import { getOrMissing, getSchedule, scheduleRef } from "./find";
import { hasConsent, waitForName } from "./name";
import { reconcile, setPipelinePaused } from "./reconcile";
import { heldByOther, nameIsTaken, otherPipeline, severalOfThatName, unclear } from "./refusals";

type Before = BeforeRequest<number>;

const beforeRequest = perList((items: readonly ScheduleItem[]): Before => new BeforeRequest(items));

/** Makes the schedule; one that is already there is taken only with the user's consent, and refused otherwise. */
export async function makeOrAdopt(
	call: Call,
	args: ScheduleArgs,
): Promise<{ live: Schedule; adopted: boolean }> {
	const madeHere = call.twins.idOf(args.teamName, args.scheduleName);
	const holder = madeHere && call.ownership.holder(scheduleRef(args.teamName, madeHere));
	if (holder && holder !== call.urn) throw heldByOther(args, madeHere, holder);
	for (;;) {
		const [first, ...others] = await waitForName(call, args);
		if (first === undefined) return { live: await make(call, args), adopted: false };
		if (others.length > 0) throw severalOfThatName(call, args, [first, ...others]);
		// Listed, but gone by now: the name is free.
		const existing = await getOrMissing(call, args.teamName, first.id, {});
		if (existing === undefined || isFreedLater(call, args, existing))
			return { live: await make(call, args), adopted: false };
		const taken = await adopt(call, args, existing);
		if (taken !== undefined) return { live: taken, adopted: true };
	}
}

/** A schedule of this stack's own that cannot be taken over, because it runs another pipeline: its resource gives the name up. */
function isFreedLater(call: Call, args: ScheduleArgs, existing: Schedule): boolean {
	const fate = call.ownership.fate(scheduleRef(args.teamName, existing.id));
	return fate.is === "unknown" && fate.ours && existing.pipeline?.name !== args.pipelineName;
}

/** Undefined where a resource of this run has spoken for the schedule in the meantime. */
async function adopt(call: Call, args: ScheduleArgs, existing: Schedule): Promise<Schedule | undefined> {
	if (!hasConsent(call, args, existing)) throw nameIsTaken(call, args, existing);
	const different = differences(SCHEDULE_FIELDS, args, existing);
	if (different.some((row) => row.field === "pipelineName")) throw otherPipeline(args, existing);
	if (!call.ownership.take(call.urn, scheduleRef(args.teamName, existing.id))) return undefined;
	return reconcile(call, args, existing, { olds: {}, adopted: true });
}

async function make(call: Call, args: ScheduleArgs): Promise<Schedule> {
	refuseTwins(call);
	// Pause and resume come first: a paused pipeline's schedule cannot fire in between, and a failure leaves nothing made.
	if (args.paused !== undefined && (await isPipelinePaused(call, args)) !== args.paused) {
		await setPipelinePaused(call, args, args.paused);
	}
	const before = beforeRequest(await call.lists.glanceSchedules(args.teamName));
	const made = await createOnce(call, args, before);
	call.lists.drop(args.teamName);
	call.ownership.take(call.urn, scheduleRef(args.teamName, made.id));
	call.twins.add({ team: args.teamName, name: args.scheduleName, id: made.id, at: call.time.now() });
	try {
		const live = await reconcile(call, args, made.live, { olds: args, adopted: false });
		if (call.twins.isDue(call.time.now())) await call.lists.freshSchedules(args.teamName);
		refuseTwins(call);
		return live;
	} catch (error) {
		if (error instanceof PartlyDoneError) throw error;
		const why = error instanceof Error ? error.message : String(error);
		const createdAt = made.live.created_at;
		const outs = { ...args, scheduleId: made.id, createdAt, adopted: false, serviceUrl: call.serviceUrl };
		throw new PartlyDoneError(
			String(made.id),
			compact(outs),
			`Schedule "${args.scheduleName}" (id ${made.id}) was created in team "${args.teamName}", but: ${why}`,
		);
	}
}

/** Says what the lists read so far give away: names made twice end the run, gaps in a list are told. */
function refuseTwins(call: Call): void {
	const absent = call.twins.takeAbsent();
	if (absent.length > 0) {
		call.notice(
			`The service's list does not show what was just made: ${absent.join(", ")}. It lags behind or is cut, so a second ` +
				'schedule of the same name might go unseen. "pulumi refresh" looks again.',
		);
	}
	const problem = call.twins.problem();
	if (problem !== undefined) throw new Error(problem);
}

async function isPipelinePaused(call: Call, args: ScheduleArgs): Promise<boolean> {
	const recent = await call.lists.glancePipelines(args.teamName);
	const pipeline =
		recent.find((candidate) => candidate.name === args.pipelineName) ??
		(await call.client.pipelines.status({ team_name: args.teamName, name: args.pipelineName }));
	return isPausedPipeline(pipeline);
}

interface Created {
	readonly id: number;
	readonly live: Schedule;
}

/** Where the reply is lost or names something else, the schedule is looked for in the list. */
async function createOnce(call: Call, args: ScheduleArgs, before: Before): Promise<Created> {
	const { teamName: team } = args;
	const get = (id: number) => getSchedule(call, team, id).catch(failureIsUndefined);
	const send = async () => {
		const { schedule } = await call.client.schedules.create({
			team_name: team,
			schedule_name: args.scheduleName,
			pipeline_name: args.pipelineName,
			...toWire(SCHEDULE_FIELDS, CREATE_FIELDS, args),
		});
		if (!schedule) return "the reply named no schedule.";
		const { id } = schedule;
		const live = await seenSoon(call, () => get(id));
		// An id whose schedule was never seen may be anybody's.
		if (live === undefined) return `the reply named schedule ${id}, which could not be read.`;
		if (isProductOf(args, live, before)) return { id, live };
		return `the reply named schedule ${id}, which is not the one that was asked for and was left alone.`;
	};
	const find = async () => {
		const items = await call.lists.freshSchedules(team);
		for (const { id } of items.filter((item) => isNewNamesake(call, args, item, before))) {
			const live = await get(id);
			if (live !== undefined && isProductOf(args, live, before)) return { id, live };
		}
		return undefined;
	};
	call.lists.drop(team);
	return makeOnce(call, send, find, (why) => unclear(args, why));
}

const isNewNamesake = (call: Call, args: ScheduleArgs, item: ScheduleItem, before: Before): boolean =>
	item.schedule_name === args.scheduleName &&
	!before.has(item.id) &&
	call.ownership.fate(scheduleRef(args.teamName, item.id)).is === "unknown";

/** Whether the schedule is what our own request made: new since before it, and equal to what was sent. */
function isProductOf(args: ScheduleArgs, live: Schedule, before: Before): boolean {
	if (!before.mayHaveMade(live)) return false;
	const different = differences(SCHEDULE_FIELDS, args, live).map(({ field }) => field);
	return !different.includes("scheduleName") && !different.includes("pipelineName");
}
