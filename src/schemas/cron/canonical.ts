import {
	ALL_MONTHS,
	ALL_WEEKDAYS,
	type CalendarDay,
	everyKindOfDay,
	hasAny,
	isCounted,
	longest,
	type Mark,
} from "./calendar";
import { CRON_FIELDS, HOUR, MINUTE, MONTH } from "./fields";
import type { Reading } from "./read-fields";

/**
 * One spelling per meaning: numbers in lists, a field that allows everything as `*`. The day fields are written anew
 * from the days on which the expression fires, so that it does not matter how they were written before.
 */
export function canonicalText({ values, days }: Reading): string {
	if (days.size === 0) return "never";
	const time = [MINUTE, HOUR].map((index) => listed(index, values[index] ?? []));
	return [...time, ...canonicalDays(values[MONTH] ?? [], days)].join(" ");
}

/** The numbers of a field as a list, all of them as `*`. */
export function listed(index: number, values: readonly number[]): string {
	const { min = 0, max = 0 } = CRON_FIELDS[index] ?? {};
	return values.length === max - min + 1 ? "*" : values.join(",");
}

function canonicalDays(months: readonly number[], days: ReadonlySet<Mark>): readonly string[] {
	// By far the most expressions name weekdays only, or none.
	if ([...days].every(isWeekday)) return written(months, [...days]);
	const firing = new Set(
		everyKindOfDay().filter((day) => months.includes(day.month) && hasAny(day.marks, days)),
	);
	return nameDays(firing) ?? written(months, [...days]);
}

/** The three day fields that name exactly these kinds of days; undefined where none do. */
export function nameDays(firing: ReadonlySet<CalendarDay>): readonly string[] | undefined {
	const inUse = new Set([...firing].map((day) => day.month));
	const needed = ALL_MONTHS.filter((month) => inUse.has(month));
	// A 31st in every month, and in the months that have one, are the same: the shorter spelling is tried first.
	for (const tried of [ALL_MONTHS, needed]) {
		const marks = namedBy(tried, firing);
		if (marks !== undefined) return written(tried, marks);
	}
	return undefined;
}

/** The marks that name exactly the firing days of these months, from a fixed order of choices. */
function namedBy(months: readonly number[], firing: ReadonlySet<CalendarDay>): readonly Mark[] | undefined {
	const always = marksThatAlwaysFire(months, firing);
	const weekdays = always.filter(isWeekday);
	const dates = always.filter((mark) => mark.startsWith("d") && mark !== "dL");
	const withLast = always.filter((mark) => mark.startsWith("d") && !isAlwaysLast(months, mark));
	const counted = always.filter((mark) => isCounted(mark) && !isImplied(mark, new Set(always)));
	const choices = [weekdays, dates, withLast, [...dates, ...weekdays], [...withLast, ...weekdays], counted];
	return choices.find((choice) => {
		const marks = new Set(choice);
		return [...firing].every((day) => hasAny(day.marks, marks));
	});
}

function marksThatAlwaysFire(months: readonly number[], firing: ReadonlySet<CalendarDay>): Mark[] {
	const seen = new Set<Mark>();
	const missed = new Set<Mark>();
	for (const day of everyKindOfDay()) {
		if (!months.includes(day.month)) continue;
		for (const mark of day.marks) (firing.has(day) ? seen : missed).add(mark);
	}
	return [...seen].filter((mark) => !missed.has(mark));
}

const isWeekday = (mark: Mark): boolean => /^w\d$/.test(mark);

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
	const isWholeWeek = ALL_WEEKDAYS.every((weekday) => weekdays.includes(`w${weekday}`));
	const dates = isWholeWeek ? [] : marks.filter((mark) => mark.startsWith("d"));
	return [sortedText(dates), listed(MONTH, months), isWholeWeek ? "*" : sortedText(weekdays)];
}

/** Numbers in their order, L behind them; no mark at all is no restriction. */
function sortedText(marks: readonly Mark[]): string {
	const key = (text: string) =>
		text.startsWith("L") ? 1_000 + Number(text.slice(1)) : Number(text.replace("#", "."));
	const texts = marks.map((mark) => mark.slice(1)).sort((a, b) => key(a) - key(b));
	return texts.length === 0 ? "*" : texts.join(",");
}
