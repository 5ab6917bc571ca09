import { z } from "zod";
import { type CallOptions, InvalidRequestError, NotFoundError } from "../api";
import { lookUntil, seenSoon } from "../api/read-back";
import { cronProblem, normalizeCron, sameCron, timeZoneProblem } from "../cron";
import {
	formatInstant,
	inUtc,
	parseInstant,
	sameInstant,
	showInstant,
	showInstantOf,
} from "../schemas/instant";
import { isPausedPipeline } from "../schemas/pipeline-status";
import { foldName, objectName, teamName } from "../schemas/primitives";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { Schedule, ScheduleOutput, User } from "../schemas/wire/schedule";
import type { Ask, ObjectRef, Row } from "./claims";
import type { Call } from "./context";
import { containsUnknown, type Props, setOnly, without } from "./handler";
import { lifecycle, type Managed, type Plan } from "./lifecycle";
import { leftToItsHolder, resourceName } from "./messages";
import {
	BeforeRequest,
	failureIsUndefined,
	isYoung,
	makeOnce,
	missingIsUndefined,
	pipelineSoon,
	refuseOtherService,
} from "./outcome";
import { sendPause } from "./pauses";
import { checkLive, checkRules, defaultName, timeOuts } from "./schedule-check";
import {
	identify,
	mayBeRefused,
	pipelineOf,
	refused,
	respelled,
	unclear,
	unreadable,
} from "./schedule-messages";
import { holdSecrets } from "./secrets";
import {
	changes,
	checkFields,
	described,
	differences,
	isSent,
	sameText,
	sentFor,
	type Table,
	toWire,
} from "./table";
import { byName, type ListedSchedule, nameOf, namesakesIn, perList } from "./team-lists";

// ── The fields ──────────────────────────────────────────────────────────────────────────────────────────────────────

const showsPipeline = ({ pipeline }: Schedule): boolean => pipeline !== null && pipeline !== undefined;
const BOTH = ["create", "update"] as const;

const rows = {
	scheduleName: {
		schema: objectName,
		wire: "schedule_name",
		sent: BOTH,
		change: "update",
		read: (live) => live.schedule_name,
	},
	pipelineName: {
		schema: objectName,
		wire: "pipeline_name",
		sent: ["create"],
		// No request moves a schedule to another pipeline.
		change: "replace",
		read: (live) => live.pipeline?.name,
		shown: showsPipeline,
	},
	cronExpression: {
		schema: z
			.string('must be a string such as "0 3 * * *"')
			.superRefine((text, context) => {
				const message = cronProblem(text, new Date());
				if (message !== undefined) context.addIssue({ code: "custom", message });
			})
			.optional(),
		wire: "cron_expression",
		sent: BOTH,
		// No request removes the cron of a schedule, so one that is to run only once is replaced.
		change: (old, declared) => (old !== undefined && declared === undefined ? "replace" : "update"),
		same: sameText(sameCron),
		// The service knows the compiled one only, which has a row of its own.
		read: (live, { utcCron, cronExpression }) =>
			utcCron === undefined ? live.cron_expression || undefined : cronExpression,
		write: (text, { utcCron }) => normalizeCron(String(utcCron ?? text)),
	},
	timeZone: {
		schema: z
			.string('must be a string such as "Europe/Berlin"')
			.superRefine((text, context) => {
				const message = timeZoneProblem(text);
				if (message !== undefined) context.addIssue({ code: "custom", message });
			})
			.optional(),
		change: "update",
	},
	/** Filled in by `check`, if the expression has an H or a time zone; an input, so that the engine's diff shows it. */
	utcCron: {
		schema: z.string().optional(),
		wire: "cron_expression",
		sent: BOTH,
		change: "update",
		same: sameText(sameCron),
		read: (live) => live.cron_expression || undefined,
		write: (text) => normalizeCron(String(text)),
		optional: true,
		filledIn: true,
	},
	startAfter: {
		schema: z
			.string('must be a string such as "2026-01-31T03:00:00Z"')
			.refine((text) => parseInstant(text) !== undefined, {
				error: 'is not a date-time that exists; write it as "2026-01-31T03:00:00Z"',
			})
			.optional(),
		wire: "start_after",
		sent: BOTH,
		change: "update",
		same: sameText(sameInstant),
		read: (live) => showInstantOf(live.start_after) ?? undefined,
		write: (text) => inUtc(String(text)),
		optional: true,
	},
	paused: {
		schema: z.boolean("must be true or false").optional(),
		wire: "pause_pipeline",
		// Pause acts on the schedule's pipeline; a schedule has no state of its own.
		sent: ["update"],
		change: "update",
		read: (live) => isPausedPipeline(live.pipeline),
		shown: showsPipeline,
		optional: true,
	},
	teamName: { schema: teamName, change: "replace" },
	adopt: { schema: z.boolean("must be true or false").optional(), change: "none" },
} as const satisfies Table<Schedule>;

/** Inputs of the PipelineSchedule resource, one row each. */
export const SCHEDULE_FIELDS: Table<Schedule> = rows;

/** The inputs after `check`: defaults filled in. */
export type ScheduleArgs = { readonly [Name in keyof typeof rows]: z.infer<(typeof rows)[Name]["schema"]> };
const argsOf = (inputs: Props): ScheduleArgs => inputs as unknown as ScheduleArgs;

// ── Finding ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const refOf = (team: string, id: number): ObjectRef => ({ kind: "PipelineSchedule", team, id: String(id) });

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
function rowOf(inputs: Props, live: Schedule & ListedSchedule): Row<Schedule> {
	const different = differences(SCHEDULE_FIELDS, inputs, live).map(({ field }) => field);
	const isReadable = unreadable(live) === undefined;
	return {
		id: String(live.id),
		live,
		empty: false,
		equal: isReadable && different.length === 0,
		// Consent is to the schedule of the declared name, not to that of another spelling.
		fits: isReadable ? !different.includes("pipelineName") && !different.includes("scheduleName") : undefined,
	};
}

/** The schedules of the name. A cached list may omit one that this run created, so it is added. */
async function namesakes(call: Call, { slot, inputs }: Ask, how: "recent" | "now"): Promise<Row<Schedule>[]> {
	const { team, name } = slot;
	const found = namesakesIn(await call.lists.schedules(team, how), name);
	const made = call.duplicates.madeAs(team, name);
	const unlisted =
		made !== undefined && !found.some(({ id }) => id === made.id)
			? [{ id: made.id, schedule_name: made.name }]
			: [];
	return [...found, ...unlisted].map((item) => rowOf(inputs, item));
}

/** The schedule as the shared lists show it; undefined means only that the lists do not tell enough. */
async function fromLists(
	call: Call,
	id: string,
	known: Props,
	from: "shared" | "recent",
): Promise<Schedule | undefined> {
	const team = String(known.teamName);
	const scheduleId = numericId(id);
	// Without a state (`PipelineSchedule.get`) there is no pipeline name to look for in the lists; without the moment of
	// creation a state knows its schedule by the pipeline, which the list does not tell.
	if (typeof known.pipelineName !== "string" || typeof known.createdAt !== "string") return undefined;
	const { schedules, pipelines } = call.lists;
	const [items, all] = await Promise.all([schedules(team, from), pipelines(team, from)]);
	const item = items.find((each) => each.id === scheduleId && each.unreadable === undefined);
	// The list leaves out the pipeline; no request can give a schedule another one, so the known name still holds.
	const pipeline = all.find((each) => each.name === known.pipelineName);
	if (item === undefined || pipeline === undefined) return undefined;
	const [newestRun] = all
		.filter((run) => run.schedule_name === item.schedule_name && run.pipeline_id !== pipeline.pipeline_id)
		.sort((a, b) => (b.created_at ?? "").localeCompare(a.created_at ?? ""));
	const found = { ...item, pipeline, latest_run: newestRun };
	refuseOtherSchedule(call, team, known, found);
	return found;
}

/**
 * The schedule, or undefined if the service itself says that it is gone: a direct request answers 404 in its own words,
 * and the team's list does not have it either. What was made a moment ago, and what the list still shows, is asked for again.
 */
async function getOrMissing(
	call: Call,
	team: string,
	id: number,
	known: Props,
): Promise<Schedule | undefined> {
	/** `listed` also if the list still has what a direct request does not know. */
	const look = async () => {
		const live = await getSchedule(call, team, id).catch(missingIsUndefined);
		if (live !== undefined) return { live, listed: true };
		// Retries do not make another service show it.
		refuseOtherService(call, known, `Schedule ${id} of team "${team}" was not found`);
		return { live, listed: await isListed(call, team, id) };
	};
	const { live, listed } = await lookUntil(
		call,
		look,
		(found) => found.live !== undefined || !(found.listed || isYoung(call, known)),
	);
	if (live !== undefined) refuseOtherSchedule(call, team, known, live);
	else if (listed)
		throw new Error(
			`Schedule ${id} of team "${team}" is in the service's list, but the service answers 404 when it is asked for it. ` +
				"Nothing was changed. Run the command again in a minute; if that does not help, contact the operator of the service.",
		);
	return live;
}

const isListed = async (call: Call, team: string, id: number): Promise<boolean> =>
	(await call.lists.schedules(team, "now")).some((item) => item.id === id);

/** R6: another installation of the service has the same ids; the moment of creation does not repeat. */
function refuseOtherSchedule(call: Call, team: string, known: Props, live: Schedule): void {
	const [before, now] = [known.createdAt, live.created_at];
	if (typeof before !== "string" || typeof now !== "string") {
		// A state that was kept after a failure may not know that moment: then name and pipeline must be the known ones.
		const isNamed =
			known.scheduleName === undefined ||
			(foldName(nameOf(live)) === foldName(String(known.scheduleName)) &&
				(!live.pipeline?.name || live.pipeline.name === known.pipelineName));
		if (isNamed) return;
		throw new Error(
			`Schedule ${live.id} of team "${team}" is "${nameOf(live)}" on pipeline "${pipelineOf(live)}", ` +
				`and the state expects "${String(known.scheduleName)}" on "${String(known.pipelineName)}": it is another schedule. Nothing ` +
				'was changed. Remove the resource from the state with "pulumi state delete <urn>", then run "pulumi up".',
		);
	}
	if (sameInstant(before, now)) return;
	throw new Error(
		`Schedule ${live.id} of team "${team}" at ${call.serviceUrl} was created at ${showInstant(now)}, but the one in the state at ` +
			`${showInstant(before)}: it is another schedule under the same id. Check that the connection points to the right service ` +
			`(DATACHAIN_STUDIO_URL or datachain:baseUrl). Nothing was changed.`,
	);
}

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

type Before = BeforeRequest<number>;
const beforeRequest = perList((items: readonly ListedSchedule[]): Before => new BeforeRequest(items));

async function create(call: Call, inputs: Props) {
	const args = argsOf(inputs);
	refuseDuplicates(call);
	// Pause and resume come first: a paused pipeline's schedule cannot fire in between, and a failure leaves nothing made.
	if (args.paused !== undefined) {
		const pipeline = await pipelineSoon(call, args.teamName, args.pipelineName);
		if (isPausedPipeline(pipeline) !== args.paused) await sendPause(call, targetOf(args), args.paused);
	}
	const before = beforeRequest(await call.lists.schedules(args.teamName, "recent"));
	const live = await createOnce(call, args, before);
	const name = live.schedule_name ?? args.scheduleName;
	call.duplicates.add({ team: args.teamName, name, id: live.id, at: call.time.now() });
	// A new schedule never had another name: the service stores names in a form of its own.
	const isNamed = live.schedule_name === args.scheduleName;
	return { id: String(live.id), live, problem: isNamed ? undefined : respelled(call, args, live) };
}

/** If the response is lost or names another schedule, the schedule is searched for in the list. */
async function createOnce(call: Call, args: ScheduleArgs, before: Before): Promise<Schedule> {
	const { teamName: team } = args;
	const request = {
		team_name: team,
		schedule_name: args.scheduleName,
		pipeline_name: args.pipelineName,
		...toWire(SCHEDULE_FIELDS, "create", args),
	};
	const send = (options: CallOptions) => call.client.schedules.create(request, options);
	const get = (id: number) => getSchedule(call, team, id).catch(failureIsUndefined);
	let namesakes: readonly ListedSchedule[] = [];
	let equal: Schedule[] = [];
	const find = async () => {
		const items = await call.lists.schedules(team, "now");
		namesakes = items.filter(
			(item) =>
				item.schedule_name === args.scheduleName &&
				before.mayHaveMade(item) &&
				call.claims.of(refOf(team, item.id)).is === "foreign",
		);
		const found = await Promise.all(namesakes.map(({ id }) => get(id)));
		// R1: nothing else says that a schedule is the product of our own request: it is new, and equal in every field. Of
		// two such schedules one is another user's.
		equal = found.filter((live) => live !== undefined && notAsSent(args, live).length === 0) as Schedule[];
		return equal.length === 1 ? equal[0] : undefined;
	};
	const identify = async ({ schedule }: ScheduleOutput) => {
		if (!schedule) return "the response named no schedule.";
		const live = await seenSoon(call, () => get(schedule.id));
		// An id whose schedule was never seen may be anybody's.
		if (live === undefined) return `the response named schedule ${schedule.id}, which could not be read.`;
		// R6: the id is believed also if the service changed a value, or the name.
		const wrong = notAsSent(args, live);
		const isNamed = foldName(nameOf(live)) === foldName(args.scheduleName);
		const isOnlyRenamed = wrong.every((field) => field === "scheduleName");
		if (!before.mayHaveMade(live) || wrong.includes("pipelineName") || !(isNamed || isOnlyRenamed))
			return `the response named schedule ${schedule.id}, which is not the one that was asked for and was not changed.`;
		// A service that stores names in a form of its own; a schedule of the declared name would be the request's product instead.
		return isNamed ? live : ((await find().catch(failureIsUndefined)) ?? live);
	};
	return makeOnce(call, send, identify, find, (why) =>
		unclear(call, args.scheduleName, team, why, namesakes, equal.length > 0),
	);
}

/** Fields of the create request that the schedule does not have. */
const notAsSent = (args: ScheduleArgs, live: Schedule): string[] =>
	differences(SCHEDULE_FIELDS, args, live)
		.map(({ field }) => field)
		.filter((field) => isSent(SCHEDULE_FIELDS, "create", field));

/** R7: names made twice end the run, gaps in a list are told. */
function refuseDuplicates(call: Call): void {
	const absent = call.duplicates.takeAbsent();
	if (absent.length > 0) {
		call.notice(
			`The service's list does not show what was just created: ${absent.join(", ")}. It lags behind or is cut, so a second ` +
				'schedule of the same name might go unseen. "pulumi refresh" looks again.',
		);
	}
	const found = call.duplicates.problem();
	if (found !== undefined) throw new Error(found);
}

const targetOf = ({ teamName, pipelineName }: ScheduleArgs) => ({ team_name: teamName, name: pipelineName });

/** Sends what differs from the state or from the service, and later what another user changes meanwhile. */
async function plan(
	call: Call,
	inputs: Props,
	live: Schedule,
	olds: Props,
	adopted: boolean,
): Promise<Plan<Schedule>> {
	const args = argsOf(inputs);
	const fromState = Object.keys(olds).length > 0 ? changes(SCHEDULE_FIELDS, olds, inputs) : [];
	const differing = [...fromState, ...differences(SCHEDULE_FIELDS, inputs, live)].map(({ field }) => field);
	const sent = new Set(
		differing
			.filter((field) => isSent(SCHEDULE_FIELDS, "update", field))
			.map((field) => sentFor(SCHEDULE_FIELDS, field, inputs)),
	);
	let isPauseSent = false;
	const send = async (fields: ReadonlySet<string>, more: object = {}): Promise<void> => {
		const body = { ...toWire(SCHEDULE_FIELDS, "update", args, fields), ...more };
		if (Object.keys(body).length === 0) return;
		await call.client.schedules.update({ team_name: args.teamName, schedule_id: live.id, ...body });
	};
	// A start time that is no longer declared must not hold the schedule back; no request unsets it, so it becomes now.
	const startsNow = olds.startAfter !== undefined && args.startAfter === undefined;
	return {
		writes: sent.size > 0,
		sent,
		untilDone: startsNow ? { ...inputs, startAfter: olds.startAfter } : inputs,
		send: () => send(sent, startsNow ? { start_after: formatInstant(call.time.now()) } : {}),
		read: () => getSchedule(call, args.teamName, live.id),
		wrong: (now) => described(SCHEDULE_FIELDS, inputs, now, call),
		async sendAgain(wrong) {
			const isWrong = (name: string) => wrong.some(({ field }) => field === name);
			// The update is promised only to pause; the pipeline's own requests pause and resume.
			if (isWrong("paused") && !isPauseSent) {
				isPauseSent = true;
				await sendPause(call, targetOf(args), args.paused === true);
			}
			const changed = Object.keys(SCHEDULE_FIELDS).filter(
				(field) => isWrong(field) && !sent.has(field) && isSent(SCHEDULE_FIELDS, "update", field),
			);
			for (const field of changed) sent.add(field);
			await send(new Set(changed));
		},
		explain: (wrong, now) => {
			const isOnlyName = wrong.length === 1 && wrong[0]?.field === "scheduleName";
			const isNamed = foldName(nameOf(now)) === foldName(args.scheduleName);
			return isOnlyName && isNamed ? respelled(call, args, now) : undefined;
		},
		outs: (told, known, now) => scheduleOuts(told, known, now, adopted),
	};
}

async function remove(call: Call, id: number, outs: Props): Promise<void> {
	const team = String(outs.teamName);
	const listed = (await call.lists.schedules(team, "recent")).find((item) => item.id === id);
	if (listed && typeof outs.createdAt === "string") refuseOtherSchedule(call, team, outs, listed);
	else if ((await getOrMissing(call, team, id, outs)) === undefined) return;
	// It may be deleted already, by an attempt whose response was lost or by another user; the looks below tell.
	await call.client.schedules.delete({ team_name: team, schedule_id: id }).catch(missingIsUndefined);
	if (await seenSoon(call, async () => (await isDeleted(call, team, id)) || undefined)) return;
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
		if (!(error instanceof NotFoundError || error instanceof InvalidRequestError)) throw error;
		return !(await isListed(call, team, id));
	}
}

// ── The state ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** Everything the resource shows: its inputs, and what the service adds to them. */
function scheduleOuts(call: Call, inputs: Props, live: Schedule, adopted: boolean, known: Props = {}): Props {
	const datasets = hidesDatasets(call, live, known) ? ["triggeredFrom"] : [];
	const name = holdSecrets(call, ["pipelineName"]) ? ["name"] : [];
	return {
		...inputs,
		scheduleId: live.id,
		nextRun: showInstantOf(live.next_run),
		createdAt: showInstantOf(live.created_at),
		updatedAt: showInstantOf(live.updated_at),
		createdBy: live.created_by ? userOut(live.created_by) : undefined,
		latestRun: live.latest_run ? without(pipelineSummary(live.latest_run), datasets) : undefined,
		pipeline: live.pipeline ? without(pipelineSummary(live.pipeline), [...name, ...datasets]) : undefined,
		...timeOuts(inputs, live.start_after, call.time.now(), call.secrets),
		adopted,
		serviceUrl: call.serviceUrl,
	};
}

/**
 * The datasets may be a secret of the Pipeline resource. A refresh may read the schedule first, so what the state leaves
 * out stays left out.
 */
function hidesDatasets({ secretNames }: Call, { pipeline }: Schedule, { pipeline: before }: Props): boolean {
	const shown = pipeline?.triggered_from ?? "";
	const wasHidden = before !== undefined && !Object.hasOwn(Object(before), "triggeredFrom");
	return wasHidden || secretNames.redact(shown) !== shown;
}

const userOut = (user: User): Props =>
	setOnly({ username: user.username, firstName: user.first_name, lastName: user.last_name });

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

/** R7: warns if a managed schedule is under two resources, or not the only one of its name. */
async function tellDuplicates(call: Call, team: string, live: Schedule): Promise<void> {
	const which = `"${nameOf(live)}" (id ${live.id})`;
	const other = call.claims.readFor(call.urn, refOf(team, live.id), call.madeAt !== undefined);
	if (other !== undefined) {
		call.notice(
			`Schedule ${which} in team "${team}" is in the state of two resources, ` +
				`${resourceName(other)} and ${resourceName(call.urn)}. Deleting one deletes it for both: remove one of them from the state ` +
				'with "pulumi state delete <urn>".',
		);
	}
	const items = await call.lists.schedules(team);
	if (!items.some(({ id }) => id === live.id)) {
		call.notice(
			`The list of team "${team}" does not show schedule ${which}, which is there: the list is cut ` +
				"or lags behind, so a second schedule of a name could go unseen.",
		);
	}
	const others = (byName(items).get(nameOf(live)) ?? []).filter(({ id }) => id !== live.id);
	if (others.length === 0) return;
	call.notice(
		`Schedule "${nameOf(live)}" exists ${others.length + 1} times in team "${team}": this stack manages id ${live.id}; ` +
			`also there: ${others.map((item) => identify(call, item)).join("; ")}. Each of them runs its pipeline: delete or rename ` +
			"the ones that are not wanted.",
	);
}

const which = ({ scheduleName, teamName: team }: Props, id: string): string =>
	`Schedule "${String(scheduleName)}" (id ${id}) in team "${String(team)}"`;

// ── The kind ────────────────────────────────────────────────────────────────────────────────────────────────────────

const schedule: Managed<Schedule> = {
	kind: "PipelineSchedule",
	fields: SCHEDULE_FIELDS,

	check(call, olds, given) {
		const inputs = { ...given, scheduleName: given.scheduleName ?? defaultName(call) };
		return checkRules(call, olds, inputs, checkFields(SCHEDULE_FIELDS, olds, inputs));
	},
	checkLive,

	predict(call, inputs) {
		const { cronExpression, timeZone, utcCron, startAfter } = inputs;
		return containsUnknown([cronExpression, timeZone, utcCron, startAfter])
			? {}
			: timeOuts(inputs, undefined, call.time.now(), call.secrets);
	},

	list: namesakes,
	async detail(call, { slot: { team }, inputs }, row, how) {
		if (unreadable(row.live) !== undefined) return row;
		const { id } = row.live;
		const live = await (how === "with retries"
			? getOrMissing(call, team, id, {})
			: getSchedule(call, team, id).catch(missingIsUndefined));
		return live && rowOf(inputs, live);
	},
	creation: {
		folded: foldName,
		create,
		async confirm(call, inputs) {
			if (call.duplicates.isDue(call.time.now())) await call.lists.schedules(String(inputs.teamName), "now");
			refuseDuplicates(call);
		},
		mayBeRefused,
	},

	get: (call, id, known, from) =>
		from === "now"
			? getOrMissing(call, String(known.teamName), numericId(id), known)
			: fromLists(call, id, known, from),
	async refreshed(call, _id, outs, live) {
		await tellDuplicates(call, String(outs.teamName), live);
		return { ...outs, ...startOf(outs, live) };
	},
	outs: scheduleOuts,

	plan,
	async remove(call, id, outs) {
		await remove(call, numericId(id), outs);
		call.duplicates.forget(numericId(id));
	},

	words: {
		which,
		duplicate: ({ scheduleName, teamName: team }) =>
			`both declare schedule "${String(scheduleName)}" in team "${String(team)}". Give one of the two another ` +
			"scheduleName, or remove it.",
		async gone(_call, { scheduleName, teamName: team }, id) {
			return `Schedule "${String(scheduleName)}" (id ${id}) is no longer in team "${String(team)}". Run "pulumi up --refresh" to create it again.`;
		},
		kept: (call, outs, id, holder) => leftToItsHolder(call, `${which(outs, id)} was not deleted`, holder),
		refused: refused(SCHEDULE_FIELDS),
	},
};

export const pipelineSchedule = lifecycle(schedule);
