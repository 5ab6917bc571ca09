/**
 * One thing a cron expression can say of a day, in the spelling of its field behind `d` (date) or `w` (weekday):
 * `d15`, `dL` the last day of the month, `w5` Friday, `w5#3` the third Friday, `wL5` the last Friday.
 */
export type Mark = string;

export interface CalendarDay {
	readonly month: number;
	readonly date: number;
	readonly weekday: number;
	/** Days in its month. */
	readonly length: number;
	readonly marks: readonly Mark[];
}

export const ALL_MONTHS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
export const ALL_WEEKDAYS: readonly number[] = [0, 1, 2, 3, 4, 5, 6];
const LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The most days that a month can have. */
export const longest = (month: number): number => LENGTHS[month - 1] ?? 31;

/** Everything that is true of a day; `length` is the number of days in its month. */
export function marksOf(date: number, weekday: number, length: number): Mark[] {
	const marks = [`w${weekday}`, `d${date}`, `w${weekday}#${Math.ceil(date / 7)}`];
	if (date === length) marks.push("dL");
	if (date + 7 > length) marks.push(`wL${weekday}`);
	return marks;
}

/**
 * The days of every kind of month: each month, February also with its leap day, starting on each weekday. All of
 * them recur for ever, so two expressions fire on the same days exactly when they do so here.
 */
export function everyKindOfDay(): readonly CalendarDay[] {
	everyDay ??= ALL_MONTHS.flatMap((month) => {
		const lengths = month === 2 ? [28, 29] : [longest(month)];
		return lengths.flatMap((days) => ALL_WEEKDAYS.flatMap((first) => daysOf(month, days, first)));
	});
	return everyDay;
}

/** Made when first asked for: there are thousands, and a refresh or a destroy needs none. */
let everyDay: readonly CalendarDay[] | undefined;

function daysOf(month: number, length: number, first: number): CalendarDay[] {
	return Array.from({ length }, (_, index) => {
		const [date, weekday] = [index + 1, (first + index) % 7];
		return { month, date, weekday, length, marks: marksOf(date, weekday, length) };
	});
}

export const hasAny = (marks: readonly Mark[], wanted: ReadonlySet<Mark>): boolean =>
	marks.some((mark) => wanted.has(mark));

/** True of an n-th or last weekday of the month. */
export const isCounted = (mark: Mark): boolean => /^w(L\d|\d#\d)$/.test(mark);
