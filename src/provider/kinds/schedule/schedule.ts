import { InvalidRequestError, NotFoundError } from "../../../client";
import { pollUntilDefinedAfterWrite } from "../../../client/read-back";
import { missingIsUndefined, sendPause } from "../../../operations/pipelines";
import { foldName } from "../../../schemas/primitives";
import type { Schedule } from "../../../schemas/wire/schedule";
import { formatInstant, parseInstant, showInstantOf } from "../../../text/instant";
import { resourceName } from "../../model/messages";
import { containsUnknown, type Props } from "../../model/props";
import { checkFields, described, differences, isSent, toWire } from "../../model/table";
import type { Call } from "../../run/context";
import type { Change, NamedKind, Plan } from "../../run/kind";
import { namedLifecycle } from "../../run/named-lifecycle";
import { nameOf, schedulesById, schedulesByName } from "../../run/team-lists";
import { checkLive, checkRules, defaultName, timeOuts } from "./check";
import { create, refuseDuplicates, targetOf } from "./create";
import { duplicatesOf } from "./duplicates";
import { argsOf, SCHEDULE_FIELDS } from "./fields";
import {
	candidateOf,
	getSchedule,
	getUnlessGone,
	isListed,
	isSameSchedule,
	namesakes,
	numericId,
	readFromLists,
	refOf,
	refuseOtherSchedule,
} from "./find";
import {
	conflict,
	describeItem,
	mayBeRefused,
	refused,
	respelled,
	unreadable,
} from "./messages";
import { scheduleOuts, startOf } from "./state";

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The fields that an update carries: all that are declared, without those that would act by being sent again. */
function fieldsToSend(
	call: Call,
	live: Schedule,
	{ inputs, isUpdate }: Change,
): Set<string> {
	const differing = differences(SCHEDULE_FIELDS, inputs, live).map(
		({ field }) => field,
	);
	if (!isUpdate && differing.length === 0) return new Set();
	const start = parseInstant(String(inputs.startAfter));
	const onlyIfDifferent = (field: string) =>
		field === "paused" ||
		(field === "startAfter" && start !== undefined && start <= call.serviceNow());
	const declared = Object.keys(SCHEDULE_FIELDS).filter(
		(field) => isSent(SCHEDULE_FIELDS, "update", field) && inputs[field] !== undefined,
	);
	return new Set(
		declared.filter((field) => !onlyIfDifferent(field) || differing.includes(field)),
	);
}

/** An adoption or a new schedule sends something only if it differs; an update always does. */
async function plan(
	call: Call,
	_id: string,
	live: Schedule,
	change: Change,
): Promise<Plan<Schedule>> {
	const { inputs, olds } = change;
	const args = argsOf(inputs);
	const sent = fieldsToSend(call, live, change);
	// A start time that is no longer declared must not hold the schedule back; no request unsets it, so it becomes now.
	const startsNow = olds.startAfter !== undefined && args.startAfter === undefined;
	const start = startsNow ? { start_after: formatInstant(call.time.now()) } : {};
	const startBefore = startsNow ? undefined : futureStart(call, live);
	let isPauseSent = false;
	return {
		writes: sent.size > 0,
		untilDone: startsNow ? { ...inputs, startAfter: olds.startAfter } : inputs,
		async send() {
			if (sent.size === 0) return;
			const body = { ...toWire(SCHEDULE_FIELDS, "update", args, sent), ...start };
			await call.client.schedules.update({
				team_name: args.teamName,
				schedule_id: live.id,
				...body,
			});
		},
		async read() {
			const now = await getSchedule(call, args.teamName, live.id);
			refuseOtherSchedule(
				call,
				args.teamName,
				{ ...inputs, createdAt: live.created_at },
				now,
			);
			return now;
		},
		wrong: (now) => [
			...described(SCHEDULE_FIELDS, inputs, now, call),
			...(args.startAfter === undefined &&
			startBefore !== undefined &&
			now.start_after === null
				? [
						{
							text: `startAfter, which the program does not declare, was cleared (it was ${startBefore})`,
						},
					]
				: []),
		],
		async sendAgain(wrong) {
			// The update is promised only to pause; the pipeline's own requests pause and resume.
			if (isPauseSent || !wrong.some(({ field }) => field === "paused")) return;
			isPauseSent = true;
			await sendPause(call, targetOf(args), args.paused === true);
		},
		explain: (wrong, now) => {
			const isOnlyName = wrong.length === 1 && wrong[0]?.field === "scheduleName";
			const isNamed = foldName(nameOf(now)) === foldName(args.scheduleName);
			return isOnlyName && isNamed ? respelled(call, args, now) : undefined;
		},
	};
}

/** The time before which the schedule does not run, if that is still to come. */
function futureStart(call: Call, { start_after }: Schedule): string | undefined {
	const start = start_after ? parseInstant(start_after) : undefined;
	return start !== undefined && start > call.serviceNow()
		? (showInstantOf(start_after) ?? undefined)
		: undefined;
}

async function remove(call: Call, id: number, outs: Props): Promise<void> {
	const team = String(outs.teamName);
	const listed = schedulesById(await call.lists.schedules(team, "recent")).get(id);
	const isListed =
		listed !== undefined &&
		typeof outs.createdAt === "string" &&
		isSameSchedule(outs, listed);
	if (!isListed && (await getUnlessGone(call, team, id, outs)) === undefined) return;
	// It may be deleted already, by an attempt whose response was lost or by another user; the looks below tell.
	await call.client.schedules
		.delete({ team_name: team, schedule_id: id })
		.catch(missingIsUndefined);
	const isGone = async () => (await isDeleted(call, team, id)) || undefined;
	if (await pollUntilDefinedAfterWrite(call, "PipelineSchedule", isGone)) return;
	throw new Error(
		`The service accepted the deletion of schedule "${String(outs.scheduleName)}" (id ${id}) in team "${team}", but still ` +
			'shows it. Run the command again; if that does not help, delete the schedule in the web UI and run "pulumi refresh".',
	);
}

/** The service says so itself; or it refuses the id in another way, and its list does not have it either. */
async function isDeleted(call: Call, team: string, id: number): Promise<boolean> {
	try {
		await getSchedule(call, team, id);
		return false;
	} catch (error) {
		if (error instanceof NotFoundError && error.fromService) return true;
		if (!(error instanceof NotFoundError || error instanceof InvalidRequestError))
			throw error;
		return !(await isListed(call, team, id));
	}
}

// ── The state ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Warns if a managed schedule is under two resources, or not the only one of its name. */
async function tellDuplicates(call: Call, team: string, live: Schedule): Promise<void> {
	const label = `"${nameOf(live)}" (id ${live.id})`;
	const other = call.owners.readFor(call.urn, refOf(team, live.id));
	if (other !== undefined) {
		call.notice(
			`Schedule ${label} in team "${team}" is in the state of two resources, ` +
				`${resourceName(other)} and ${resourceName(call.urn)}. Deleting one deletes it for both: remove one of them from the state ` +
				'with "pulumi state delete <urn>".',
		);
	}
	const items = await call.lists.schedules(team);
	if (!schedulesById(items).has(live.id)) {
		call.notice(
			`The list of team "${team}" does not contain schedule ${label}, which exists: the list is ` +
				"delayed or cut short, so the provider may miss a duplicate.",
		);
	}
	const others = (schedulesByName(items).get(nameOf(live)) ?? []).filter(
		({ id }) => id !== live.id,
	);
	if (others.length === 0) return;
	call.notice(
		`Schedule "${nameOf(live)}" exists ${others.length + 1} times in team "${team}": this stack manages id ${live.id}; ` +
			`the others: ${others.map((item) => describeItem(call, item)).join("; ")}. Each of them runs its pipeline. Delete or rename ` +
			"the others.",
	);
}

const label = ({ scheduleName, teamName: team }: Props, id: string): string =>
	`Schedule "${String(scheduleName)}" (id ${id}) in team "${String(team)}"`;

// ── The kind ────────────────────────────────────────────────────────────────────────────────────────────────────────

const schedule: NamedKind<Schedule> = {
	kind: "PipelineSchedule",
	fields: SCHEDULE_FIELDS,
	folded: foldName,

	check(call, olds, given) {
		const inputs = { ...given, scheduleName: given.scheduleName ?? defaultName(call) };
		return checkRules(
			call,
			olds,
			inputs,
			checkFields(SCHEDULE_FIELDS, olds, inputs, call.secrets),
		);
	},
	checkLive,

	predict(call, inputs) {
		const { cronExpression, timeZone, utcCron, startAfter } = inputs;
		return containsUnknown([cronExpression, timeZone, utcCron, startAfter])
			? {}
			: timeOuts(inputs, undefined, call.time.now(), call.secrets);
	},

	creation: {
		list: namesakes,
		async detail(call, { team, inputs }, candidate) {
			if (unreadable(candidate.live) !== undefined) return candidate;
			const live = await getSchedule(call, team, candidate.live.id).catch(
				missingIsUndefined,
			);
			return live && candidateOf(inputs, live);
		},
		create,
		conflict: (error) => conflict(error, "rename"),
		async confirm(call, inputs) {
			const team = String(inputs.teamName);
			const duplicates = duplicatesOf(call);
			duplicates.end(team, call.urn);
			if (duplicates.isDue(team, call.time.now()))
				await call.lists.schedules(team, "now");
			await refuseDuplicates(call);
		},
		afterCreate: (call, inputs) =>
			duplicatesOf(call).end(String(inputs.teamName), call.urn),
		refused,
		mayBeRefused,
	},

	get: (call, id, recorded, from) =>
		from === "now"
			? getUnlessGone(call, String(recorded.teamName), numericId(id), recorded)
			: readFromLists(call, id, recorded, from),
	async refreshed(call, _id, outs, live) {
		await tellDuplicates(call, String(outs.teamName), live);
		return { ...outs, ...startOf(outs, live) };
	},
	outs: scheduleOuts,

	plan,
	async remove(call, id, outs) {
		await remove(call, numericId(id), outs);
		duplicatesOf(call).forget(numericId(id));
	},

	words: {
		label: label,
		duplicate: ({ scheduleName, teamName: team }) =>
			`both declare schedule "${String(scheduleName)}" in team "${String(team)}". Give one of the two another ` +
			"scheduleName, or remove it.",
		async gone(_call, { scheduleName, teamName: team }, id) {
			return `Schedule "${String(scheduleName)}" (id ${id}) is no longer in team "${String(team)}". Run "pulumi up --refresh" to create it again.`;
		},
	},
};

export const pipelineSchedule = namedLifecycle(schedule);
