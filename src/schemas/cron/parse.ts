import { CronError } from "./cron-error";
import { CRON_FIELDS, CRON_MACROS, type CronField, DAY_OF_MONTH, DAY_OF_WEEK, MONTH } from "./fields";
import { remembering } from "./remember";

/** A cron expression taken apart: for each field the sorted values at which it fires. */
export interface ParsedCron {
	readonly values: readonly (readonly number[])[];
	/**
	 * One spelling per meaning: a macro expanded, names and steps resolved, a field that allows everything
	 * written `*`. Two expressions mean the same exactly when these are equal.
	 */
	readonly canonical: string;
}

/** Every minute, hour, day and month written out has half as many. */
const MOST_CHARACTERS = 1_000;
/** Most days a month can have; February counts its leap day. */
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Reads a five-field expression or a documented macro; throws a CronError that names the field at fault. */
export const parseCron: (expression: string) => ParsedCron = remembering(parseAnew);

function parseAnew(expression: string): ParsedCron {
	const text = expression.trim();
	if (text === "") throw new CronError(expression, "it is empty");
	if (text.length > MOST_CHARACTERS) {
		throw new CronError(
			`${text.slice(0, 60)}…`,
			`it has ${text.length} characters, and ${MOST_CHARACTERS} are the most`,
		);
	}
	const fields = expandMacro(expression, text).split(/\s+/);
	if (fields.length !== CRON_FIELDS.length) {
		throw new CronError(
			expression,
			`it has ${fields.length} ${fields.length === 1 ? "field" : "fields"}, but five are needed: minute, hour, day of month, month, day of week`,
		);
	}
	const values = CRON_FIELDS.map((field, i) => parseField(expression, field, fields[i] ?? ""));
	refuseImpossibleDate(expression, values, fields);
	return { values, canonical: values.map((_, index) => canonicalField(values, fields, index)).join(" ") };
}

export function isValidCron(expression: string): boolean {
	try {
		parseCron(expression);
		return true;
	} catch (error) {
		if (error instanceof CronError) return false;
		throw error;
	}
}

/** True when two expressions fire at the same times; an expression we cannot read equals only itself. */
export function sameCron(a: string, b: string): boolean {
	if (a.trim() === b.trim()) return true;
	if (!isValidCron(a) || !isValidCron(b)) return false;
	return parseCron(a).canonical === parseCron(b).canonical;
}

function expandMacro(expression: string, text: string): string {
	if (!text.startsWith("@")) return text;
	const expansion = CRON_MACROS[text.toLowerCase()];
	if (expansion === undefined) {
		throw new CronError(
			expression,
			`"${text}" is not a macro the service knows (${Object.keys(CRON_MACROS).join(", ")})`,
		);
	}
	return expansion;
}

function parseField(expression: string, field: CronField, text: string): readonly number[] {
	const found = new Set<number>();
	for (const part of text.split(",")) {
		for (const value of parsePart(expression, field, text, part)) {
			found.add(field.max === 7 && value === 7 ? 0 : value);
		}
	}
	return [...found].sort((a, b) => a - b);
}

function parsePart(expression: string, field: CronField, text: string, part: string): number[] {
	const fail = (why: string) => new CronError(expression, `${field.name} "${text}" ${why}`);
	const match = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/i.exec(part);
	if (!match) throw fail(`is not readable at "${part}": use numbers, a-b ranges, a,b lists, * and /n steps`);
	const [, first = "", last, step] = match;
	if (first === "*" && last !== undefined) throw fail("mixes * with a range");
	if (first !== "*" && last === undefined && step !== undefined) {
		throw fail(`has a step without a range: write ${first}-${field.max}/${step}`);
	}
	const from = first === "*" ? field.min : numberOf(field, first, fail);
	// Sunday must not appear twice in `*` and in steps over it, so a star ends at 6.
	const star = field.max === 7 ? 6 : field.max;
	const to = first === "*" ? star : last === undefined ? from : numberOf(field, last, fail);
	if (from > to) throw fail(`counts down from ${first} to ${last}`);
	const by = step === undefined ? 1 : Number(step);
	if (by < 1) throw fail("has a step of zero");
	const values: number[] = [];
	for (let value = from; value <= to; value += by) values.push(value);
	return values;
}

function numberOf(field: CronField, text: string, fail: (why: string) => CronError): number {
	const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
	if (named >= 0) return named + field.min;
	if (!/^\d{1,9}$/.test(text)) throw fail(`has "${text}", which is neither a number nor a known name`);
	const value = Number(text);
	if (value < field.min || value > field.max) {
		throw fail(`is out of range: ${value} is not between ${field.min} and ${field.max}`);
	}
	return value;
}

/** 31 February never comes. Where the weekday is restricted too, cron fires on either, so the date may be impossible. */
function refuseImpossibleDate(
	expression: string,
	values: readonly (readonly number[])[],
	fields: readonly string[],
): void {
	const days = values[DAY_OF_MONTH] ?? [];
	const months = values[MONTH] ?? [];
	if (!isStar(fields[DAY_OF_WEEK])) return;
	const first = days[0] ?? 1;
	if (months.some((month) => first <= (LONGEST[month - 1] ?? 31))) return;
	throw new CronError(
		expression,
		`day of month "${fields[DAY_OF_MONTH]}" never comes in month "${fields[MONTH]}", so it would never run`,
	);
}

/**
 * A field that allows everything is `*`, with one exception: cron fires on day of month or day of week where both
 * are written out, so `1-31` beside a weekday means every day, and `*` beside it would mean that weekday only.
 */
function canonicalField(
	values: readonly (readonly number[])[],
	fields: readonly string[],
	index: number,
): string {
	const own = values[index] ?? [];
	const other = index === DAY_OF_MONTH ? DAY_OF_WEEK : index === DAY_OF_WEEK ? DAY_OF_MONTH : undefined;
	const free = other === undefined || isStar(fields[index]) || isFull(values[other] ?? [], other);
	return isFull(own, index) && free ? "*" : own.join(",");
}

function isFull(values: readonly number[], index: number): boolean {
	const field = CRON_FIELDS[index];
	return field !== undefined && values.length === (field.max === 7 ? 7 : field.max - field.min + 1);
}

function isStar(text = ""): boolean {
	return text.split(",").some((part) => part === "*" || part === "*/1");
}
