import { isReadableCron, type ParsedCron, parseLiveCron } from "../schemas/cron";
import { hasAny } from "../schemas/cron/calendar";
import { MONTH } from "../schemas/cron/fields";
import { timesOf } from "../schemas/cron/times";
import type { ForecastSchedule } from "./subject";
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

/** The same for a schedule, whether it runs by an expression or once. */
export function eachRunOf(
	{ cron, startAfter }: ForecastSchedule,
	window: ForecastWindow,
	visit: (at: number) => void,
): void {
	if (cron !== undefined) {
		if (isReadableCron(cron)) eachRun(parseLiveCron(cron), window, startAfter ?? 0, visit);
	} else if (startAfter !== undefined && startAfter >= window.from && startAfter < window.to) {
		visit(startAfter);
	}
}
