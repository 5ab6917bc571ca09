import { Cron } from "croner";

export type Inputs = Readonly<Record<string, unknown>>;
/** Hours in UTC: from the first, up to the second; where the second is the smaller one, over midnight. */
export interface Hours {
	readonly from: number;
	readonly to: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A leap year, so that every date that there is comes up. */
const FROM = Date.UTC(2028, 0, 1);
const TO = Date.UTC(2029, 0, 1);

/** A schedule of the classes in a TypeScript program, and one of the plugin. */
const SCHEDULES = ["pulumi-nodejs:dynamic/datachain:PipelineSchedule", "datachain:index:PipelineSchedule"];
export const isSchedule = (type: string): boolean => SCHEDULES.includes(type);

export function tooOften(inputs: Inputs, leastMinutes: number): string | undefined {
	return withRuns(inputs, ({ cron, times }) => {
		const shortest = Math.min(...gapsInDay(times), ...gapsOverDays(cron, times)) / MINUTE;
		if (shortest >= leastMinutes) return undefined;
		return `It runs every ${shortest} minutes; ${leastMinutes} are the least.`;
	});
}

export function inBlackout(inputs: Inputs, { from, to }: Hours): string | undefined {
	return withRuns(inputs, ({ times }) => {
		const inside = times.find((time) => {
			const hour = new Date(time).getUTCHours();
			return from <= to ? hour >= from && hour < to : hour >= from || hour < to;
		});
		if (inside === undefined) return undefined;
		return `It would start at ${new Date(inside).toISOString().slice(11, 16)} UTC.`;
	});
}

export function isPausedProduction({ scheduleName, paused }: Inputs, production: RegExp): string | undefined {
	if (paused !== true || !production.test(String(scheduleName))) return undefined;
	return "It is paused, and its name says production.";
}

interface Runs {
	/** None for a schedule that runs once. */
	readonly cron?: Cron;
	/** The times of the day at which it runs, in milliseconds: a cron expression has the same ones on each of its days. */
	readonly times: readonly number[];
}

/** By the UTC expression, which `timeZone` and H are compiled to. */
function withRuns(
	{ utcCron, cronExpression, startAfter }: Inputs,
	rule: (runs: Runs) => string | undefined,
): string | undefined {
	const expression = utcCron ?? cronExpression;
	if (typeof expression !== "string") {
		return typeof startAfter === "string" ? rule({ times: [Date.parse(startAfter) % DAY] }) : undefined;
	}
	let cron: Cron;
	try {
		cron = new Cron(expression, { utcOffset: 0, paused: true, sloppyRanges: true });
	} catch (error) {
		// The provider accepts more than croner reads: a range over the end (22-2) is one of them.
		const why = error instanceof Error ? error.message : String(error);
		return (
			`"${expression}" cannot be checked: ${why}. Write it in another way, ` +
			"for example a range over midnight as two: 22-23,0-2."
		);
	}
	return rule({ cron, times: timesOfDay(cron) });
}

function timesOfDay(cron: Cron): number[] {
	const times: number[] = [];
	let at = next(cron, FROM - 1);
	const end = endOfDay(at);
	for (; at < end; at = next(cron, at)) times.push(at % DAY);
	return times;
}

const gapsInDay = (times: readonly number[]): number[] =>
	times.slice(1).map((time, index) => time - (times[index] ?? 0));

/** From the last run of each day to the first of the next day that has one. */
function gapsOverDays(cron: Cron | undefined, times: readonly number[]): number[] {
	const gaps: number[] = [];
	if (cron === undefined) return gaps;
	const last = times.at(-1) ?? 0;
	for (let first = next(cron, FROM - 1); first < TO; ) {
		const end = endOfDay(first);
		first = next(cron, end - 1);
		gaps.push(first - (end - DAY + last));
	}
	return gaps;
}

const next = (cron: Cron, after: number): number =>
	cron.nextRun(new Date(after))?.getTime() ?? Number.POSITIVE_INFINITY;

const endOfDay = (at: number): number => at - (at % DAY) + DAY;
