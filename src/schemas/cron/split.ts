import { longest } from "./calendar";
import { CRON_FIELDS, DAY_OF_MONTH, MONTH } from "./fields";
import { parseCron } from "./parse";
import { sequence } from "./read-part";
import { shiftToUtc } from "./shift";
import { shortCron } from "./short-cron";
import { inFields, timesOf } from "./times";

const MOST_PARTS = 4;

/**
 * Expressions that together fire when this one does, each of which can be said in UTC whatever of the offsets holds.
 * Undefined where a few do not suffice.
 */
export function splitForUtc(expression: string, offsets: readonly number[]): string[] | undefined {
	const fits = (part: string) => offsets.every((offset) => shiftToUtc(part, offset) !== undefined);
	let parts = [expression];
	while (parts.length <= MOST_PARTS) {
		const misfit = parts.find((part) => !fits(part));
		if (misfit === undefined) return parts;
		const [split] = splitsOf(misfit, offsets);
		if (split === undefined) return undefined;
		parts = parts.flatMap((part) => (part === misfit ? split : [part]));
	}
	return undefined;
}

/** Ways to take an expression apart, in the order in which they are likely to help. */
function splitsOf(expression: string, offsets: readonly number[]): string[][] {
	return [
		...offsets.map((offset) => byTime(expression, (time) => Math.floor((time - offset) / 1_440))),
		// Where the offset has odd minutes, some of them borrow an hour.
		...offsets.map((offset) =>
			byTime(expression, (time) => Math.floor(((time % 60) - (((offset % 60) + 60) % 60)) / 60)),
		),
		...offsets.map((offset) => byDate(expression, offset > 0)),
	].filter((parts) => parts.length > 1);
}

function byTime(expression: string, groupOf: (time: number) => number): string[] {
	const cron = parseCron(expression);
	const groups = new Map<number, number[]>();
	for (const time of timesOf(cron)) {
		const group = groupOf(time);
		groups.set(group, [...(groups.get(group) ?? []), time]);
	}
	const days = cron.canonical.split(" ").slice(DAY_OF_MONTH);
	const parts = [...groups.values()].flatMap((times) => {
		const fields = inFields(times);
		return fields === undefined ? [] : [shortCron([...fields, ...days].join(" "))];
	});
	return parts.length === groups.size ? parts : [];
}

/** The first of the month apart, or the last where that is the same date in all its months. */
function byDate(expression: string, first: boolean): string[] {
	const [minute, hour, dates = "", months = "", weekdays] = parseCron(expression).canonical.split(" ");
	if (weekdays !== "*" || !/^[\d,]+$|^\*$/.test(dates)) return [];
	const lengths = new Set(numbersOf(months, MONTH).map(longest));
	const [length = 31] = lengths;
	const edge = first ? 1 : length;
	if (!first && (lengths.size > 1 || length === 29)) return [];
	const all = numbersOf(dates, DAY_OF_MONTH).filter((date) => date <= length);
	const rest = all.filter((date) => date !== edge);
	if (rest.length === all.length || rest.length === 0) return [];
	return [[edge], rest].map((part) => shortCron([minute, hour, part.join(","), months, "*"].join(" ")));
}

function numbersOf(text: string, index: number): number[] {
	const { min = 0, max = 0 } = CRON_FIELDS[index] ?? {};
	return text === "*" ? sequence(min, max, 1) : text.split(",").map(Number);
}
