import { clockChangeAhead } from "../schemas/cron";
import type { ForecastReport } from "./report";
import type { ForecastSchedule } from "./subject";

/** The next change of clocks that makes the schedule's UTC expression wrong, up to an instant. */
export function clockChangeOf(
	{ name, team, timeZone, declared, cron }: ForecastSchedule,
	now: number,
	until: number,
): ForecastReport["clockChanges"][number] | undefined {
	if (timeZone === undefined || declared === undefined || cron === undefined) return undefined;
	const change = clockChangeAhead({ expression: declared, timeZone, team, name }, cron, now, until);
	return change && { name, team, timeZone, from: cron, ...change };
}
