import { remembering } from "../remember";
import { type CalendarDay, everyKindOfDay, hasAny, longest, marksOf } from "./calendar";
import { nameDays } from "./canonical";
import { DAY_OF_MONTH, MONTH } from "./fields";
import { isValidCron, type ParsedCron, parseCron, sameCron } from "./parse";
import { shortCron } from "./short-cron";
import { inFields, timesOf } from "./times";

const DAY = 1_440;

/**
 * The expression that fires in UTC when this one does where clocks are `offset` minutes ahead of UTC. Undefined where
 * no single expression says it: the times fall on different days, or the days move over the end of a month.
 */
export function shiftToUtc(expression: string, offset: number): string | undefined {
	const cron = parseCron(expression);
	const times = timesOf(cron).map((time) => time - offset);
	const minutesOfDay = inFields(times.map((time) => (time + DAY) % DAY));
	const days = daysInUtc(cron, new Set(times.map((time) => Math.floor(time / DAY))));
	if (minutesOfDay === undefined || days === undefined) return undefined;
	const text = shortCron([...minutesOfDay, days].join(" "));
	if (!isValidCron(text)) return undefined;
	return sameCron(text, expression) ? expression : text;
}

/** The day fields in UTC, where those are the same for all its times. */
function daysInUtc({ canonical }: ParsedCron, shifts: ReadonlySet<number>): string | undefined {
	const days = canonical.split(" ").slice(DAY_OF_MONTH).join(" ");
	const [first, ...others] = [...shifts].map((shift) => movedDays(days, shift));
	return others.every((fields) => fields === first) ? first : undefined;
}

/** Worked out once for each kind of days, which are few, and not for each time of day. */
const movedDays = remembering((days: string, shift: number): string | undefined => {
	if (shift === 0 || days === "* * *") return days;
	const firing = shiftedDays(parseCron(`0 0 ${days}`), shift);
	return firing && nameDays(firing)?.join(" ");
});

/**
 * The kinds of days that are `shift` days after one on which it fires. Undefined where a first of March would have to
 * know whether the year is a leap year.
 */
function shiftedDays(cron: ParsedCron, shift: number): ReadonlySet<CalendarDay> | undefined {
	const firing = new Set<CalendarDay>();
	for (const day of everyKindOfDay()) {
		const fires = new Set(localDays(day, shift).map((local) => firesOn(cron, local)));
		if (fires.size > 1) return undefined;
		if (fires.has(true)) firing.add(day);
	}
	return firing;
}

type LocalDay = Pick<CalendarDay, "month" | "marks">;

const firesOn = ({ values, days }: ParsedCron, { month, marks }: LocalDay): boolean =>
	values[MONTH]?.includes(month) === true && hasAny(marks, days);

/** What the day is called where clocks are a day further, or behind; the day before the first of March has two names. */
function localDays(day: CalendarDay, shift: number): LocalDay[] {
	const { month, date, weekday, length } = day;
	const moved = date - shift;
	const localWeekday = (weekday - shift + 7) % 7;
	if (moved >= 1 && moved <= length) return [{ month, marks: marksOf(moved, localWeekday, length) }];
	if (moved > length) {
		const next = (month % 12) + 1;
		return [{ month: next, marks: marksOf(1, localWeekday, longest(next)) }];
	}
	const before = month === 1 ? 12 : month - 1;
	const lengths = before === 2 ? [28, 29] : [longest(before)];
	return lengths.map((last) => ({ month: before, marks: marksOf(last, localWeekday, last) }));
}
