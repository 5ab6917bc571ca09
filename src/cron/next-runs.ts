import { firingDays, HOUR, isAmong, MINUTE } from "./compare";
import { type ParsedCron, parseLiveCron } from "./parse";
import { DAY_MS, MINUTE_MS } from "./time-zones";

/** A fifth Monday in February comes every 28 years, and once in a century after 40. */
const LONGEST_WAIT_MS = 41 * 366 * DAY_MS;

/**
 * The instants from one on, and before another if that is given, at which the expression fires in UTC, in their order.
 * Own code, because croner takes nine times as long (docs/internals/scale.md) and reads live expressions in its own way.
 */
export function* runsOf(
	cron: ParsedCron,
	from: number,
	to = Number.POSITIVE_INFINITY,
): Generator<number, void, undefined> {
	const times = timesOf(cron).map((minutes) => minutes * MINUTE_MS);
	const firing = firingDays(cron);
	let latest = from + LONGEST_WAIT_MS;
	for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < to && day <= latest; day += DAY_MS) {
		if (!isAmong(firing, new Date(day))) continue;
		for (const time of times) {
			const at = day + time;
			if (at >= from && at < to) yield at;
		}
		latest = day + LONGEST_WAIT_MS;
	}
}

/** The next `count` times at which the expression fires strictly after `after`. */
export function nextRuns(expression: string, after: Date, count: number): Date[] {
	const runs: Date[] = [];
	if (count < 1) return runs;
	const earliest = (Math.floor(after.getTime() / MINUTE_MS) + 1) * MINUTE_MS;
	for (const at of runsOf(parseLiveCron(expression), earliest)) {
		if (runs.push(new Date(at)) === count) break;
	}
	return runs;
}

/** Minutes of the day at which an expression fires, by its own clock, in their order. */
export function timesOf({ values }: Pick<ParsedCron, "values">): number[] {
	return (values[HOUR] ?? []).flatMap((hour) => (values[MINUTE] ?? []).map((minute) => hour * 60 + minute));
}
