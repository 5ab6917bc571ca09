import { CronError, compileCron, sameCron } from "../schemas/cron";
import { clockChanges } from "../schemas/time-zone";
import type { ClockChangeAhead } from "./report";
import type { ForecastSchedule } from "./subject";
import { DAY_MS } from "./window";

const YEAR_DAYS = 400;

/**
 * The next change of clocks that makes the schedule's UTC expression wrong, up to an instant; one that is past where
 * the service still has the expression from before.
 */
export function clockChangeOf(
	schedule: ForecastSchedule,
	now: number,
	until: number,
): ClockChangeAhead | undefined {
	const { name, team, timeZone, declared, cron } = schedule;
	if (timeZone === undefined || declared === undefined || cron === undefined) return undefined;
	const base = { name, team, timeZone, from: cron };
	try {
		const compiled = compileCron({ expression: declared, timeZone, team, name }, now);
		if (!sameCron(compiled.utcCron, cron)) {
			const at = clockChanges(timeZone, now - YEAR_DAYS * DAY_MS, now).at(-1)?.at;
			// Without one somebody changed the schedule, and drift says so.
			return at === undefined ? undefined : { ...base, at: iso(at), isPast: true, to: compiled.utcCron };
		}
		const { validUntil, nextCron } = compiled;
		if (validUntil === undefined || nextCron === undefined || validUntil >= until) return undefined;
		return { ...base, at: iso(validUntil), isPast: false, to: nextCron };
	} catch (error) {
		if (error instanceof CronError) return undefined;
		throw error;
	}
}

const iso = (millis: number): string => new Date(millis).toISOString();
