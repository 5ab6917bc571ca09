import {
	CronError,
	compileCron,
	declaredCron,
	describeSchedule,
	holdsUntil,
	needsCompiling,
	normalizeCron,
	sameCron,
	usesSpread,
} from "../../../cron";
import { failureIsUndefined } from "../../../operations/create-once";
import { getPipeline, missingIsUndefined } from "../../../operations/pipelines";
import { isPausedPipeline } from "../../../schemas/pipeline-status";
import { parseInstant, showInstant } from "../../../text/instant";
import { parseUrn, resourceName } from "../../model/messages";
import {
	type CheckResult,
	containsUnknown,
	isUnknown,
	type Problem,
	type Props,
	problem,
	UNKNOWN,
} from "../../model/props";
import type { Call } from "../../run/context";
import { listedPipeline, noSuchPipeline, pipelineSoon } from "../../run/outcome";
import { isPauseDeclared, pauseNotice } from "../../run/pauses";
import type { ScheduleArgs } from "./fields";

/** The rules between the fields, and the computed `utcCron`; `wrong` are the problems of the schemas. */
export async function checkRules(
	call: Call,
	olds: Props,
	given: Props,
	wrong: Problem[],
): Promise<CheckResult> {
	const { inputs, problems } = compileDeclared(call, olds, given, wrong);
	const isNew = olds.scheduleName === undefined;
	if (isNew) madePausedNotice(call, inputs);
	const all = [
		...(await stillRefused(call, inputs, wrong)),
		...problems,
		...needsATime(inputs),
		...(isNew ? inThePast(call, inputs) : []),
	];
	return { inputs, problems: all };
}

/** Checks against the service: the pipeline must exist, and the user should know if it is paused. */
export async function checkLive(
	call: Call,
	inputs: Props,
	olds: Props,
	knowsAll: boolean,
): Promise<Problem[]> {
	if (!knowsAll) return [];
	const args = inputs as unknown as ScheduleArgs;
	const missing =
		olds.scheduleName === undefined ? await missingPipeline(call, args) : [];
	if (missing.length > 0) return missing;
	await pauseNotice(call, args);
	await neverRunsNotice(call, args);
	return [];
}

/** A start that passed within the last minute is accepted: the deployment itself took that long. */
const GRACE_MILLIS = 60_000;

/** `<project>-<stack>-<resource name>`; undefined, which is refused as missing, if the host gives no name. */
export function defaultName({ urn, program }: Call): string | undefined {
	const name = parseUrn(urn)?.name;
	return program && name && `${program.project}-${program.stack}-${name}`;
}

/**
 * Returns the problems without that of the cron if the live schedule has this cron: what a new schedule is refused for,
 * an adopted one may keep.
 */
async function stillRefused(
	call: Call,
	inputs: Props,
	problems: Problem[],
): Promise<Problem[]> {
	const { cronExpression: cron, teamName: team, scheduleName: name } = inputs;
	const besidesCron = problems.filter(({ field }) => field !== "cronExpression");
	if (typeof cron !== "string" || besidesCron.length === problems.length)
		return problems;
	// A refused cron is not compiled, so its time zone would have no effect.
	if (inputs.timeZone !== undefined) return problems;
	if (inputs.adopt !== true || typeof team !== "string") return problems;
	// The schedule may be unknown until the deployment, and that checks again.
	if (containsUnknown([team, name])) return besidesCron;
	const named = (await call.lists.schedules(team, "recent")).filter(
		(item) => item.schedule_name === name,
	);
	const isLive = named.some(
		(item) => normalizeCron(item.cron_expression ?? "") === normalizeCron(cron),
	);
	return isLive ? besidesCron : problems;
}

function needsATime(inputs: Props): Problem[] {
	if (inputs.cronExpression !== undefined || inputs.startAfter !== undefined) return [];
	const text =
		'a schedule needs a cronExpression, a startAfter, or both. Set cronExpression to "0 3 * * *" to run every day at 03:00 UTC.';
	return [problem("cronExpression", text)];
}

function inThePast(
	call: Call,
	{ cronExpression, startAfter, adopt }: Props,
): Problem[] {
	const start = typeof startAfter === "string" ? parseInstant(startAfter) : undefined;
	if (cronExpression !== undefined || adopt === true || call.adoptEqual) return [];
	if (start === undefined || start > call.time.now() - GRACE_MILLIS) return [];
	return [
		problem(
			"startAfter",
			`${String(startAfter)} has passed, and without a cronExpression a schedule runs only at its start time. Give a time in the ` +
				"future, or add a cronExpression.",
		),
	];
}

async function missingPipeline(
	call: Call,
	{ teamName: team, pipelineName: name }: ScheduleArgs,
): Promise<Problem[]> {
	if (await pipelineSoon(call, team, name).catch(missingIsUndefined)) return [];
	return [{ field: "pipelineName", reason: await noSuchPipeline(call, team, name) }];
}

// ── Pauses ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Tells that the schedule will not run, because its pipeline is paused. Not if a resource of the program declares the
 * pause: then it is meant.
 */
async function neverRunsNotice(
	call: Call,
	{ teamName, pipelineName, paused }: ScheduleArgs,
): Promise<void> {
	if (
		paused !== undefined ||
		!isPausedPipeline(await listedPipeline(call, teamName, pipelineName))
	)
		return;
	if (isPauseDeclared(call, teamName, pipelineName)) return;
	// The list may lag behind this deployment, which may have resumed the pipeline.
	const now = await getPipeline(call, teamName, pipelineName).catch(failureIsUndefined);
	if (!isPausedPipeline(now)) return;
	call.notice(
		`Pipeline "${pipelineName}" in team "${teamName}" is paused, so schedule ${resourceName(call.urn)} never runs it. Set paused ` +
			"to false on the schedule to resume it, or to true if it is meant to be paused, unless another resource of this " +
			"program sets it.",
	);
}

/** The same for a pipeline whose name is not known yet: one of this program is created paused. */
export function madePausedNotice(call: Call, { pipelineName, paused }: Props): void {
	if (!call.preview || !isUnknown(pipelineName) || paused === true) return;
	const madePaused = [...call.declared.declaredPipelines()].filter(
		([, { start }]) => start !== true,
	);
	const [first] = madePaused;
	if (first === undefined) return;
	const label =
		madePaused.length === 1 ? resourceName(first[0]) : "one that this program creates";
	const then =
		paused === false
			? "it is created paused and then resumed, and its jobs run: the schedule sets paused to false."
			: "it is created paused, and the schedule never runs it. Set paused to false on the schedule to resume it, or start to true " +
				"on the pipeline.";
	call.notice(
		`Schedule ${resourceName(call.urn)}: its pipeline is not known yet. If it is ${label}, ${then}`,
	);
}

// ── The cron expression ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The inputs with the expression that the service gets, if that is not the declared one; what is wrong with it. */
function compileDeclared(
	call: Call,
	olds: Props,
	given: Props,
	wrong: Problem[],
): CheckResult {
	const { utcCron: fromProgram, ...inputs } = given;
	const problems = [
		...refuseUtcCron(call, olds, given, fromProgram),
		...zoneWithoutCron(inputs),
	];
	const isWrong = wrong.some(
		({ field }) => field === "cronExpression" || field === "timeZone",
	);
	if (isWrong || problems.length > 0) return { inputs, problems };
	const { cronExpression: cron, timeZone, teamName: team, scheduleName: name } = inputs;
	if (isUnknown(cron) || isUnknown(timeZone)) {
		return {
			inputs: timeZone === undefined ? inputs : { ...inputs, utcCron: UNKNOWN },
			problems,
		};
	}
	const declared = declaredCron(inputs);
	if (declared === undefined || !needsCompiling(declared)) return { inputs, problems };
	// With `ignoreChanges` the engine passes the value of the state, which stays. A program that sets utcCron itself to
	// the state's value looks the same and is allowed, too.
	const isIgnored =
		fromProgram === olds.utcCron &&
		cron === olds.cronExpression &&
		timeZone === olds.timeZone;
	if (isIgnored && fromProgram !== undefined) return { inputs: given, problems };
	if (usesSpread(declared.expression) && (isUnknown(team) || isUnknown(name))) {
		return { inputs: { ...inputs, utcCron: UNKNOWN }, problems };
	}
	const secret = ["cronExpression", "timeZone"].find((field) =>
		call.secrets.includes(field),
	);
	if (secret !== undefined) {
		// The engine encrypts by key: a value made of a secret would be stored in plain text.
		const text =
			"a secret cannot be compiled to UTC, because the result is stored in plain text. Write cronExpression in UTC, without H and timeZone, or without a secret.";
		return { inputs, problems: [problem(secret, text)] };
	}
	try {
		const { utcCron } = compileCron(declared, call.time.now());
		tellClockChange(call, olds, inputs, utcCron);
		return { inputs: { ...inputs, utcCron }, problems };
	} catch (error) {
		if (!(error instanceof CronError)) throw error;
		return { inputs, problems: [problem("cronExpression", error.message)] };
	}
}

/** What the outputs say of the times: their meaning, and until when the compiled form of the expression holds. */
export function timeOuts(
	inputs: Props,
	startAfter: unknown,
	now: number,
	secrets: readonly string[],
): Props {
	const times = { startAfter, ...inputs };
	const source = inputs.cronExpression === undefined ? "startAfter" : "cronExpression";
	if (secrets.includes(source)) return {};
	const until = validUntil(inputs, now);
	return {
		cronDescription: describeSchedule(times, now),
		...(until !== undefined && { validUntil: showInstant(until) }),
	};
}

function validUntil(inputs: Props, now: number): number | undefined {
	const declared = declaredCron(inputs);
	if (declared === undefined || typeof inputs.utcCron !== "string") return undefined;
	try {
		return holdsUntil(declared, inputs.utcCron, now);
	} catch (error) {
		// This machine does not know the zone.
		if (!(error instanceof CronError || error instanceof RangeError)) throw error;
		return undefined;
	}
}

/** Only the program's own value is refused: the engine hands in that of the state (`ignoreChanges`) or of the first check. */
function refuseUtcCron(
	call: Call,
	olds: Props,
	given: Props,
	utcCron: unknown,
): Problem[] {
	if (utcCron === undefined || utcCron === olds.utcCron || isUnknown(utcCron))
		return [];
	if (utcCron === compiledNow(call, given)) return [];
	return [
		problem(
			"utcCron",
			"it is an output. Declare cronExpression, with a timeZone if it is not in UTC.",
		),
	];
}

function compiledNow(call: Call, given: Props): string | undefined {
	const declared = declaredCron(given);
	try {
		return declared && needsCompiling(declared)
			? compileCron(declared, call.time.now()).utcCron
			: undefined;
	} catch {
		return undefined;
	}
}

function zoneWithoutCron({ cronExpression, timeZone }: Props): Problem[] {
	if (typeof timeZone !== "string" || typeof cronExpression === "string") return [];
	const text =
		"it applies to a cronExpression, and there is none. Remove it, and give startAfter with an offset.";
	return [problem("timeZone", text)];
}

function tellClockChange(
	call: Call,
	olds: Props,
	inputs: Props,
	utcCron: string,
): void {
	const isSame = ["cronExpression", "timeZone", "scheduleName", "teamName"].every(
		(key) => olds[key] === inputs[key],
	);
	if (!isSame || typeof olds.utcCron !== "string" || sameCron(olds.utcCron, utcCron))
		return;
	const label = resourceName(call.urn);
	const { cronExpression: cron, timeZone } = inputs;
	// Without a time zone the value of an H is always the same.
	call.notice(
		timeZone === undefined
			? `${label}: the service has "${olds.utcCron}", because another user changed the schedule; it will be updated.`
			: `${label}: "${String(cron)}" in ${String(timeZone)} is "${utcCron}" in UTC now, and the service has "${olds.utcCron}". ` +
					"Daylight saving has changed, or another user changed the schedule; it will be updated.",
	);
}
