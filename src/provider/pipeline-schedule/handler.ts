import { InvalidRequestError, NotFoundError } from "../../api";
import type { Schedule } from "../../schemas/wire/schedule";
import type { Call } from "../context";
import { type DiffResult, PartlyDoneError, type Props, type ResourceHandler } from "../handler";
import type { ObjectRef } from "../ownership";
import { anew, held, letGo, tellHolder } from "../shared/holding";
import { pick } from "../shared/json";
import { missingIsUndefined } from "../shared/not-found";
import { diffByTable, differences, liveInputs, unlessDrifted } from "../shared/table";
import { byName } from "../shared/twins";
import { containsUnknown } from "../shared/unknown";
import { seenSoon } from "../time";
import { resourceName } from "../urn";
import { checkSchedule } from "./check";
import { makeOrAdopt } from "./create";
import { SCHEDULE_FIELDS, type ScheduleArgs } from "./fields";
import { fromLists, getNow, getOrMissing, getSchedule, refuseOtherSchedule, scheduleRef } from "./find";
import { hasConsent, strangers, waitForName } from "./name";
import { scheduleOuts } from "./outputs";
import { reconcile } from "./reconcile";
import { identify, nameIsTaken, newNameIsTaken } from "./refusals";

export const pipelineSchedule: ResourceHandler = {
	fields: SCHEDULE_FIELDS,

	check: checkSchedule,

	async diff(call, id, olds, news) {
		const result = await takingEqual(call, olds, news, diffByTable(SCHEDULE_FIELDS, olds, news));
		return held(call, scheduleRef(String(olds.teamName), id), result, MOVED);
	},

	async create(call, inputs) {
		const args = scheduleArgs(inputs);
		for (const finish of call.ownership.replaced(call.urn)) await finish();
		return call.locks.run(JSON.stringify([args.teamName, args.scheduleName]), async () => {
			const { live, adopted } = await makeOrAdopt(call, args);
			return { id: String(live.id), outs: scheduleOuts(call, args, live, adopted) };
		});
	},

	async read(call, id, outs) {
		const team = String(outs.teamName ?? call.teamName);
		const scheduleId = numericId(id);
		const { lists } = call;
		const known = managed(call, { ...outs, teamName: team });
		// Without a state (`PipelineSchedule.get`) there is no pipeline name to look for in the lists.
		const listed =
			typeof outs.pipelineName === "string"
				? await fromLists(scheduleId, outs.pipelineName, lists.schedules(team), lists.pipelines(team))
				: undefined;
		if (listed) refuseOtherSchedule(call, team, outs, listed);
		const live =
			unlessDrifted(SCHEDULE_FIELDS, known, listed) ?? (await getOrMissing(call, team, scheduleId, outs));
		if (live === undefined) return {};
		tellDoubleHolding(call, team, live);
		await tellTwins(call, team, live);
		const inputs = liveInputs(SCHEDULE_FIELDS, { ...known, ...startOf(outs, live) }, live);
		// Version 0.1.0 stored a pause that nobody declared; it stays in the state as it is, and is not compared.
		const kept = { ...pick(outs, ["paused"]), ...inputs };
		return { state: { id, inputs: kept, outs: scheduleOuts(call, kept, live, outs.adopted === true) } };
	},

	async update(call, id, olds, news) {
		const args = scheduleArgs(news);
		const object = scheduleRef(args.teamName, id);
		call.ownership.keep(call.urn, object);
		const isRename = args.scheduleName !== olds.scheduleName;
		return change(call, args, numericId(id), olds).catch((error: unknown) => {
			// Whoever waits for the name that this one keeps must not double it.
			if (isRename && !(error instanceof PartlyDoneError)) call.ownership.settle(object, "failed");
			throw error;
		});
	},

	async delete(call, id, outs) {
		const team = String(outs.teamName ?? call.teamName);
		const object = scheduleRef(team, id);
		const what = `Schedule "${String(outs.scheduleName)}" (id ${id}) in team "${team}"`;
		await letGo(call, object, tellHolder(call, `${what} was not deleted`), async () => {
			const scheduleId = numericId(id);
			try {
				await refuseBeforeReplacing(call, object, scheduleId);
				call.ownership.deleting(object);
				await deleteAndConfirm(call, team, scheduleId, outs);
				call.twins.forget(scheduleId);
			} finally {
				call.lists.drop(team);
			}
		});
	},
};

/** The resource leaves its schedule for another one. */
const MOVED = anew("scheduleName");

const scheduleArgs = (inputs: Props): ScheduleArgs =>
	pick(inputs, Object.keys(SCHEDULE_FIELDS)) as unknown as ScheduleArgs;

async function change(call: Call, args: ScheduleArgs, id: number, olds: Props): Promise<{ outs: Props }> {
	const { teamName: team, pipelineName } = args;
	const { lists } = call;
	// The list does not tell the pipeline, by which a state that does not know the moment of creation knows its schedule.
	const listed =
		typeof olds.createdAt === "string"
			? await fromLists(id, pipelineName, lists.glanceSchedules(team), lists.glancePipelines(team))
			: undefined;
	if (listed) refuseOtherSchedule(call, team, olds, listed);
	const live = listed ?? (await getOrMissing(call, team, id, olds));
	if (live === undefined) {
		throw new Error(
			`Schedule "${args.scheduleName}" (id ${id}) is no longer in team "${team}". ` +
				'Run "pulumi up --refresh" to make it again.',
		);
	}
	if (args.scheduleName !== olds.scheduleName) await claimNewName(call, args, id);
	const adopted = olds.adopted === true;
	const now = await reconcile(call, args, live, { olds, adopted });
	return { outs: scheduleOuts(call, args, now, adopted) };
}

/** Without a state, a schedule that runs only once is nothing without its time; otherwise the service's is not managed. */
const startOf = (outs: Props, live: Schedule): Props =>
	outs.pipelineName === undefined && !live.cron_expression && live.start_after
		? { startAfter: live.start_after }
		: {};

/** What the state holds as declared. Only states from 0.2.0 on say with their URN that a pause in them was declared. */
const managed = (call: Call, outs: Props): Props => {
	const { paused, ...rest } = outs;
	return call.stateUrn === undefined && paused === false ? rest : outs;
};

/** One schedule under two resources: whichever is deleted first takes it from the other. */
function tellDoubleHolding(call: Call, team: string, live: Schedule): void {
	const other = call.ownership.alsoReadBy(call.urn, scheduleRef(team, live.id), call.madeAt !== undefined);
	if (other === undefined) return;
	call.notice(
		`Schedule "${live.schedule_name ?? ""}" (id ${live.id}) in team "${team}" stands in the state of two resources, ` +
			`${resourceName(other)} and ${resourceName(call.urn)}. Deleting one deletes it for both: remove one of them from the state ` +
			'with "pulumi state delete <urn>".',
	);
}

/** Says where a managed schedule is not the only one of its name: what a deployment was too short to see. */
async function tellTwins(call: Call, team: string, live: Schedule): Promise<void> {
	const items = await call.lists.schedules(team);
	if (!items.some(({ id }) => id === live.id)) {
		call.notice(
			`The list of team "${team}" does not show schedule "${live.schedule_name ?? ""}" (id ${live.id}), which is there: the list is cut ` +
				"or lags behind, so a second schedule of a name could go unseen.",
		);
	}
	const others = (byName(items).get(live.schedule_name ?? "") ?? []).filter(({ id }) => id !== live.id);
	if (others.length === 0) return;
	call.notice(
		`Schedule "${live.schedule_name ?? ""}" exists ${others.length + 1} times in team "${team}": this stack manages id ${live.id}; ` +
			`also there: ${others.map((item) => identify(call, item)).join("; ")}. Each of them runs its pipeline: delete or rename ` +
			"the ones that are not wanted.",
	);
}

/**
 * A rename to a name whose holder the user consents to take over, because it is equal: this resource moves to that
 * schedule, and its own one goes. Renaming it would leave two of the name.
 */
async function takingEqual(call: Call, olds: Props, news: Props, result: DiffResult): Promise<DiffResult> {
	const args = scheduleArgs(news);
	const isRename = result.replaces.length === 0 && args.scheduleName !== olds.scheduleName;
	if (!call.adoptEqual || !isRename || containsUnknown(news) || !call.ownership.isDeclared(call.urn))
		return result;
	const items = await call.lists.glanceSchedules(args.teamName);
	const [only, ...others] = strangers(call, args, items);
	const existing = only && others.length === 0 ? await getNow(call, args.teamName, only.id) : undefined;
	return existing && differences(SCHEDULE_FIELDS, args, existing).length === 0 ? MOVED : result;
}

/** A new name must be free, or given up by a resource of this run. */
async function claimNewName(call: Call, args: ScheduleArgs, ownId: number): Promise<void> {
	for (const { id } of await waitForName(call, args, { ownId, isRename: true })) {
		const existing = await getOrMissing(call, args.teamName, id, {});
		if (existing !== undefined) throw newNameIsTaken(call, args, existing);
	}
}

/** A replacement that could not get its name must not begin with the loss of what is there. */
async function refuseBeforeReplacing(call: Call, object: ObjectRef, ownId: number): Promise<void> {
	const fate = call.ownership.fate(object);
	if (fate.is === "leaving" && fate.started) return;
	// With `--replace` there is no diff: the program still has the resource, and it has no object so far. Where it has one,
	// this is what an earlier replacement left to be deleted.
	const by = fate.is === "leaving" ? fate.by : call.stateUrn;
	const inputs = by === undefined || call.ownership.holdsAny(by) ? undefined : call.declared.get(by);
	if (inputs === undefined) return;
	const args = scheduleArgs(inputs);
	const [taken] = await waitForName(call, args, { ownId });
	const existing = taken && (await getNow(call, args.teamName, taken.id));
	if (existing && !hasConsent(call, args, existing)) throw nameIsTaken(call, args, existing);
}

async function deleteAndConfirm(call: Call, team: string, id: number, outs: Props): Promise<void> {
	const listed = (await call.lists.glanceSchedules(team)).find((item) => item.id === id);
	if (listed && typeof outs.createdAt === "string") refuseOtherSchedule(call, team, outs, listed);
	else if ((await getOrMissing(call, team, id, outs)) === undefined) return;
	call.lists.drop(team);
	// Gone already, by an attempt of ours whose reply was lost or by somebody else who was faster: the looks below tell.
	await call.client.schedules.delete({ team_name: team, schedule_id: id }).catch(missingIsUndefined);
	if (await seenSoon(call, async () => (await isDeleted(call, team, id)) || undefined)) return;
	throw new Error(
		`The service accepted the deletion of schedule "${String(outs.scheduleName)}" (id ${id}) in team "${team}", but still ` +
			'shows it. Run the command again; if it stays, delete the schedule in the web UI and run "pulumi refresh".',
	);
}

/** The service says so itself; or it refuses the id in another way, and its list does not have it either. */
async function isDeleted(call: Call, team: string, id: number): Promise<boolean> {
	try {
		await getSchedule(call, team, id);
		return false;
	} catch (error) {
		if (error instanceof NotFoundError && error.fromService) return true;
		if (!(error instanceof NotFoundError || error instanceof InvalidRequestError)) throw error;
		return !(await call.lists.freshSchedules(team)).some((item) => item.id === id);
	}
}

function numericId(id: string): number {
	const value = Number(id);
	if (Number.isSafeInteger(value) && String(value) === id) return value;
	throw new Error(`"${id}" is not the id of a schedule: ids are whole numbers, shown by getSchedules().`);
}
