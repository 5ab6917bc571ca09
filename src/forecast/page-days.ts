import { groupBy } from "./group-by";
import { cellOf, localClock, weekdayOf } from "./heat";
import type { ForecastReport, ScheduleForecast } from "./report";
import { DAY_MS, iso } from "./window";

export interface CalendarDayView {
	/** `2026-01-31`, on the clocks of the report's zone. */
	readonly date: string;
	/** Monday is 0. */
	readonly weekday: number;
	runs: number;
	/** Its lines: `03:00`, or the number of runs where there are more than a few, and the name of the schedule. */
	readonly entries: { readonly when: string; readonly name: string }[];
	/** Entries for which there is no room. */
	more: number;
}

const MOST_ENTRIES = 6;
/** A schedule that runs more often in a day is one line with a number. */
const MOST_TIMES = 3;

/** What the page's calendar and filter need to know of each day and each schedule. */
export function pageDays(report: ForecastReport) {
	const [from, to] = [Date.parse(report.from), Date.parse(report.to)];
	const toLocal = localClock(report.timeZone, { from, to });
	const first = Math.floor(toLocal(from) / DAY_MS);
	const days: CalendarDayView[] = [];
	for (let day = first; day <= Math.floor(toLocal(to - 1) / DAY_MS); day += 1) {
		const date = iso(day * DAY_MS).slice(0, 10);
		days.push({ date, weekday: weekdayOf(day), runs: 0, entries: [], more: 0 });
	}
	const localRuns = ({ runs = [] }: ScheduleForecast) => runs.map((run) => toLocal(Date.parse(run)));
	const indexOf = (local: number) => Math.floor(local / DAY_MS) - first;
	for (const schedule of report.schedules) {
		for (const [index, locals] of groupBy(localRuns(schedule), indexOf)) {
			const day = days[index];
			if (day !== undefined) enter(day, schedule.name, locals);
		}
	}
	for (const day of days) shorten(day);
	/** Which cells of the heat map and which days a schedule runs in, as bits in hexadecimal, lowest first. */
	const presence = (schedule: ScheduleForecast) => {
		const locals = localRuns(schedule);
		return { cells: hexOf(locals.map(cellOf), 7 * 24), days: hexOf(locals.map(indexOf), days.length) };
	};
	return { days, presence };
}

function enter(day: CalendarDayView, name: string, locals: readonly number[]): void {
	day.runs += locals.length;
	const times = locals.map((local) => iso(local).slice(11, 16));
	const lines = times.length > MOST_TIMES ? [`${times.length} ×`] : times;
	day.entries.push(...lines.map((when) => ({ when, name })));
}

/** What runs all the time says little of a day: single times come first, in their order. */
function shorten(day: CalendarDayView): void {
	const rank = (when: string) => (when.endsWith("×") ? 1 : 0);
	day.entries.sort((a, b) => rank(a.when) - rank(b.when) || a.when.localeCompare(b.when));
	day.more = Math.max(0, day.entries.length - MOST_ENTRIES);
	day.entries.length = Math.min(day.entries.length, MOST_ENTRIES);
}

function hexOf(bits: readonly number[], length: number): string {
	const digits = new Array<number>(Math.ceil(length / 4)).fill(0);
	for (const bit of bits) digits[bit >> 2] = (digits[bit >> 2] ?? 0) | (1 << (bit & 3));
	return digits.map((digit) => digit.toString(16)).join("");
}
