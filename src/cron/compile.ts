/** A declared expression as the service gets it: every H filled in, and in UTC for the offset that holds. */

import { createHash } from "node:crypto";
import { showInstant } from "../text/instant";
import { remembering } from "../text/remember";
import {
	CRON_FIELDS,
	DAY_OF_MONTH,
	firingDays,
	HOUR,
	listed,
	longest,
	MINUTE,
	MONTH,
	movedDays,
	namesOf,
	sequence,
	shortCron,
	timesOf,
} from "./compare";
import { CronError, isValidCron, normalizeCron, parseCron, sameCron } from "./parse";
import { type ClockChange, clockChanges, DAY_MS, offsetAt } from "./time-zones";

/** A cron expression as a program declares it. */
export interface DeclaredCron extends SpreadSeed {
	readonly expression: string;
	/** Whose clocks it follows; UTC if omitted. */
	readonly timeZone?: string | undefined;
}

interface CompiledCron {
	/** What the service gets. */
	readonly utcCron: string;
	/** The same by the clocks of its zone, with every H filled in. */
	readonly local: string;
	/** From then on, in milliseconds since 1970, the zone's clocks need another expression. */
	readonly validUntil?: number;
	/** That other expression. */
	readonly nextCron?: string;
}

/** True if the service cannot be sent the expression as it is written. */
export const needsCompiling = ({ expression, timeZone }: DeclaredCron): boolean =>
	timeZone !== undefined || usesSpread(expression);

/** The expression in UTC, for the offset that holds now. Throws if no single expression says it all year round. */
export function compileCron(declared: DeclaredCron, now: number): CompiledCron {
	const local = spreadCron(declared.expression, declared);
	const { timeZone } = declared;
	if (timeZone === undefined) {
		parseCron(local);
		return { local, utcCron: local };
	}
	const [offset, coming] = [offsetAt(timeZone, now), comingChanges(timeZone, now)];
	const inUtc = (by: number): string => {
		const cron = shiftToUtc(local, by);
		if (cron !== undefined) return cron;
		throw notInUtc(local, timeZone, [offset, ...coming.map((change) => change.offset)]);
	};
	const utcCron = inUtc(offset);
	const changes = coming.map((change) => ({
		at: change.at,
		cron: inUtc(change.offset),
	}));
	const next = changes.find(({ cron }) => !sameCron(cron, utcCron));
	return { local, utcCron, ...(next && { validUntil: next.at, nextCron: next.cron }) };
}

/** Rules of clocks repeat every year; a little more, so that the same change a year later is seen too. */
const AHEAD_DAYS = 400;

const changesFrom = remembering((zone: string, day: number) =>
	clockChanges(zone, day * DAY_MS, (day + AHEAD_DAYS + 1) * DAY_MS),
);

/** Looked for once a zone and day: a team's schedules have few zones. */
const comingChanges = (zone: string, now: number): ClockChange[] =>
	changesFrom(zone, Math.floor(now / DAY_MS)).filter(({ at }) => at > now);

function notInUtc(local: string, zone: string, offsets: readonly number[]): CronError {
	const parts = splitForUtc(local, [...new Set(offsets)]);
	const why =
		`in the time zone ${zone} no single UTC expression is right all year round, because its times or days ` +
		"move over midnight or the end of a month in UTC";
	if (parts === undefined)
		return new CronError(local, `${why}: write it in UTC, without timeZone`);
	const all = parts.map((part) => `"${part}"`).join(" and ");
	return new CronError(
		local,
		`${why}: declare ${parts.length} schedules with this timeZone, ${all}, or write it in UTC, without timeZone`,
	);
}

// ── Changes of clocks ───────────────────────────────────────────────────────────────────────────────────────────────

const BACK_DAYS = 400;

/** A change of clocks that makes a compiled expression wrong. */
interface ClockChangeAhead {
	/** When the clocks change, or changed, as ISO 8601. */
	readonly at: string;
	/** True if that is past and nothing was deployed since. */
	readonly isPast: boolean;
	/** What the expression becomes with the next deployment from then on. */
	readonly to: string;
}

/** The first such change up to an instant; one that is past if the service still has the expression from before. */
export function clockChangeAhead(
	declared: DeclaredCron,
	utcCron: string,
	now: number,
	until: number,
): ClockChangeAhead | undefined {
	try {
		const { at, isPast, to } = endOf(declared, utcCron, now);
		if (at === undefined || to === undefined || (!isPast && at >= until))
			return undefined;
		return { at: showInstant(at), isPast, to };
	} catch (error) {
		if (error instanceof CronError) return undefined;
		throw error;
	}
}

/** Until when a compiled expression says what is declared; in the past if the clocks have changed since. */
export const holdsUntil = (
	declared: DeclaredCron,
	utcCron: string,
	now: number,
): number | undefined => endOf(declared, utcCron, now).at;

function endOf(declared: DeclaredCron, utcCron: string, now: number) {
	const { timeZone } = declared;
	const { utcCron: current, validUntil, nextCron } = compileCron(declared, now);
	if (timeZone === undefined || sameCron(current, utcCron)) {
		return { at: validUntil, isPast: false, to: nextCron };
	}
	// Without one somebody changed the schedule, and drift says so.
	const last = clockChanges(timeZone, now - BACK_DAYS * DAY_MS, now).at(-1);
	return { at: last?.at, isPast: true, to: current };
}

// ── From one offset to UTC ──────────────────────────────────────────────────────────────────────────────────────────

const DAY = 1_440;

/**
 * The expression that fires in UTC when this one does when clocks are `offset` minutes ahead of UTC. Undefined where
 * no single expression says it: the times fall on different days, or the days move over the end of a month.
 */
export const shiftToUtc = remembering(
	(expression: string, offset: number): string | undefined => {
		const cron = parseCron(expression);
		const times = timesOf(cron).map((time) => time - offset);
		const minutesOfDay = inFields(times.map((time) => (time + DAY) % DAY));
		const days = cron.canonical.split(" ").slice(DAY_OF_MONTH).join(" ");
		const moved = new Set(
			times
				.map((time) => Math.floor(time / DAY))
				.map((shift) => daysInUtc(days, shift)),
		);
		const [first] = moved;
		if (minutesOfDay === undefined || first === undefined || moved.size > 1)
			return undefined;
		const text = shortCron([...minutesOfDay, first].join(" "));
		if (!isValidCron(text)) return undefined;
		return sameCron(text, expression) ? expression : text;
	},
);

/** The day fields in UTC. Worked out once for each kind of days, which are few, and not for each time of day. */
const daysInUtc = remembering((days: string, shift: number): string | undefined => {
	if (shift === 0 || days === "* * *") return days;
	const firing = movedDays(firingDays(parseCron(`0 0 ${days}`)), shift < 0 ? -1 : 1);
	return firing && namesOf(firing)?.join(" ");
});

/** Minute and hour field for minutes of the day; undefined if some hours need other minutes than others. */
function inFields(times: readonly number[]): string[] | undefined {
	const sorted = (values: readonly number[]) =>
		[...new Set(values)].sort((a, b) => a - b);
	const minutes = sorted(times.map((time) => time % 60));
	const hours = sorted(times.map((time) => Math.floor(time / 60)));
	if (minutes.length * hours.length !== times.length) return undefined;
	return [listed(MINUTE, minutes), listed(HOUR, hours)];
}

// ── In several expressions, if one does not suffice ───────────────────────────────────────────────────────────────────

const MOST_PARTS = 4;

/**
 * Expressions that together fire when this one does, each of which can be said in UTC whatever of the offsets holds.
 * Undefined if a few do not suffice.
 */
export function splitForUtc(
	expression: string,
	offsets: readonly number[],
): string[] | undefined {
	const fits = (part: string) =>
		offsets.every((offset) => shiftToUtc(part, offset) !== undefined);
	let parts = [expression];
	while (parts.length <= MOST_PARTS) {
		const misfit = parts.find((part) => !fits(part));
		if (misfit === undefined) return parts;
		const [split] = splitsOf(misfit, offsets);
		if (split === undefined) return undefined;
		parts = parts.flatMap((part) => (part === misfit ? split : [part]));
	}
	return undefined;
}

/** Ways to take an expression apart, in the order in which they are likely to help. */
function splitsOf(expression: string, offsets: readonly number[]): string[][] {
	return [
		...offsets.map((offset) =>
			byTime(expression, (time) => Math.floor((time - offset) / DAY)),
		),
		// Where the offset has odd minutes, some of them borrow an hour.
		...offsets.map((offset) =>
			byTime(expression, (time) =>
				Math.floor(((time % 60) - (((offset % 60) + 60) % 60)) / 60),
			),
		),
		...offsets.map((offset) => byDate(expression, offset > 0)),
	].filter((parts) => parts.length > 1);
}

function byTime(expression: string, groupOf: (time: number) => number): string[] {
	const cron = parseCron(expression);
	const groups = new Map<number, number[]>();
	for (const time of timesOf(cron)) {
		const group = groupOf(time);
		groups.set(group, [...(groups.get(group) ?? []), time]);
	}
	const days = cron.canonical.split(" ").slice(DAY_OF_MONTH);
	const parts = [...groups.values()].flatMap((times) => {
		const fields = inFields(times);
		return fields === undefined ? [] : [shortCron([...fields, ...days].join(" "))];
	});
	return parts.length === groups.size ? parts : [];
}

/** The first of the month apart, or the last if that is the same date in all its months. */
function byDate(expression: string, first: boolean): string[] {
	const [minute, hour, dates = "", months = "", weekdays] =
		parseCron(expression).canonical.split(" ");
	if (weekdays !== "*" || !/^[\d,]+$|^\*$/.test(dates)) return [];
	const lengths = new Set(numbersOf(months, MONTH).map(longest));
	const [length = 31] = lengths;
	const edge = first ? 1 : length;
	if (!first && (lengths.size > 1 || length === 29)) return [];
	const all = numbersOf(dates, DAY_OF_MONTH).filter((date) => date <= length);
	const rest = all.filter((date) => date !== edge);
	if (rest.length === all.length || rest.length === 0) return [];
	return [[edge], rest].map((part) =>
		shortCron([minute, hour, part.join(","), months, "*"].join(" ")),
	);
}

function numbersOf(text: string, index: number): number[] {
	const { min = 0, max = 0 } = CRON_FIELDS[index] ?? {};
	return text === "*" ? sequence(min, max) : text.split(",").map(Number);
}

// ── H: a value made of the name ─────────────────────────────────────────────────────────────────────────────────────

const PART = /^h(?:\((\d{1,3})-(\d{1,3})\))?(?:\/(\d{1,3}))?$/i;

/** A date that every month has. */
const LAST_SAFE_DATE = 28;

/** Whose expression it is: the same team and schedule name always get the same values. */
interface SpreadSeed {
	readonly team: string;
	readonly name: string;
}

/** True if an expression leaves a value to the schedule's name with H: `H 3 * * *`, `H/15 * * * *`. */
export const usesSpread = (expression: string): boolean =>
	normalizeCron(expression)
		.split(/[ ,]/)
		.some((part) => PART.test(part));

/**
 * The expression with every H replaced by a value made of team and schedule name, one per field; itself if it has
 * none. How the value comes about must never change: it would move every schedule that uses it.
 */
export function spreadCron(expression: string, seed: SpreadSeed): string {
	if (!usesSpread(expression)) return expression;
	const spread = (text: string, index: number) =>
		text
			.split(",")
			.map((part) => spreadPart(expression, text, part, index, seed))
			.join(",");
	return normalizeCron(expression).split(" ").map(spread).join(" ");
}

function spreadPart(
	expression: string,
	text: string,
	part: string,
	index: number,
	{ team, name }: SpreadSeed,
): string {
	const field = CRON_FIELDS[index];
	const match = PART.exec(part);
	// A sixth field is refused by the parser, in its own words.
	if (field === undefined || match === null) return part;
	const fail = (why: string) =>
		new CronError(expression, `${field.name} "${text}" ${why}`);
	const [, low, high, steps] = match;
	const from = low === undefined ? field.min : Number(low);
	const to =
		high === undefined
			? index === DAY_OF_MONTH
				? LAST_SAFE_DATE
				: field.max
			: Number(high);
	if (from < field.min || to > field.max) {
		throw fail(
			`is out of range: H(${from}-${to}) is not within ${field.min} and ${field.max}`,
		);
	}
	if (from > to) throw fail(`goes backwards: write H(${to}-${from})`);
	const step = steps === undefined ? undefined : Number(steps);
	if (step !== undefined && (step < 1 || step > to - from + 1)) {
		throw fail(
			`has a step of ${step}, and the values from ${from} to ${to} allow 1 to ${to - from + 1}`,
		);
	}
	const hash = createHash("sha256")
		.update([team, name, field.name].join("\0"))
		.digest();
	const first = from + (hash.readUIntBE(0, 6) % (step ?? to - from + 1));
	if (step === undefined || first + step > to) return String(first);
	return `${first}-${to}/${step}`;
}
