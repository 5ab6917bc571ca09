import { clockChanges } from "../time-zone";
import { compileCron, type DeclaredCron } from "./compile";
import { CronError } from "./cron-error";
import { sameCron } from "./parse";

const DAY_MS = 86_400_000;
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
	const { timeZone } = declared;
	if (timeZone === undefined) return undefined;
	try {
		const compiled = compileCron(declared, now);
		if (!sameCron(compiled.utcCron, utcCron)) {
			const last = clockChanges(timeZone, now - BACK_DAYS * DAY_MS, now).at(-1);
			// Without one somebody changed the schedule, and drift says so.
			return last && { at: iso(last.at), isPast: true, to: compiled.utcCron };
		}
		const { validUntil, nextCron } = compiled;
		if (validUntil === undefined || nextCron === undefined || validUntil >= until) return undefined;
		return { at: iso(validUntil), isPast: false, to: nextCron };
	} catch (error) {
		if (error instanceof CronError) return undefined;
		throw error;
	}
}

const iso = (millis: number): string => new Date(millis).toISOString();
