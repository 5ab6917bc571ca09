import { parseCron } from "./parse";

/** Loaded when first needed: a deployment that finds nothing wrong forecasts nothing. */
const croner = () => require("croner") as typeof import("croner");

/**
 * The next `count` times at which the expression fires strictly after `after`, in UTC.
 * The canonical form goes to croner, so that nothing croner accepts beyond plain cron gets through.
 */
export function nextRuns(expression: string, after: Date, count: number): Date[] {
	const { canonical } = parseCron(expression);
	const { Cron } = croner();
	return new Cron(canonical, { timezone: "UTC", mode: "5-part" }).nextRuns(count, after);
}
