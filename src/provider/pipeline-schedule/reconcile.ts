import { formatInstant } from "../../schemas/instant";
import type { Schedule } from "../../schemas/wire/schedule";
import type { Call } from "../context";
import { PartlyDoneError, type Props } from "../handler";
import { changes, type Difference, describe, differences, liveInputs, toWire } from "../shared/table";
import { SCHEDULE_FIELDS, type ScheduleArgs, UPDATE_FIELDS } from "./fields";
import { getSchedule, scheduleRef } from "./find";
import { scheduleOuts } from "./outputs";

/**
 * The one way in which a schedule comes to what is declared: for one just made, one taken over, and one that changes.
 * Sends what differs from the state or from the service, then reads back until the service shows it. A reply to a
 * write is not believed; what stays different after all patience is an error that keeps the id. `olds` is what the state
 * has: a field that differs from it is written, whatever a read that may be stale shows. It is empty for an adoption.
 */
export async function reconcile(
	call: Call,
	args: ScheduleArgs,
	live: Schedule,
	{ olds, adopted }: { olds: Props; adopted: boolean },
): Promise<Schedule> {
	const { id } = live;
	const fromState = Object.keys(olds).length > 0 ? changes(SCHEDULE_FIELDS, olds, args) : [];
	const fromLive = differences(SCHEDULE_FIELDS, args, live);
	const sent = new Set([...fromState, ...fromLive].map(({ field }) => field));
	await send(call, args, id, sent, olds);
	let now = live;
	let different: Difference[] = [];
	for (const pause of [0, ...call.patience]) {
		if (pause > 0) await call.time.sleep(pause);
		// What was just read, and needed no write, is not read again.
		if (sent.size > 0) now = await getSchedule(call, args.teamName, id);
		different = differences(SCHEDULE_FIELDS, args, now);
		if (different.length === 0) break;
		const missed = new Set(different.map(({ field }) => field).filter((field) => !sent.has(field)));
		// The update is promised only to pause; the pipeline's own requests pause and resume.
		if (different.some(({ field }) => field === "paused") && !sent.has("paused itself")) {
			sent.add("paused itself");
			await setPipelinePaused(call, args, args.paused === true);
		}
		// Somebody else changed it since it was compared.
		for (const field of missed) sent.add(field);
		await send(call, args, id, missed, {});
	}
	call.lists.drop(args.teamName);
	const keepsOldName = different.some(({ field }) => field === "scheduleName");
	call.ownership.settle(scheduleRef(args.teamName, id), keepsOldName ? "failed" : "done");
	if (different.length === 0) return now;
	// The state must show what is there, not what was wished, or the next deployment would see nothing to do.
	const actual = scheduleOuts(call, liveInputs(SCHEDULE_FIELDS, args, now), now, adopted);
	throw new PartlyDoneError(String(id), actual, notAsDeclared(args, id, different));
}

/** Sends those of the fields that an update can carry, if there are any. */
async function send(
	call: Call,
	args: ScheduleArgs,
	id: number,
	fields: ReadonlySet<string>,
	olds: Props,
): Promise<void> {
	const body = toWire(
		SCHEDULE_FIELDS,
		UPDATE_FIELDS.filter((field) => fields.has(field)),
		args,
	);
	// A start time that is no longer declared must not hold the schedule back; no request unsets it, so it becomes now.
	if (olds.startAfter !== undefined && args.startAfter === undefined) {
		body.start_after = formatInstant(call.time.now());
	}
	if (Object.keys(body).length === 0) return;
	call.lists.drop(args.teamName);
	await call.client.schedules.update({ team_name: args.teamName, schedule_id: id, ...body });
}

export async function setPipelinePaused(call: Call, args: ScheduleArgs, paused: boolean): Promise<void> {
	const target = { team_name: args.teamName, name: args.pipelineName };
	call.lists.drop(args.teamName);
	await (paused ? call.client.pipelines.pause(target) : call.client.pipelines.resume(target));
}

function notAsDeclared(args: ScheduleArgs, id: number, different: readonly Difference[]): string {
	const list = different.map((row) => describe(SCHEDULE_FIELDS, row)).join("; ");
	return (
		`The service accepted schedule "${args.scheduleName}" (id ${id}) in team "${args.teamName}", but shows other values: ` +
		`${list}. Run "pulumi up" again; if it stays, compare the schedule in the web UI.`
	);
}
