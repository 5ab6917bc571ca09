import { Cron } from "croner";
import { parseCron } from "./parse";

/**
 * The next `count` times at which the expression fires strictly after `after`, in UTC.
 * The canonical form goes to croner, so that nothing croner accepts beyond plain cron gets through.
 */
export function nextRuns(expression: string, after: Date, count: number): Date[] {
	const { canonical } = parseCron(expression);
	return new Cron(canonical, { timezone: "UTC", mode: "5-part" }).nextRuns(count, after);
}
