import {
	type CallOptions,
	ConflictError,
	InvalidRequestError,
	isMissing,
	NotFoundError,
} from "../../../client";
import { pollUntil, pollUntilDefinedAfterWrite } from "../../../client/read-back";
import type { ListMoment } from "../../../operations/context";
import {
	BeforeRequest,
	createdAt,
	createExactlyOnce,
	failureIsUndefined,
} from "../../../operations/create-once";
import { missingIsUndefined, sendPause } from "../../../operations/pipelines";
import { isPausedPipeline } from "../../../schemas/pipeline-status";
import { foldName } from "../../../schemas/primitives";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import type { Schedule, ScheduleOutput, User } from "../../../schemas/wire/schedule";
import {
	formatInstant,
	parseInstant,
	showInstant,
	showInstantOf,
} from "../../../text/instant";
import { adoptIfCreated, resourceName } from "../../model/messages";
import { containsUnknown, type Props, setOnly, without } from "../../model/props";
import { holdSecrets } from "../../model/secrets";
import { checkFields, described, differences, isSent, toWire } from "../../model/table";
import type { Call } from "../../run/context";
import type { Change, NamedKind, Plan } from "../../run/kind";
import type { Candidate, NameRequest } from "../../run/name-check";
import { namedLifecycle } from "../../run/named-lifecycle";
import {
	isYoung,
	pipelineSoon,
	pollIfRecent,
	refuseOtherService,
} from "../../run/outcome";
import type { ObjectRef } from "../../run/owners";
import {
	firstPipelinesByName,
	type ListedSchedule,
	nameOf,
	namesakesIn,
	perList,
	runsBySchedule,
	schedulesById,
	schedulesByName,
} from "../../run/team-lists";
import { checkLive, checkRules, defaultName, timeOuts } from "./check";
import { duplicatesOf } from "./duplicates";
import { argsOf, SCHEDULE_FIELDS, type ScheduleArgs } from "./fields";
import {
	adoptedBeside,
	conflict,
	describeItem,
	mayBeRefused,
	pipelineOf,
	refused,
	respelled,
	unreadable,
} from "./messages";

// ── Finding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const refOf = (team: string, id: number): ObjectRef => ({
	kind: "PipelineSchedule",
	team,
	id: String(id),
});

function numericId(id: string): number {
	const value = Number(id);
	if (Number.isSafeInteger(value) && String(value) === id) return value;
	throw new Error(
		`"${id}" is not the id of a schedule: ids are whole numbers, shown by "pulumi-datachain schedules".`,
	);
}

const getSchedule = (call: Call, team: string, id: number): Promise<Schedule> =>
	call.client.schedules.get({ team_name: team, schedule_id: id });

/** Compares the schedule with the declaration. The list omits the pipeline, which then counts as the declared one. */
function candidateOf(
	inputs: Props,
	live: Schedule & ListedSchedule,
): Candidate<Schedule> {
	const different = differences(SCHEDULE_FIELDS, inputs, live).map(
		({ field }) => field,
	);
	const isReadable = unreadable(live) === undefined;
	return {
		id: String(live.id),
		live,
		equal: isReadable && different.length === 0,
		// Consent is to the schedule of the declared name, not to that of another spelling.
		fits: isReadable
			? !different.includes("pipelineName") && !different.includes("scheduleName")
			: undefined,
		createdAt: createdAt(live),
	};
}

/** The schedules of the name. A cached list may omit one that this run created, so it is added. */
async function namesakes(
	call: Call,
	{ team, name, inputs }: NameRequest,
	from: "recent" | "now",
): Promise<Candidate<Schedule>[]> {
	const namesakes = namesakesIn(await call.lists.schedules(team, from), name);
	const made = duplicatesOf(call).madeAs(team, name);
	const unlisted =
		made !== undefined && !namesakes.some(({ id }) => id === made.id)
			? [{ id: made.id, schedule_name: made.name }]
			: [];
	return [...namesakes, ...unlisted].map((item) => candidateOf(inputs, item));
}

/** The schedule as the shared lists show it; undefined means only that the lists do not tell enough. */
async function fromLists(
	call: Call,
	id: string,
	recorded: Props,
	from: "shared" | "recent",
): Promise<Schedule | undefined> {
	const team = String(recorded.teamName);
	const scheduleId = numericId(id);
	// Without a state (`PipelineSchedule.get`) there is no pipeline name to look for in the lists; without the moment of
	// creation a state knows its schedule by the pipeline, which the list does not tell.
	if (
		typeof recorded.pipelineName !== "string" ||
		typeof recorded.createdAt !== "string"
	)
		return undefined;
	const { schedules, pipelines } = call.lists;
	const [items, all] = await Promise.all([
		schedules(team, from),
		pipelines(team, from),
	]);
	const item = schedulesById(items).get(scheduleId);
	// The list leaves out the pipeline; no request can give a schedule another one, so the known name still holds.
	const pipeline = firstPipelinesByName(all).get(recorded.pipelineName);
	if (item === undefined || item.unreadable !== undefined || pipeline === undefined)
		return undefined;
	const runs = runsBySchedule(all).get(item.schedule_name) ?? [];
	const newestRun = runs.find(
		({ pipeline_id }) => pipeline_id !== pipeline.pipeline_id,
	);
	const detailed = { ...item, pipeline, latest_run: newestRun };
	// A list may show times in another form; a direct request decides whether it is another schedule.
	return isSameSchedule(recorded, detailed) ? detailed : undefined;
}

/**
 * The schedule, or undefined if the service itself says that it is gone: a direct request answers 404 in its own words,
 * and the team's list does not have it either. What was made a moment ago, and what the list still shows, is asked for again.
 */
async function getOrMissing(
	call: Call,
	team: string,
	id: number,
	recorded: Props,
): Promise<Schedule | undefined> {
	/** `listed` also if the list still has what a direct request does not know. */
	const look = async () => {
		const live = await getSchedule(call, team, id).catch(missingIsUndefined);
		if (live !== undefined) return { live, listed: true };
		// Retries do not make another service show it.
		refuseOtherService(
			call,
			recorded,
			`Schedule ${id} of team "${team}" was not found`,
		);
		return { live, listed: await isListed(call, team, id) };
	};
	const { live, listed } = await pollUntil(
		call,
		look,
		(reading) =>
			reading.live !== undefined || !(reading.listed || isYoung(call, recorded)),
	);
	if (live !== undefined) refuseOtherSchedule(call, team, recorded, live);
	else if (listed)
		throw new Error(
			`Schedule ${id} of team "${team}" is in the service's list, but a direct request for it returns 404. ` +
				"Nothing was changed. Run the command again in a minute; if that does not help, contact the operator of the service.",
		);
	return live;
}

const isListed = async (call: Call, team: string, id: number): Promise<boolean> =>
	schedulesById(await call.lists.schedules(team, "now")).has(id);

/** Some services round times in one reply and not in another. */
const ROUNDING_MILLIS = 1_000;

/**
 * Rule 1: whether the schedule under the id is the one in the state. Another installation of the service has the same ids,
 * and a service may use an id again; the moment of creation does not repeat. A state that was kept after a failure may not
 * know it: then name and pipeline must be the ones in the state.
 */
function isSameSchedule(recorded: Props, live: Schedule): boolean {
	const before = parseInstant(String(recorded.createdAt));
	const now = parseInstant(String(live.created_at));
	if (before !== undefined && now !== undefined)
		return Math.abs(before - now) <= ROUNDING_MILLIS;
	if (recorded.scheduleName === undefined) return true;
	const isNamed = foldName(nameOf(live)) === foldName(String(recorded.scheduleName));
	return (
		isNamed && (!live.pipeline?.name || live.pipeline.name === recorded.pipelineName)
	);
}

function refuseOtherSchedule(
	call: Call,
	team: string,
	recorded: Props,
	live: Schedule,
): void {
	if (isSameSchedule(recorded, live)) return;
	const before = parseInstant(String(recorded.createdAt));
	const expected =
		before === undefined
			? `"${String(recorded.scheduleName)}" on pipeline "${String(recorded.pipelineName)}"`
			: `one that was created at ${showInstant(String(recorded.createdAt))}`;
	const actual =
		before === undefined
			? `"${nameOf(live)}" on pipeline "${pipelineOf(live)}"`
			: `created at ${showInstantOf(live.created_at)}`;
	throw new Error(
		`Schedule ${live.id} of team "${team}" at ${call.serviceUrl} is another schedule: it is ${actual}, and the state expects ` +
			`${expected}. Nothing was changed. Check that the connection points to the right service (DATACHAIN_STUDIO_URL or ` +
			"datachain:baseUrl). If it does, the schedule was deleted and its id was given to another one: remove the resource from the " +
			'state with "pulumi state delete <urn>", then run "pulumi up".',
	);
}

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function create(call: Call, inputs: Props) {
	const args = argsOf(inputs);
	duplicatesOf(call).begin(args.teamName, call.urn);
	await refuseDuplicates(call);
	// Pause and resume come first: a paused pipeline's schedule cannot fire in between, and a failure leaves nothing made.
	if (args.paused !== undefined) {
		const pipeline = await pipelineSoon(call, args.teamName, args.pipelineName);
		if (isPausedPipeline(pipeline) !== args.paused)
			await sendPause(call, targetOf(args), args.paused);
	}
	const listed = await call.lists.schedules(args.teamName, "recent");
	const live = await createOnce(call, args, listed).catch((error: unknown) => {
		throw error instanceof ConflictError
			? new Error(conflict(error, "create"), { cause: error })
			: error;
	});
	const name = live.schedule_name ?? args.scheduleName;
	const at = call.time.now();
	duplicatesOf(call).add({ team: args.teamName, name, id: live.id, at });
	// A new schedule never had another name: the service stores names in a form of its own.
	const isNamed = live.schedule_name === args.scheduleName;
	return {
		id: String(live.id),
		live,
		problem: isNamed ? undefined : respelled(call, args, live),
	};
}

const beforeRequest = perList(
	(items: readonly ListedSchedule[]) => new BeforeRequest(items),
);

/** If the response is lost or names another schedule, the schedule is searched for in the list. */
function createOnce(
	call: Call,
	args: ScheduleArgs,
	listedBefore: readonly ListedSchedule[],
): Promise<Schedule> {
	const { teamName: team } = args;
	const before = beforeRequest(listedBefore);
	const mayBeMade = (item: ListedSchedule) =>
		before.mayHaveMade(item, call.owners.isReleased(refOf(team, item.id)));
	const body = {
		team_name: team,
		schedule_name: args.scheduleName,
		pipeline_name: args.pipelineName,
		...toWire(SCHEDULE_FIELDS, "create", args),
	};
	const get = (id: number) => getSchedule(call, team, id).catch(failureIsUndefined);
	let namesakes: readonly ListedSchedule[] = [];
	const candidates = async (since?: ListMoment): Promise<Schedule[]> => {
		const items = await call.lists.schedules(team, since ?? "now");
		namesakes = items.filter(
			(item) =>
				item.schedule_name === args.scheduleName &&
				mayBeMade(item) &&
				call.owners.of(refOf(team, item.id)) === undefined,
		);
		const details = await Promise.all(namesakes.map(({ id }) => get(id)));
		return details
			.filter((live) => live !== undefined)
			.filter((live) => notAsSent(args, live).length === 0);
	};
	const identify = async ({ schedule }: ScheduleOutput) => {
		if (!schedule) return "the response named no schedule.";
		const live = await pollUntilDefinedAfterWrite(call, "PipelineSchedule", () =>
			get(schedule.id),
		);
		// An id whose schedule was never seen may be anybody's.
		if (live === undefined)
			return `the response named schedule ${schedule.id}, which could not be read.`;
		// The id is believed also if the service changed a value, or the name.
		const wrong = notAsSent(args, live);
		const isNamed = foldName(nameOf(live)) === foldName(args.scheduleName);
		const isOnlyRenamed = wrong.every((field) => field === "scheduleName");
		if (
			!mayBeMade(live) ||
			wrong.includes("pipelineName") ||
			!(isNamed || isOnlyRenamed)
		)
			return `the response named schedule ${schedule.id}, which is not the one that was asked for and was not changed.`;
		if (isNamed) return live;
		// A service that stores names in a form of its own; a schedule of the declared name would be the request's product instead.
		const [named, ...others] = (await candidates().catch(failureIsUndefined)) ?? [];
		return named !== undefined && others.length === 0 ? named : live;
	};
	return createExactlyOnce(call, {
		subject: `schedule "${args.scheduleName}"`,
		team,
		listedBy: "schedules",
		send: (options: CallOptions) => call.client.schedules.create(body, options),
		identify,
		candidates,
		describe: (live) => describeItem(call, live),
		others: () =>
			namesakes.map((item) => `${describeItem(call, item)}, with other values`),
		advice: adoptIfCreated,
	});
}

/** Fields of the create request that the schedule does not have. */
const notAsSent = (args: ScheduleArgs, live: Schedule): string[] =>
	differences(SCHEDULE_FIELDS, args, live)
		.map(({ field }) => field)
		.filter((field) => isSent(SCHEDULE_FIELDS, "create", field));

/** A second schedule of a name that was created now ends the deployment; gaps in a list are told. */
async function refuseDuplicates(call: Call): Promise<void> {
	const duplicates = duplicatesOf(call);
	const absent = duplicates.takeAbsent();
	if (absent.length > 0) {
		call.notice(
			`The service's list does not contain the new objects: ${absent.join(", ")}. The list is delayed or cut short, so the provider may ` +
				'miss a duplicate. Run "pulumi refresh" to check again.',
		);
	}
	await Promise.all(
		duplicates.namesakes().map((namesake) => releaseIfDeleted(call, namesake)),
	);
	const duplicate = duplicates.problem();
	if (duplicate !== undefined) throw new Error(duplicate);
}

/** A list that lags behind still shows what another user deleted. */
async function releaseIfDeleted(
	call: Call,
	{
		object,
		createdAt,
	}: { readonly object: ObjectRef; readonly createdAt: string | null | undefined },
): Promise<void> {
	const exists = () =>
		getSchedule(call, object.team, Number(object.id)).then(
			() => true,
			(error: unknown) => !isMissing(error) || undefined,
		);
	// Its age, and not that of the resource that is calling.
	const isThere = await pollIfRecent(
		{ ...call, madeAt: undefined },
		{ createdAt },
		exists,
	);
	if (isThere === undefined) call.owners.release(object);
}

const targetOf = ({ teamName, pipelineName }: ScheduleArgs) => ({
	team_name: teamName,
	name: pipelineName,
});

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
	if (!isListed && (await getOrMissing(call, team, id, outs)) === undefined) return;
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

/** Everything the resource shows: its inputs, and what the service adds to them. */
function scheduleOuts(
	call: Call,
	inputs: Props,
	live: Schedule,
	adopted: boolean,
	recorded: Props = {},
): Props {
	const datasets = hidesDatasets(call, live, recorded) ? ["triggeredFrom"] : [];
	const name = holdSecrets(call, ["pipelineName"]) ? ["name"] : [];
	return {
		...inputs,
		scheduleId: live.id,
		nextRun: showInstantOf(live.next_run),
		createdAt: showInstantOf(live.created_at),
		updatedAt: showInstantOf(live.updated_at),
		createdBy: live.created_by ? userOut(live.created_by) : undefined,
		latestRun: live.latest_run
			? without(pipelineSummary(live.latest_run), datasets)
			: undefined,
		pipeline: live.pipeline
			? without(pipelineSummary(live.pipeline), [...name, ...datasets])
			: undefined,
		...timeOuts(inputs, live.start_after, call.time.now(), call.secrets),
		adopted,
		serviceUrl: call.serviceUrl,
	};
}

/**
 * The datasets may be a secret of the Pipeline resource. A refresh may read the schedule first, so what the state leaves
 * out stays left out.
 */
function hidesDatasets(
	{ secretNames }: Call,
	{ pipeline }: Schedule,
	{ pipeline: before }: Props,
): boolean {
	const source = pipeline?.triggered_from ?? "";
	const wasHidden =
		before !== undefined && !Object.hasOwn(Object(before), "triggeredFrom");
	return wasHidden || secretNames.redact(source) !== source;
}

const userOut = (user: User): Props =>
	setOnly({
		username: user.username,
		firstName: user.first_name,
		lastName: user.last_name,
	});

/** Without its environment, error texts and code: they may hold secrets, and the state would show them in plain text. */
const pipelineSummary = (pipeline: Pipeline): Props =>
	setOnly({
		pipelineId: pipeline.pipeline_id,
		name: pipeline.name,
		status: pipeline.status,
		triggeredFrom: pipeline.triggered_from,
		completed: pipeline.completed,
		total: pipeline.total,
		createdAt: showInstantOf(pipeline.created_at),
		updatedAt: showInstantOf(pipeline.updated_at),
	});

/** Without a state, a schedule that runs only once is nothing without its time; otherwise the service's is not managed. */
const startOf = (outs: Props, live: Schedule): Props =>
	outs.pipelineName === undefined && !live.cron_expression && live.start_after
		? { startAfter: showInstantOf(live.start_after) }
		: {};

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
		adoptedBeside,
		mayBeRefused,
	},

	get: (call, id, recorded, from) =>
		from === "now"
			? getOrMissing(call, String(recorded.teamName), numericId(id), recorded)
			: fromLists(call, id, recorded, from),
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
