import { listed } from "./canonical";
import { HOUR, MINUTE } from "./fields";
import type { ParsedCron } from "./parse";

/** Minutes of the day at which an expression fires, by its own clock, in their order. */
export function timesOf({ values }: ParsedCron): number[] {
	return (values[HOUR] ?? []).flatMap((hour) => (values[MINUTE] ?? []).map((minute) => hour * 60 + minute));
}

/** Minute and hour field for minutes of the day; undefined where some hours need other minutes than others. */
export function inFields(times: readonly number[]): string[] | undefined {
	const sorted = (values: readonly number[]) => [...new Set(values)].sort((a, b) => a - b);
	const minutes = sorted(times.map((time) => time % 60));
	const hours = sorted(times.map((time) => Math.floor(time / 60)));
	if (minutes.length * hours.length !== times.length) return undefined;
	return [listed(MINUTE, minutes), listed(HOUR, hours)];
}
