import { DAY_MS, MINUTE_MS } from "../time-zone";
import { hasAny, marksOf } from "./calendar";
import { MONTH } from "./fields";
import { type ParsedCron, parseLiveCron } from "./parse";
import { timesOf } from "./times";

/** A fifth Monday in February comes every 28 years, and once in a century after 40. */
const LONGEST_WAIT_MS = 41 * 366 * DAY_MS;

/** The next `count` times at which the expression fires strictly after `after`, in UTC. */
export function nextRuns(expression: string, after: Date, count: number): Date[] {
	const cron = parseLiveCron(expression);
	const times = timesOf(cron);
	const earliest = (Math.floor(after.getTime() / MINUTE_MS) + 1) * MINUTE_MS;
	const runs: Date[] = [];
	let latest = earliest + LONGEST_WAIT_MS;
	for (
		let day = Math.floor(earliest / DAY_MS) * DAY_MS;
		day <= latest && runs.length < count;
		day += DAY_MS
	) {
		if (!firesOn(cron, new Date(day))) continue;
		const due = times.map((time) => day + time * MINUTE_MS).filter((run) => run >= earliest);
		runs.push(...due.slice(0, count - runs.length).map((run) => new Date(run)));
		latest = day + LONGEST_WAIT_MS;
	}
	return runs;
}

function firesOn({ values, days }: ParsedCron, day: Date): boolean {
	const month = day.getUTCMonth();
	if (values[MONTH]?.includes(month + 1) !== true) return false;
	const length = new Date(Date.UTC(day.getUTCFullYear(), month + 1, 0)).getUTCDate();
	return hasAny(marksOf(day.getUTCDate(), day.getUTCDay(), length), days);
}
