import { showInstant } from "../text/instant";
import { remembering } from "../text/remember";
import { closest } from "../text/suggest";
import { list } from "../text/wording";
import { runsOf, shortCron } from "./compare";
import { compileCron, type DeclaredCron, needsCompiling, spreadCron } from "./compile";
import { fromOtherForm } from "./other-forms";
import { CRON_MACROS, CronError, isValidCron, normalizeCron, parseCron } from "./parse";
import { MINUTE_MS } from "./time-zones";

/** Loaded with the first description that needs it: a deployment without changes writes none. */
const cronstrue = () => (require("cronstrue") as typeof import("cronstrue")).default;

const describe = remembering((canonical: string, zone: string) => {
	const text = shortCron(canonical);
	return wordsFor(text, zone) ?? atLength(text, zone);
});

function atLength(text: string, zone: string): string {
	// The last Friday is L5 to croniter and 5L to cronstrue.
	const words = cronstrue()
		.toString(text.replace(/L(\d)/g, "$1L"), { use24HourTimeFormat: true })
		.replaceAll(" through ", " to ");
	return `${words.charAt(0).toLowerCase()}${words.slice(1)} (${zone})`;
}

/** What the expression means, in plain language: "every Monday at 03:00 UTC". */
export const describeCron = (expression: string, zone = "UTC"): string =>
	describe(parseCron(expression).canonical, zone);

/** The same for an expression that somebody else wrote; undefined if it cannot be read. */
export const tryDescribeCron = (
	expression: string,
	zone?: string,
): string | undefined =>
	isValidCron(expression) ? describeCron(expression, zone) : undefined;

// ── When a schedule runs ──

/** The inputs of a schedule that say when it runs, as far as they are known. */
interface ScheduleTimes {
	readonly cronExpression?: unknown;
	readonly timeZone?: unknown;
	/** The compiled expression, which is described if the declared one cannot be compiled any more. */
	readonly utcCron?: unknown;
	readonly startAfter?: unknown;
	readonly teamName?: unknown;
	readonly scheduleName?: unknown;
}

/** The next `count` times at which the expression fires strictly after `after`. */
export function nextRuns(expression: string, after: Date, count: number): Date[] {
	const runs: Date[] = [];
	if (count < 1) return runs;
	const earliest = (Math.floor(after.getTime() / MINUTE_MS) + 1) * MINUTE_MS;
	for (const at of runsOf(parseCron(expression), earliest)) {
		if (runs.push(new Date(at)) === count) break;
	}
	return runs;
}

/** The cron of a schedule; undefined if it has none. */
export function declaredCron(times: ScheduleTimes): DeclaredCron | undefined {
	const { cronExpression: expression, timeZone: zone } = times;
	if (typeof expression !== "string") return undefined;
	const timeZone = typeof zone === "string" ? zone : undefined;
	return {
		expression,
		timeZone,
		team: String(times.teamName),
		name: String(times.scheduleName),
	};
}

/** When a schedule runs, in plain language; the program's preview and the provider say the same. */
export function describeSchedule(
	times: ScheduleTimes,
	now: number,
): string | undefined {
	const declared = declaredCron(times);
	const { utcCron, startAfter } = times;
	if (declared === undefined)
		return typeof startAfter === "string"
			? `once, at ${showInstant(startAfter)}`
			: undefined;
	if (!needsCompiling(declared)) return tryDescribeCron(declared.expression);
	try {
		return tryDescribeCron(compileCron(declared, now).local, declared.timeZone);
	} catch (error) {
		// The rules of the zone have changed since, or this machine does not know it, which Intl tells by a RangeError: the
		// next check says so, and a refresh must still work.
		if (!(error instanceof CronError || error instanceof RangeError)) throw error;
		return typeof utcCron === "string" ? tryDescribeCron(utcCron) : undefined;
	}
}

// ── The usual expressions in few words ──────────────────────────────────────────────────────────────────────────────

const DAY_NAMES = [
	"Sunday",
	"Monday",
	"Tuesday",
	"Wednesday",
	"Thursday",
	"Friday",
	"Saturday",
];
const MOST_TIMES = 4;
const NTH = ["first", "second", "third", "fourth", "fifth"];

/**
 * The usual expressions in few words: "every 5 minutes", "every day at 03:00 UTC", "Monday to Friday at 09:00 and 17:00
 * UTC". Undefined for the others. `text` is in the short form of a canonical expression.
 */
export function wordsFor(text: string, zone: string): string | undefined {
	const [minute = "", hour = "", date = "", month = "", weekday = ""] = text.split(" ");
	if (month !== "*") return undefined;
	if (date === "*" && weekday === "*" && hour === "*") return everyHour(minute, zone);
	if (date === "*" && weekday === "*" && minute === "0" && /^\*\/\d+$/.test(hour)) {
		return hoursInSteps(Number(hour.slice(2)), zone);
	}
	const times = timesOf(minute, hour);
	const days = times && daysOf(date, weekday);
	return days && `${days} at ${list(times)} ${zone}`;
}

/** Without a zone, except if it matters: some clocks are half an hour apart. */
function everyHour(minute: string, zone: string): string | undefined {
	if (minute === "*") return "every minute";
	const where = zone === "UTC" ? "" : ` ${zone}`;
	if (/^\*\/\d+$/.test(minute)) return inSteps(Number(minute.slice(2)), where);
	if (minute === "0") return `every hour${where && ` on the hour of ${zone}`}`;
	return /^\d+$/.test(minute)
		? `every hour at :${minute.padStart(2, "0")}${where}`
		: undefined;
}

/** A step that does not divide the hour begins anew with each: `*\/40` runs at :00 and :40. */
function inSteps(step: number, where: string): string {
	if (60 % step === 0) return `every ${step} minutes`;
	const minutes = Array.from({ length: Math.ceil(60 / step) }, (_, at) =>
		String(at * step),
	);
	if (minutes.length > MOST_TIMES)
		return `every ${step} minutes from :00 of every hour${where}`;
	return `every hour at ${list(minutes.map((minute) => `:${minute.padStart(2, "0")}`))}${where}`;
}

/** The same of a day: `*\/10` runs at 00:00, 10:00 and 20:00, and then at midnight. */
function hoursInSteps(step: number, zone: string): string {
	if (24 % step === 0) return `every ${step} hours from 00:00 ${zone}`;
	const hours = Array.from({ length: Math.ceil(24 / step) }, (_, at) =>
		String(at * step),
	);
	const times = timesOf("0", hours.join(","));
	return times === undefined
		? `every ${step} hours from 00:00 ${zone} of every day`
		: `every day at ${list(times)} ${zone}`;
}

function timesOf(minute: string, hour: string): string[] | undefined {
	if (!/^[\d,]+$/.test(minute) || !/^[\d,]+$/.test(hour)) return undefined;
	const two = (value: string) => value.padStart(2, "0");
	const times = hour
		.split(",")
		.flatMap((h) => minute.split(",").map((m) => `${two(h)}:${two(m)}`));
	return times.length > MOST_TIMES ? undefined : times;
}

function daysOf(date: string, weekday: string): string | undefined {
	if (date === "*" && weekday === "*") return "every day";
	if (date === "*") return weekdayWords(weekday);
	if (weekday !== "*") return undefined;
	if (date === "L") return "the last day of every month";
	if (!/^\d+(,\d+)*$/.test(date)) return undefined;
	return `the ${list(date.split(",").map(ordinal))} of every month`;
}

function weekdayWords(weekday: string): string | undefined {
	const name = (day: string | undefined) => DAY_NAMES[Number(day)] ?? "";
	const [, from, to] = /^(\d)-(\d)$/.exec(weekday) ?? [];
	if (from !== undefined) return `${name(from)} to ${name(to)}`;
	const [, counted, nth] = /^(\d)#(\d)$/.exec(weekday) ?? [];
	if (counted !== undefined)
		return `the ${NTH[Number(nth) - 1]} ${name(counted)} of every month`;
	const last = /^L(\d)$/.exec(weekday)?.[1];
	if (last !== undefined) return `the last ${name(last)} of every month`;
	return /^\d(,\d)*$/.test(weekday)
		? `every ${list(weekday.split(",").map(name))}`
		: undefined;
}

function ordinal(date: string): string {
	const tens = date.length === 2 && date.startsWith("1");
	const ending = tens
		? "th"
		: ({ 1: "st", 2: "nd", 3: "rd" }[Number(date.at(-1))] ?? "th");
	return `${date}${ending}`;
}

// ── What a wrong expression was probably meant to be ────────────────────────────────────────────────────────────────

/** What a wrong expression was probably meant to be, if that is clear; undefined if it is a guess. */
export function suggestCron(expression: string): string | undefined {
	const text = normalizeCron(expression).toLowerCase();
	const macro = text.startsWith("@")
		? closest(text, Object.keys(CRON_MACROS))
		: undefined;
	const candidates = [
		`@${text}`,
		withoutSeconds(text),
		inCronsWords(text),
		fromOtherForm(text),
		macro,
	];
	return candidates.find(
		(candidate) => candidate !== undefined && isValidCron(candidate),
	);
}

/** Why an expression cannot be declared, with what was probably meant; undefined if it can. */
export function cronProblem(text: string, now: Date): string | undefined {
	try {
		// Whether it can be read does not depend on whose it is.
		const { disputed, canonical } = parseCron(spreadCron(text, { team: "", name: "" }));
		if (disputed === undefined) return undefined;
		const why = `cron libraries read ${disputed} in different ways. The service most likely takes it for "${shortCron(canonical)}": write that, or what you mean in another way`;
		return new CronError(text, why).message;
	} catch (error) {
		if (!(error instanceof CronError)) throw error;
		return error.message + cronHint(text, now);
	}
}

/** "Did you mean …, which next runs at …": the end of an error message, or nothing if no repair is clear. */
export function cronHint(expression: string, now: Date): string {
	const suggestion = suggestCron(expression);
	if (suggestion === undefined) return "";
	const runs = nextRuns(suggestion, now, 3).map((run) => showInstant(run.getTime()));
	return ` Did you mean "${suggestion}"? It would next run at ${runs.join(", ")}.`;
}

/** Quartz and others put seconds first; some put a year last. */
function withoutSeconds(text: string): string | undefined {
	const fields = text.split(" ");
	const hasSeconds = fields.length === 7 || (fields.length === 6 && fields[0] === "0");
	return hasSeconds ? inCronsWords(fields.slice(1, 6).join(" ")) : undefined;
}

/** Midnight is 0 in cron, and "any" is a star. */
const inCronsWords = (text: string): string =>
	text.replace(/^(\S+) 24 /, "$1 0 ").replace(/ \?(?= |$)/g, " *");
