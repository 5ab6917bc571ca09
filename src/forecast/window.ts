import { type Mark, marksOf } from "../schemas/cron/calendar";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const iso = (at: number): string => new Date(at).toISOString();

/** A UTC day, with all that a cron expression can say of it: worked out once for all schedules. */
export interface Day {
	readonly start: number;
	readonly month: number;
	readonly marks: readonly Mark[];
}

/** The time that is looked at: from one instant to just before another. */
export interface ForecastWindow {
	readonly from: number;
	readonly to: number;
	readonly days: readonly Day[];
}

export function windowOf(from: number, days: number): ForecastWindow {
	const to = from + days * DAY_MS;
	const starts: number[] = [];
	for (let start = Math.floor(from / DAY_MS) * DAY_MS; start < to; start += DAY_MS) starts.push(start);
	return { from, to, days: starts.map(dayOf) };
}

function dayOf(start: number): Day {
	const day = new Date(start);
	const month = day.getUTCMonth();
	const length = new Date(Date.UTC(day.getUTCFullYear(), month + 1, 0)).getUTCDate();
	return { start, month: month + 1, marks: marksOf(day.getUTCDate(), day.getUTCDay(), length) };
}
