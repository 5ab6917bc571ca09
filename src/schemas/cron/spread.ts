import { createHash } from "node:crypto";
import { CronError } from "./cron-error";
import { CRON_FIELDS, DAY_OF_MONTH, normalizeCron } from "./fields";

const PART = /^h(?:\((\d{1,3})-(\d{1,3})\))?(?:\/(\d{1,3}))?$/i;

/** A date that every month has. */
const LAST_SAFE_DATE = 28;

/** Whose expression it is: the same team and schedule name always get the same values. */
export interface SpreadSeed {
	readonly team: string;
	readonly name: string;
}

const partsOf = (expression: string): string[] => normalizeCron(expression).split(/[ ,]/);

/** True where an expression leaves a value to the schedule's name with H: `H 3 * * *`, `H/15 * * * *`. */
export const usesSpread = (expression: string): boolean =>
	partsOf(expression).some((part) => PART.test(part));

/**
 * The expression with every H replaced by a value made of team and schedule name, one per field; itself where it has
 * none. How the value comes about must never change: it would move every schedule that uses it.
 */
export function spreadCron(expression: string, seed: SpreadSeed): string {
	if (!usesSpread(expression)) return expression;
	const spread = (text: string, index: number) =>
		text
			.split(",")
			.map((part) => spreadPart(expression, text, part, index, seed))
			.join(",");
	return normalizeCron(expression).split(" ").map(spread).join(" ");
}

function spreadPart(
	expression: string,
	text: string,
	part: string,
	index: number,
	{ team, name }: SpreadSeed,
): string {
	const field = CRON_FIELDS[index];
	const match = PART.exec(part);
	// A sixth field is refused by the parser, in its own words.
	if (field === undefined || match === null) return part;
	const fail = (why: string) => new CronError(expression, `${field.name} "${text}" ${why}`);
	const [, low, high, steps] = match;
	const from = low === undefined ? field.min : Number(low);
	const to = high === undefined ? (index === DAY_OF_MONTH ? LAST_SAFE_DATE : field.max) : Number(high);
	if (from < field.min || to > field.max) {
		throw fail(`is out of range: H(${from}-${to}) is not within ${field.min} and ${field.max}`);
	}
	if (from > to) throw fail(`goes backwards: write H(${to}-${from})`);
	const step = steps === undefined ? undefined : Number(steps);
	if (step !== undefined && (step < 1 || step > to - from + 1)) {
		throw fail(`has a step of ${step}, and the values from ${from} to ${to} allow 1 to ${to - from + 1}`);
	}
	const hash = createHash("sha256").update([team, name, field.name].join("\0")).digest();
	const first = from + (hash.readUIntBE(0, 6) % (step ?? to - from + 1));
	if (step === undefined || first + step > to) return String(first);
	return `${first}-${to}/${step}`;
}
