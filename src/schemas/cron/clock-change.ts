import { clockChanges, DAY_MS } from "../time-zone";
import { compileCron, type DeclaredCron } from "./compile";
import { CronError } from "./cron-error";
import { sameCron } from "./parse";

const BACK_DAYS = 400;

/** A change of clocks that makes a compiled expression wrong. */
export interface ClockChangeAhead {
	/** When the clocks change, or changed, as ISO 8601. */
	readonly at: string;
	/** True where that is past and nothing was deployed since. */
	readonly isPast: boolean;
	/** What the expression becomes with the next deployment from then on. */
	readonly to: string;
}

/** The first such change up to an instant; one that is past where the service still has the expression from before. */
export function clockChangeAhead(
	declared: DeclaredCron,
	utcCron: string,
	now: number,
	until: number,
): ClockChangeAhead | undefined {
	try {
		const { at, isPast, to } = endOf(declared, utcCron, now);
		if (at === undefined || to === undefined || (!isPast && at >= until)) return undefined;
		return { at: new Date(at).toISOString(), isPast, to };
	} catch (error) {
		if (error instanceof CronError) return undefined;
		throw error;
	}
}

/** Until when a compiled expression says what is declared; in the past where the clocks have changed since. */
export const holdsUntil = (declared: DeclaredCron, utcCron: string, now: number): number | undefined =>
	endOf(declared, utcCron, now).at;

function endOf(declared: DeclaredCron, utcCron: string, now: number) {
	const { timeZone } = declared;
	const { utcCron: current, validUntil, nextCron } = compileCron(declared, now);
	if (timeZone === undefined || sameCron(current, utcCron)) {
		return { at: validUntil, isPast: false, to: nextCron };
	}
	// Without one somebody changed the schedule, and drift says so.
	const last = clockChanges(timeZone, now - BACK_DAYS * DAY_MS, now).at(-1);
	return { at: last?.at, isPast: true, to: current };
}
