import { groupBy } from "./group-by";
import { cellOf, localClock, weekdayOf } from "./heat";
import type { ForecastReport, ScheduleForecast } from "./report";
import { DAY_MS, iso } from "./window";

/** A line in a day of the calendar. */
export interface DayEntry {
	/** `03:00`, or the number of runs where there are more than a few. */
	readonly when: string;
	readonly name: string;
}

export interface CalendarDayView {
	/** `2026-01-31`, on the clocks of the report's zone. */
	readonly date: string;
	/** Monday is 0. */
	readonly weekday: number;
	runs: number;
	readonly entries: DayEntry[];
	/** Entries for which there is no room. */
	more: number;
}

const MOST_ENTRIES = 6;
/** A schedule that runs more often in a day is one line with a number. */
const MOST_TIMES = 3;

/** What the page's calendar and filter need to know of each day and each schedule. */
export class PageDays {
	readonly days: readonly CalendarDayView[];
	private readonly first: number;
	private readonly toLocal: (at: number) => number;

	constructor(report: ForecastReport) {
		const [from, to] = [Date.parse(report.from), Date.parse(report.to)];
		this.toLocal = localClock(report.timeZone, { from, to });
		this.first = Math.floor(this.toLocal(from) / DAY_MS);
		const count = Math.floor(this.toLocal(to - 1) / DAY_MS) - this.first + 1;
		this.days = Array.from({ length: count }, (_, index) => ({
			date: iso((this.first + index) * DAY_MS).slice(0, 10),
			weekday: weekdayOf(this.first + index),
			runs: 0,
			entries: [],
			more: 0,
		}));
		for (const schedule of report.schedules) this.enter(schedule);
		for (const day of this.days) shorten(day);
	}

	/** Which cells of the heat map and which days a schedule runs in, as bits in hexadecimal, lowest first. */
	presence(schedule: ScheduleForecast): { cells: string; days: string } {
		const locals = this.localRuns(schedule);
		return {
			cells: hexOf(new Set(locals.map(cellOf)), 7 * 24),
			days: hexOf(new Set(locals.map(this.indexOf)), this.days.length),
		};
	}

	private localRuns({ runs = [] }: ScheduleForecast): number[] {
		return runs.map((run) => this.toLocal(Date.parse(run)));
	}

	private readonly indexOf = (local: number): number => Math.floor(local / DAY_MS) - this.first;

	private enter(schedule: ScheduleForecast): void {
		for (const [index, locals] of groupBy(this.localRuns(schedule), this.indexOf)) {
			const day = this.days[index];
			if (day === undefined) continue;
			day.runs += locals.length;
			const times = locals.map((local) => iso(local).slice(11, 16));
			const lines = times.length > MOST_TIMES ? [`${times.length} ×`] : times;
			day.entries.push(...lines.map((when) => ({ when, name: schedule.name })));
		}
	}
}

/** What runs all the time says little of a day: single times come first, in their order. */
function shorten(day: CalendarDayView): void {
	const rank = ({ when }: DayEntry) => (when.endsWith("×") ? 1 : 0);
	day.entries.sort((a, b) => rank(a) - rank(b) || a.when.localeCompare(b.when));
	day.more = Math.max(0, day.entries.length - MOST_ENTRIES);
	day.entries.length = Math.min(day.entries.length, MOST_ENTRIES);
}

function hexOf(bits: ReadonlySet<number>, length: number): string {
	const digits = new Array<number>(Math.ceil(length / 4)).fill(0);
	for (const bit of bits) digits[bit >> 2] = (digits[bit >> 2] ?? 0) | (1 << (bit & 3));
	return digits.map((digit) => digit.toString(16)).join("");
}
