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
	const fields = normalizeCron(expression).split(" ");
	return fields
		.map((text, index) =>
			text
				.split(",")
				.map((part) => (PART.test(part) ? spreadPart(expression, text, part, index, seed) : part))
				.join(","),
		)
		.join(" ");
}

function spreadPart(
	expression: string,
	text: string,
	part: string,
	index: number,
	{ team, name }: SpreadSeed,
): string {
	const field = CRON_FIELDS[index];
	// A sixth field is refused by the parser, in its own words.
	if (field === undefined) return part;
	const fail = (why: string) => new CronError(expression, `${field.name} "${text}" ${why}`);
	const [, low, high, steps] = PART.exec(part) ?? [];
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
	const first = from + (hashOf([team, name, field.name]) % (step ?? to - from + 1));
	if (step === undefined || first + step > to) return String(first);
	return `${first}-${to}/${step}`;
}

function hashOf(parts: readonly string[]): number {
	return createHash("sha256").update(parts.join("\0")).digest().readUIntBE(0, 6);
}
