import {
	CronError,
	compileCron,
	type DeclaredCron,
	holdsUntil,
	needsCompiling,
	sameCron,
	tryDescribeCron,
	usesSpread,
} from "../../schemas/cron";
import type { Call } from "../context";
import { type CheckResult, type Problem, type Props, problem } from "../handler";
import { isUnknown, UNKNOWN } from "../shared/unknown";
import { resourceName } from "../urn";

/** The inputs with the expression that the service gets, where that is not the declared one; what is wrong with it. */
export function compileDeclared(call: Call, olds: Props, given: Props, wrong: Problem[]): CheckResult {
	const { utcCron: fromProgram, ...inputs } = given;
	const problems = [...refuseGiven(call, olds, given, fromProgram), ...zoneWithoutCron(inputs)];
	const isWrong = wrong.some(({ field }) => field === "cronExpression" || field === "timeZone");
	if (isWrong || problems.length > 0) return { inputs, problems };
	const { cronExpression: cron, timeZone, teamName: team, scheduleName: name } = inputs;
	if (isUnknown(cron) || isUnknown(timeZone)) {
		return { inputs: timeZone === undefined ? inputs : { ...inputs, utcCron: UNKNOWN }, problems };
	}
	const declared = declaredCron(inputs);
	if (declared === undefined || !needsCompiling(declared)) return { inputs, problems };
	// With `ignoreChanges` the engine hands in what the state has: what somebody else put there stays.
	const isIgnored =
		fromProgram === olds.utcCron && cron === olds.cronExpression && timeZone === olds.timeZone;
	if (isIgnored && fromProgram !== undefined) return { inputs: given, problems };
	if (usesSpread(declared.expression) && (isUnknown(team) || isUnknown(name))) {
		return { inputs: { ...inputs, utcCron: UNKNOWN }, problems };
	}
	const secret = ["cronExpression", "timeZone"].find((field) => call.secrets.includes(field));
	if (secret !== undefined) {
		// The engine encrypts by key: what is made of a secret would be stored in clear.
		const text =
			"a secret cannot be compiled to UTC, because the result is stored in clear. Write cronExpression in UTC, without H and timeZone, or without a secret.";
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

/** What the outputs say of the expression: its meaning, and until when its compiled form holds. */
export function cronOuts(inputs: Props, now: number, secrets: readonly string[]): Props {
	const declared = declaredCron(inputs);
	if (declared === undefined || secrets.includes("cronExpression")) return {};
	const { utcCron } = inputs;
	if (typeof utcCron !== "string") return { cronDescription: tryDescribeCron(declared.expression) };
	try {
		const until = holdsUntil(declared, utcCron, now);
		return {
			cronDescription: tryDescribeCron(compileCron(declared, now).local, declared.timeZone),
			...(until !== undefined && { validUntil: new Date(until).toISOString() }),
		};
	} catch (error) {
		// The rules of the zone have changed since, or this machine does not know it, which Intl tells by a RangeError: the
		// next check says so, and a refresh must still work.
		if (!(error instanceof CronError || error instanceof RangeError)) throw error;
		return { cronDescription: tryDescribeCron(utcCron) };
	}
}

/** The cron of a schedule's inputs; undefined where it has none. */
export function declaredCron(inputs: Props): DeclaredCron | undefined {
	const { cronExpression: expression, timeZone: zone } = inputs;
	if (typeof expression !== "string") return undefined;
	const timeZone = typeof zone === "string" ? zone : undefined;
	return { expression, timeZone, team: String(inputs.teamName), name: String(inputs.scheduleName) };
}

/** The state's own value, which the engine hands in with `ignoreChanges`, and that of a check before, are none of the program's. */
function refuseGiven(call: Call, olds: Props, given: Props, utcCron: unknown): Problem[] {
	if (utcCron === undefined || utcCron === olds.utcCron || isUnknown(utcCron)) return [];
	if (utcCron === compiledNow(call, given)) return [];
	return [
		problem("utcCron", "it is an output. Declare cronExpression, with a timeZone where it is not UTC."),
	];
}

function compiledNow(call: Call, given: Props): string | undefined {
	const declared = declaredCron(given);
	try {
		return declared && needsCompiling(declared) ? compileCron(declared, call.time.now()).utcCron : undefined;
	} catch {
		return undefined;
	}
}

function zoneWithoutCron({ cronExpression, timeZone }: Props): Problem[] {
	if (typeof timeZone !== "string" || typeof cronExpression === "string") return [];
	const text =
		"it says by which clocks a cronExpression is read, and there is none. Take it away, and give startAfter with an offset.";
	return [problem("timeZone", text)];
}

function tellClockChange(call: Call, olds: Props, inputs: Props, utcCron: string): void {
	const isSame = ["cronExpression", "timeZone", "scheduleName", "teamName"].every(
		(key) => olds[key] === inputs[key],
	);
	if (!isSame || typeof olds.utcCron !== "string" || sameCron(olds.utcCron, utcCron)) return;
	call.notice(
		`${resourceName(call.urn)}: "${String(inputs.cronExpression)}" in ${String(inputs.timeZone)} is "${utcCron}" in UTC now, and ` +
			`the service has "${olds.utcCron}". The clocks have changed, or somebody changed the schedule; it will be updated.`,
	);
}
