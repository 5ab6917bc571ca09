/**
 * What an expression means, apart from how it is written: the values of its fields, the days and instants at which it
 * fires, and one spelling for each meaning, by which two expressions are compared.
 */

import { DAY_MS, MINUTE_MS } from "./time-zones";

/** The five fields of a cron expression, in order, with the values each may take. */
export interface CronField {
	readonly name: string;
	readonly min: number;
	readonly max: number;
	readonly names?: readonly string[];
}

export const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

export const CRON_FIELDS: readonly CronField[] = [
	{ name: "minute", min: 0, max: 59 },
	{ name: "hour", min: 0, max: 23 },
	{ name: "day of month", min: 1, max: 31 },
	{
		name: "month",
		min: 1,
		max: 12,
		names: [
			"jan",
			"feb",
			"mar",
			"apr",
			"may",
			"jun",
			"jul",
			"aug",
			"sep",
			"oct",
			"nov",
			"dec",
		],
	},
	// 7 is Sunday as well as 0, as everywhere; the parser folds it into 0.
	{ name: "day of week", min: 0, max: 6, names: WEEKDAYS },
];

export const MINUTE = 0;
export const HOUR = 1;
export const DAY_OF_MONTH = 2;
export const MONTH = 3;
export const DAY_OF_WEEK = 4;

export function sequence(from: number, to: number, step = 1): number[] {
	const values: number[] = [];
	for (let value = from; value <= to; value += step) values.push(value);
	return values;
}

/**
 * One thing a cron expression can say of a day, in the spelling of its field behind `d` (date) or `w` (weekday):
 * `d15`, `dL` the last day of the month, `w5` Friday, `w5#3` the third Friday, `wL5` the last Friday.
 */
export type Mark = string;

export interface Meaning {
	/** The numbers of each field, sorted. */
	readonly values: readonly (readonly number[])[];
	/** It fires on the days of its months that have any of these. */
	readonly days: ReadonlySet<Mark>;
}

// ── Days ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Everything that is true of a day; `length` is the number of days in its month. */
function marksOf(date: number, weekday: number, length: number): Mark[] {
	const marks = [`w${weekday}`, `d${date}`, `w${weekday}#${Math.ceil(date / 7)}`];
	if (date === length) marks.push("dL");
	if (date + 7 > length) marks.push(`wL${weekday}`);
	return marks;
}

/** True of an n-th or last weekday of the month. */
export const isCounted = (mark: Mark): boolean => /^w(L\d|\d#\d)$/.test(mark);
const isWeekday = (mark: Mark): boolean => /^w\d$/.test(mark);

const ALL_MONTHS = sequence(1, 12);
export const WHOLE_WEEK: readonly Mark[] = sequence(0, 6).map(
	(weekday) => `w${weekday}`,
);

/** The most days that a month can have. */
export const longest = (month: number): number =>
	month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31;

/**
 * Every kind of month: each month, February also with its leap day, starting on each weekday. All of them recur for
 * ever, so two expressions fire on the same days exactly when they do so here.
 */
const KINDS = ALL_MONTHS.flatMap((month) =>
	(month === 2 ? [28, 29] : [longest(month)]).flatMap((length) =>
		sequence(0, 6).map((first) => ({ month, length, first })),
	),
);

/** Its place in `KINDS`. */
const kindAt = (month: number, length: number, first: number): number =>
	7 * (month - 1 + (month > 2 || length === 29 ? 1 : 0)) + ((first + 7) % 7);

/** Some days of every kind of month: bit 0 of its number is the first day of the month. */
type Days = readonly number[];

/** The days that have a mark. Made when first asked for: a refresh or a destroy needs none. */
let markedDays: ReadonlyMap<Mark, number[]> | undefined;

function allMarkedDays(): ReadonlyMap<Mark, Days> {
	if (markedDays !== undefined) return markedDays;
	const byMark = new Map<Mark, number[]>();
	KINDS.forEach(({ length, first }, kind) => {
		for (const date of sequence(1, length)) {
			for (const mark of marksOf(date, (first + date - 1) % 7, length)) {
				const days = byMark.get(mark) ?? KINDS.map(() => 0);
				days[kind] = (days[kind] ?? 0) | (1 << (date - 1));
				byMark.set(mark, days);
			}
		}
	});
	markedDays = byMark;
	return byMark;
}

/** The days of these months that have any of the marks. */
export function daysWith(months: readonly number[], marks: Iterable<Mark>): Days {
	const marked = [...marks].map((mark) => allMarkedDays().get(mark) ?? []);
	return KINDS.map(({ month }, kind) =>
		months.includes(month)
			? marked.reduce((all, days) => all | (days[kind] ?? 0), 0)
			: 0,
	);
}

export const firingDays = ({ values, days }: Meaning): Days =>
	daysWith(values[MONTH] ?? [], days);

/** Whether the two have a day in common. */
export const meet = (a: Days, b: Days): boolean =>
	a.some((days, kind) => (days & (b[kind] ?? 0)) !== 0);

const sameDays = (a: Days, b: Days): boolean =>
	a.every((days, kind) => days === b[kind]);

/** Whether a day of the calendar is one of these. */
export function isAmong(days: Days, at: Date): boolean {
	const [year, month, date] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
	const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
	const kind = kindAt(month + 1, length, at.getUTCDay() - ((date - 1) % 7));
	return ((days[kind] ?? 0) & (1 << (date - 1))) !== 0;
}

/**
 * The days one after these, or one before. Undefined if a first of March, or what comes before it, would have to know
 * whether the year is a leap year.
 */
export function movedDays(days: Days, by: -1 | 1): Days | undefined {
	const moved = KINDS.map(({ month, length, first }, kind) => {
		const own = days[kind] ?? 0;
		if (by === -1) {
			const next = (month % 12) + 1;
			const after =
				days[kindAt(next, next === 2 ? 28 : longest(next), first + length)] ?? 0;
			return (own >>> 1) | ((after & 1) << (length - 1));
		}
		const before = month === 1 ? 12 : month - 1;
		const ends = (before === 2 ? [28, 29] : [longest(before)]).map(
			(last) =>
				((days[kindAt(before, last, first - (last % 7))] ?? 0) >>> (last - 1)) & 1,
		);
		if (new Set(ends).size > 1) return undefined;
		return ((own << 1) & (2 ** length - 1)) | (ends[0] ?? 0);
	});
	return moved.some((each) => each === undefined)
		? undefined
		: moved.map((each) => each ?? 0);
}

// ── Instants ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A fifth Monday in February comes every 28 years, and once in a century after 40. */
const LONGEST_WAIT_MS = 41 * 366 * DAY_MS;

/**
 * The instants from one on, and before another if that is given, at which the expression fires in UTC, in their order.
 * Own code, because croner takes nine times as long (docs/internals/scale.md) and reads some expressions unlike croniter.
 */
export function* runsOf(
	cron: Meaning,
	from: number,
	to = Number.POSITIVE_INFINITY,
): Generator<number, void, undefined> {
	const times = timesOf(cron).map((minutes) => minutes * MINUTE_MS);
	const firing = firingDays(cron);
	let latest = from + LONGEST_WAIT_MS;
	for (
		let day = Math.floor(from / DAY_MS) * DAY_MS;
		day < to && day <= latest;
		day += DAY_MS
	) {
		if (!isAmong(firing, new Date(day))) continue;
		for (const time of times) {
			const at = day + time;
			if (at >= from && at < to) yield at;
		}
		latest = day + LONGEST_WAIT_MS;
	}
}

/** Minutes of the day at which an expression fires, by its own clock, in their order. */
export function timesOf({ values }: Pick<Meaning, "values">): number[] {
	return (values[HOUR] ?? []).flatMap((hour) =>
		(values[MINUTE] ?? []).map((minute) => hour * 60 + minute),
	);
}

// ── One spelling for each meaning ───────────────────────────────────────────────────────────────────────────────────

/**
 * Numbers in lists, a field that allows everything as `*`. The day fields are written again from the days on which the
 * expression fires, so it does not matter how they were written before.
 */
export function canonicalText(meaning: Meaning): string {
	const { values, days } = meaning;
	const time = [MINUTE, HOUR].map((index) => listed(index, values[index] ?? []));
	const months = values[MONTH] ?? [];
	// By far the most expressions name weekdays only, or none.
	const isPlain = [...days].every(isWeekday);
	const named = isPlain ? undefined : namesOf(firingDays(meaning));
	return [...time, ...(named ?? written(months, [...days]))].join(" ");
}

/** The numbers of a field as a list, all of them as `*`. */
export function listed(index: number, values: readonly number[]): string {
	const { min = 0, max = 0 } = CRON_FIELDS[index] ?? {};
	return values.length === max - min + 1 ? "*" : values.join(",");
}

/** The three day fields that name exactly these days; undefined if none do. */
export function namesOf(firing: Days): readonly string[] | undefined {
	const inUse = new Set(
		KINDS.filter((_, kind) => firing[kind] !== 0).map(({ month }) => month),
	);
	// A 31st in every month, and in the months that have one, are the same: the shorter spelling is tried first.
	for (const months of [ALL_MONTHS, ALL_MONTHS.filter((month) => inUse.has(month))]) {
		const marks = namedBy(months, firing);
		if (marks !== undefined) return written(months, marks);
	}
	return undefined;
}

/** The marks that name exactly the firing days of these months, from a fixed order of choices. */
function namedBy(months: readonly number[], firing: Days): readonly Mark[] | undefined {
	const always = [...allMarkedDays().keys()].filter((mark) => {
		const days = daysWith(months, [mark]);
		return (
			days.some((each) => each !== 0) &&
			days.every((each, kind) => (each & ~(firing[kind] ?? 0)) === 0)
		);
	});
	const weekdays = always.filter(isWeekday);
	const dates = always.filter((mark) => mark.startsWith("d") && mark !== "dL");
	const withLast = always.filter(
		(mark) => mark.startsWith("d") && !isAlwaysLast(months, mark),
	);
	const counted = always.filter(
		(mark) => isCounted(mark) && !isImplied(mark, new Set(always)),
	);
	const choices = [
		weekdays,
		dates,
		withLast,
		[...dates, ...weekdays],
		[...withLast, ...weekdays],
		counted,
	];
	return choices.find((choice) => sameDays(daysWith(months, choice), firing));
}

/** Beside L a date that is only ever the last of its month says nothing. */
const isAlwaysLast = (months: readonly number[], mark: Mark): boolean =>
	mark !== "dL" && months.every((month) => longest(month) <= Number(mark.slice(1)));

/** The last Friday is the fourth or the fifth: beside the fourth "last" says no more than "fifth", and beside "last" the fifth nothing. */
function isImplied(mark: Mark, always: ReadonlySet<Mark>): boolean {
	const weekday = /^w(?:L(\d)|(\d)#5)$/.exec(mark);
	if (weekday === null) return false;
	const [, last, fifth] = weekday;
	if (last !== undefined) return always.has(`w${last}#4`);
	return always.has(`wL${fifth}`) && !always.has(`w${fifth}#4`);
}

/** The day of the month, the month and the day of the week. */
function written(months: readonly number[], marks: readonly Mark[]): readonly string[] {
	const weekdays = marks.filter((mark) => mark.startsWith("w"));
	const isWholeWeek = WHOLE_WEEK.every((weekday) => weekdays.includes(weekday));
	const dates = isWholeWeek ? [] : marks.filter((mark) => mark.startsWith("d"));
	return [
		sortedText(dates),
		listed(MONTH, months),
		isWholeWeek ? "*" : sortedText(weekdays),
	];
}

/** Numbers in their order, L behind them; no mark at all is no restriction. */
function sortedText(marks: readonly Mark[]): string {
	const key = (text: string) =>
		text.startsWith("L")
			? 1_000 + Number(text.slice(1))
			: Number(text.replace("#", "."));
	const texts = marks.map((mark) => mark.slice(1)).sort((a, b) => key(a) - key(b));
	return texts.length === 0 ? "*" : texts.join(",");
}

// ── The same, as a person would write it ────────────────────────────────────────────────────────────────────────────

/** A canonical expression in short: `*\/15` for 0,15,30,45 and 1-5 for 1,2,3,4,5. */
export function shortCron(canonical: string): string {
	const fields = canonical.split(" ");
	return fields.map((text, index) => shortField(text, index, fields)).join(" ");
}

function shortField(text: string, index: number, fields: readonly string[]): string {
	const parts = text.split(",");
	const numbers = parts.filter((part) => /^\d+$/.test(part)).map(Number);
	const others = parts.filter((part) => !/^\d+$/.test(part));
	const steps = index === DAY_OF_WEEK ? undefined : inSteps(numbers, index, fields);
	return [...(steps === undefined ? inRuns(numbers) : [steps]), ...others].join(",");
}

function inSteps(
	numbers: readonly number[],
	index: number,
	fields: readonly string[],
): string | undefined {
	const { min = 0, max = 0 } = CRON_FIELDS[index] ?? {};
	const [first = 0, second = 0] = numbers;
	const last = numbers.at(-1) ?? 0;
	const step = second - first;
	if (step < 2 || numbers.some((value, at) => value !== first + at * step))
		return undefined;
	const isComplete = first === min && last + step > max;
	// Cron libraries disagree about a star with a step beside a weekday: what is written here does not depend on it.
	const mayHaveStar = index !== DAY_OF_MONTH || fields[DAY_OF_WEEK] === "*";
	if (isComplete && mayHaveStar && numbers.length >= (index === MINUTE ? 2 : 3))
		return `*/${step}`;
	return numbers.length >= 4 ? `${first}-${last}/${step}` : undefined;
}

function inRuns(numbers: readonly number[]): string[] {
	const runs: number[][] = [];
	for (const value of numbers) {
		const run = runs.at(-1);
		if (run?.at(-1) === value - 1) run.push(value);
		else runs.push([value]);
	}
	return runs.flatMap((run) =>
		run.length >= 3 ? [`${run[0]}-${run.at(-1)}`] : run.map(String),
	);
}
