import type { ParsedCron } from "../schemas/cron";
import { hasAny } from "../schemas/cron/calendar";
import { MONTH } from "../schemas/cron/fields";
import { timesOf } from "../schemas/cron/times";
import { DAY_MS, type ForecastWindow, MINUTE_MS } from "./window";

/** Calls `visit` with every instant of the window, not before `earliest`, at which the expression fires, in their order. */
export function eachRun(
	cron: ParsedCron,
	{ from, to, days }: ForecastWindow,
	earliest: number,
	visit: (at: number) => void,
): void {
	const times = timesOf(cron).map((minutes) => minutes * MINUTE_MS);
	const months = new Set(cron.values[MONTH]);
	const start = Math.max(from, earliest);
	for (const day of days) {
		if (day.start + DAY_MS <= start || !months.has(day.month) || !hasAny(day.marks, cron.days)) continue;
		for (const time of times) {
			const at = day.start + time;
			if (at >= start && at < to) visit(at);
		}
	}
}
