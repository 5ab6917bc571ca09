import { remembering } from "../remember";
import { canonicalText } from "./canonical";
import { AmbiguousCronError, CronError } from "./cron-error";
import { CRON_FIELDS, CRON_MACROS, DAY_OF_MONTH, MONTH, normalizeCron } from "./fields";
import { type Reading, readFields } from "./read-fields";
import { SCHEDULERS } from "./read-part";
import { shortCron } from "./short-cron";

/** A cron expression taken apart. */
export interface ParsedCron extends Reading {
	/** One spelling per meaning: two expressions fire at the same times exactly when these are equal. */
	readonly canonical: string;
}

/** Every minute, hour, day and month written out has half as many. */
const MOST_CHARACTERS = 1_000;

/** Reads an expression that is declared: five fields or a documented macro, which all schedulers read alike. */
export function parseCron(expression: string): ParsedCron {
	const found = readings(expression);
	const [first, ...others] = found;
	if (!runs(first)) throw neverRuns(expression, others.flatMap(plainSpelling));
	if (others.length > 0) throw new AmbiguousCronError(expression, found.flatMap(plainSpelling));
	return first;
}

/** Reads an expression that a schedule already has: where schedulers differ, as croniter does. */
export function parseLiveCron(expression: string): ParsedCron {
	const reading = readings(expression).find(runs);
	if (reading === undefined) throw neverRuns(expression, []);
	return reading;
}

export const isValidCron = (expression: string): boolean => canBeRead(() => parseCron(expression));

/** True also for an expression that cannot be declared only because schedulers read it in different ways. */
export const isReadableCron = (expression: string): boolean => canBeRead(() => parseLiveCron(expression));

/** True when two expressions fire at the same times; one that cannot be declared equals only itself. */
export function sameCron(a: string, b: string): boolean {
	if (normalizeCron(a).toLowerCase() === normalizeCron(b).toLowerCase()) return true;
	return isValidCron(a) && isValidCron(b) && parseCron(a).canonical === parseCron(b).canonical;
}

/** The readings that differ, croniter's first; undefined where a scheduler's fits into no expression. */
const readings = remembering((expression: string): readonly (ParsedCron | undefined)[] => {
	const texts = fieldsOf(expression);
	const found: (ParsedCron | undefined)[] = [];
	for (const scheduler of SCHEDULERS) {
		const reading = readFields(expression, texts, scheduler);
		if (found.some((one) => isSameReading(one, reading))) continue;
		const parsed = reading && { ...reading, canonical: canonicalText(reading) };
		if (!found.some((one) => one?.canonical === parsed?.canonical)) found.push(parsed);
	}
	return found;
});

function fieldsOf(expression: string): readonly string[] {
	const text = normalizeCron(expression).toLowerCase();
	if (text === "") throw new CronError(expression, "it is empty");
	if (text.length > MOST_CHARACTERS) {
		throw new CronError(
			`${text.slice(0, 60)}…`,
			`it has ${text.length} characters, and ${MOST_CHARACTERS} are the most`,
		);
	}
	const expanded = text.startsWith("@") ? CRON_MACROS[text] : text;
	if (expanded === undefined) {
		throw new CronError(
			expression,
			`"${text}" is not a macro the service knows (${Object.keys(CRON_MACROS).join(", ")})`,
		);
	}
	const fields = expanded.split(" ");
	if (fields.length !== CRON_FIELDS.length) {
		throw new CronError(
			expression,
			`it has ${fields.length} ${fields.length === 1 ? "field" : "fields"}, but five are needed: minute, hour, day of month, month, day of week`,
		);
	}
	return fields;
}

function neverRuns(expression: string, spellings: readonly string[]): CronError {
	const texts = fieldsOf(expression);
	const instead = spellings.map((spelling) => `; without that day it is "${spelling}"`).join("");
	return new CronError(
		expression,
		`day of month "${texts[DAY_OF_MONTH]}" never comes in month "${texts[MONTH]}", so it would never run${instead}`,
	);
}

/** Not every reading can be said without ambiguity: a date beside an n-th weekday cannot, nor a whole weekday. */
function plainSpelling(reading: ParsedCron | undefined): string[] {
	if (!runs(reading)) return [];
	const spelling = shortCron(reading.canonical);
	return canBeRead(() => readings(spelling)) && readings(spelling).length === 1 ? [spelling] : [];
}

const runs = (reading: ParsedCron | undefined): reading is ParsedCron => (reading?.days.size ?? 0) > 0;

function isSameReading(a: Reading | undefined, b: Reading | undefined): boolean {
	if (a === undefined || b === undefined) return a === b;
	return String(a.values) === String(b.values) && String([...a.days]) === String([...b.days]);
}

function canBeRead(read: () => unknown): boolean {
	try {
		read();
		return true;
	} catch (error) {
		if (error instanceof CronError) return false;
		throw error;
	}
}
