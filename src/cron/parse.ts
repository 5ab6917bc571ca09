import { remembering } from "../text/remember";
import {
	CRON_FIELDS,
	type CronField,
	canonicalText,
	DAY_OF_MONTH,
	DAY_OF_WEEK,
	daysWith,
	isCounted,
	type Mark,
	type Meaning,
	MONTH,
	meet,
	sequence,
	shortCron,
	WEEKDAYS,
	WHOLE_WEEK,
} from "./compare";

export const CRON_MACROS: Readonly<Record<string, string>> = {
	"@hourly": "0 * * * *",
	"@daily": "0 0 * * *",
	"@midnight": "0 0 * * *",
	"@weekly": "0 0 * * 0",
	"@monthly": "0 0 1 * *",
	"@yearly": "0 0 1 1 *",
	"@annually": "0 0 1 1 *",
};

/** A cron expression that cannot be used. `reason` reads on from "because". */
export class CronError extends Error {
	override readonly name = "CronError";

	constructor(
		readonly expression: string,
		readonly reason: string,
	) {
		super(`The cron expression "${expression}" cannot be used: ${reason}.`);
	}
}

/** A cron expression taken apart. */
interface ParsedCron extends Meaning {
	/** One spelling per meaning: two expressions fire at the same times exactly when these are equal. */
	readonly canonical: string;
	/** What cron libraries read in different ways, as in `day of month "5-5"`. */
	readonly disputed: string | undefined;
}

/**
 * Reads five fields or a documented macro as croniter does: the service is written in Python, where croniter is usual.
 * Each expression is read once, also one that cannot be used.
 */
const attempt = remembering((expression: string): ParsedCron | CronError => {
	try {
		const read = readFields(expression, fieldsOf(expression));
		return { ...read, canonical: canonicalText(read) };
	} catch (error) {
		if (error instanceof CronError) return error;
		throw error;
	}
});

export function parseCron(expression: string): ParsedCron {
	const parsed = attempt(expression);
	// A new error each time: whoever catches one may change its text.
	if (parsed instanceof CronError)
		throw new CronError(parsed.expression, parsed.reason);
	return parsed;
}

export const isValidCron = (expression: string): boolean =>
	!(attempt(expression) instanceof CronError);

/** True when two expressions fire at the same times; one that cannot be read equals only itself. */
export function sameCron(a: string, b: string): boolean {
	if (normalizeCron(a).toLowerCase() === normalizeCron(b).toLowerCase()) return true;
	return (
		isValidCron(a) &&
		isValidCron(b) &&
		parseCron(a).canonical === parseCron(b).canonical
	);
}

/** The expression as it is sent to the service, which reads no macro with white space around it. */
export const normalizeCron = (expression: string): string =>
	expression.trim().split(/\s+/).join(" ");

/** Every minute, hour, day and month written out has half as many. */
const MOST_CHARACTERS = 1_000;

function fieldsOf(expression: string): readonly string[] {
	const given = normalizeCron(expression);
	const text = given.toLowerCase();
	if (text === "") throw new CronError(expression, "it is empty");
	if (text.length > MOST_CHARACTERS) {
		throw new CronError(
			`${text.slice(0, 60)}…`,
			`it has ${text.length} characters, and ${MOST_CHARACTERS} are the most`,
		);
	}
	const [, zone, rest] = /^(?:cron_)?tz=(\S+) (.+)$/i.exec(given) ?? [];
	if (zone !== undefined) {
		throw new CronError(
			expression,
			`the service reads no time zone in an expression: write "${rest}", and set the timeZone of the PipelineSchedule to "${zone}"`,
		);
	}
	const form = /^(cron|rate|at)\(.*\)$/.exec(text)?.[1];
	if (form !== undefined) throw new CronError(expression, eventBridgeForm(form));
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

function eventBridgeForm(form: string): string {
	if (form !== "at")
		return "it has the form of Amazon EventBridge, and the service reads the five fields of crontab";
	return (
		"at(…) is the form of Amazon EventBridge: to run once, leave the cron expression out and set startAfter to a time such as " +
		'"2026-01-31T03:00:00Z"'
	);
}

// ── The two day fields together ─────────────────────────────────────────────────────────────────────────────────────

interface DayField {
	readonly text: string;
	readonly marks: readonly Mark[];
	/** Whether a part of the list is a plain star. */
	readonly star: boolean;
	/** Whether its values are all there are. */
	readonly full: boolean;
	/** Whether it has whole weekdays, or a star, beside the n-th of a month. */
	readonly mixed?: boolean;
}

function readFields(
	expression: string,
	texts: readonly string[],
): Omit<ParsedCron, "canonical"> {
	const readers = CRON_FIELDS.map(
		(field, index) => new PartReader(expression, field, index, texts[index] ?? ""),
	);
	const parts = readers.map((reader) => reader.readAll());
	const values = parts.map((field) =>
		[...new Set(field.flatMap((part) => part.values))].sort((a, b) => a - b),
	);
	const dates = dateField(texts[DAY_OF_MONTH] ?? "", parts[DAY_OF_MONTH] ?? []);
	const weekdays = weekdayField(
		expression,
		texts[DAY_OF_WEEK] ?? "",
		parts[DAY_OF_WEEK] ?? [],
	);
	const marks = combined(expression, dates, weekdays);
	refuseNever(expression, texts, values, dates, weekdays);
	const field = readers.find(({ isDisputed }) => isDisputed)?.shown;
	const pair = `day of month "${dates.text}" beside day of week "${weekdays.text}"`;
	const disputed = field ?? (isDisputedPair(dates, weekdays) ? pair : undefined);
	return { values, days: new Set(marks), disputed };
}

const isPlainStar = ({ text }: DayField): boolean => text === "*" || text === "?";
const hasStar = ({ text, star }: DayField): boolean => star || text.startsWith("*");

/** Libraries agree on a plain star beside anything, and on two fields without a star. */
function isDisputedPair(dates: DayField, weekdays: DayField): boolean {
	if (weekdays.marks.some(isCounted))
		return weekdays.mixed === true || !isPlainStar(dates);
	if (isPlainStar(dates) || isPlainStar(weekdays) || (dates.full && weekdays.full))
		return false;
	return hasStar(dates) || hasStar(weekdays);
}

function dateField(text: string, parts: readonly Part[]): DayField {
	const marks = new Set(
		parts.flatMap((part) => part.values.map((value) => `d${value}`)),
	);
	if (parts.some((part) => part.lastDay)) marks.add("dL");
	// Counted with L, as croniter does, which takes 2-31,L for the whole month.
	return {
		text,
		marks: [...marks],
		star: parts.some((part) => part.star),
		full: marks.size === 31,
	};
}

function weekdayField(
	expression: string,
	text: string,
	parts: readonly Part[],
): DayField {
	const valuesOf = (some: readonly Part[]) =>
		new Set(some.flatMap((part) => part.values));
	const plain = valuesOf(parts.filter((part) => part.nth === undefined));
	const counted = parts.filter((part) => part.nth !== undefined);
	const named = counted.flatMap(({ values, nth }) =>
		values.map((value) => (nth === "L" ? `wL${value}` : `w${value}#${nth}`)),
	);
	const star = parts.some((part) => part.star);
	if (counted.length === 0) {
		return {
			text,
			marks: [...plain].map((value) => `w${value}`),
			star,
			full: plain.size === 7,
		};
	}
	const values = valuesOf(counted);
	const whole = valuesOf(parts.filter((part) => part.nth === undefined && !part.star));
	// Croniter counts a star as one more value.
	const size = new Set([...whole, ...values]).size + (star ? 1 : 0);
	if (size !== 7 && [...whole].some((value) => !values.has(value))) {
		throw new CronError(
			expression,
			`day of week "${text}" mixes whole weekdays with the n-th of a month: use two schedules`,
		);
	}
	const full = new Set([...plain, ...values]).size === 7;
	return { text, marks: named, star, full, mixed: star || whole.size > 0 };
}

/** Either, unless one allows everything; an n-th weekday stands alone, or beside a star must hold with the date. */
function combined(
	expression: string,
	dates: DayField,
	weekdays: DayField,
): readonly Mark[] {
	const anyDate = dates.star || (dates.full && weekdays.text.includes("*"));
	const anyWeekday = weekdays.star || (weekdays.full && dates.text.includes("*"));
	if (weekdays.marks.some(isCounted)) {
		if (anyDate || !anyWeekday) return weekdays.marks;
		throw new CronError(
			expression,
			`day of month "${dates.text}" beside day of week "${weekdays.text}" asks for days that are both: restrict one of them`,
		);
	}
	if (anyDate) return anyWeekday ? WHOLE_WEEK : weekdays.marks;
	return anyWeekday ? dates.marks : [...dates.marks, ...weekdays.marks];
}

/** Croniter looks for the date by itself, beside an n-th weekday for a day that is both, and gives up if there is none. */
function refuseNever(
	expression: string,
	texts: readonly string[],
	values: Meaning["values"],
	dates: DayField,
	weekdays: DayField,
): void {
	if (dates.star) return;
	const months = values[MONTH] ?? [];
	const [dated, counted] = [
		daysWith(months, dates.marks),
		weekdays.marks.filter(isCounted),
	];
	const occurs = dated.some((days) => days !== 0);
	if (occurs && (counted.length === 0 || meet(dated, daysWith(months, counted))))
		return;
	const month = `month "${texts[MONTH]}"`;
	const refused = (why: string) =>
		new CronError(expression, `day of month "${dates.text}" ${why}`);
	if (weekdays.star) throw refused(`never occurs in ${month}, so it would never run`);
	const why = occurs
		? `is never day of week "${weekdays.text}" in ${month}, and the service's cron library refuses such a pair`
		: `never occurs in ${month}, and the service's cron library refuses that even with a day of week`;
	const instead = shortCron(canonicalText({ values, days: new Set(weekdays.marks) }));
	throw refused(`${why}: without the date, write "${instead}"`);
}

// ── One part of a field ─────────────────────────────────────────────────────────────────────────────────────────────

/** What one part of a comma list stands for; `nth` makes its weekdays the n-th, or "L" the last, of the month. */
interface Part {
	readonly values: readonly number[];
	readonly star?: boolean;
	readonly lastDay?: boolean;
	readonly nth?: number | "L";
}

const RANGE = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/;
const NTH = new RegExp(
	`^(\\w+|(?:${WEEKDAYS.join("|")})-(?:${WEEKDAYS.join("|")}))#(\\d+)$`,
);

/** Reads the parts of one field, in lower case. */
class PartReader {
	/** Whether other libraries read a part in another way. */
	isDisputed = false;

	constructor(
		private readonly expression: string,
		private readonly field: CronField,
		private readonly index: number,
		private readonly text: string,
	) {}

	get shown(): string {
		return `${this.field.name} "${this.text}"`;
	}

	readAll(): Part[] {
		const isAny =
			this.text === "?" && (this.index === DAY_OF_MONTH || this.index === DAY_OF_WEEK);
		return (isAny ? "*" : this.text).split(",").map((part) => this.read(part));
	}

	private read(part: string): Part {
		if (part === "*") return { values: this.readRange(part), star: true };
		if (this.index === DAY_OF_MONTH && part === "l")
			return { values: [], lastDay: true };
		if (this.index === DAY_OF_MONTH && /^(\d+w|w\d+|lw)$/.test(part)) {
			throw this.fail(
				"asks for the nearest working day, which few schedulers know: write the days themselves",
			);
		}
		if (/^[hr](\(\d+-\d+\))?(\/\d+)?$/.test(part)) {
			throw this.fail("leaves the value to the scheduler: write a number");
		}
		return this.index === DAY_OF_WEEK
			? this.readWeekdays(part)
			: { values: this.readRange(part) };
	}

	private readWeekdays(part: string): Part {
		const last = /^l(\d+)$/.exec(part)?.[1];
		if (last !== undefined)
			return { values: [this.fold(this.numberOf(last))], nth: "L" };
		const [, weekdays, count] = NTH.exec(part) ?? [];
		if (weekdays === undefined) return { values: this.readRange(part) };
		const nth = Number(count);
		if (nth < 1 || nth > 5)
			throw this.fail(`has #${count}, and a month has a weekday one to five times`);
		return { values: this.readRange(weekdays), nth };
	}

	private readRange(part: string): readonly number[] {
		const [, first, last, step] = RANGE.exec(part) ?? [];
		if (first === undefined) {
			throw this.fail(
				`cannot be read at "${part}": use numbers, a-b ranges, a,b lists, * and /n steps, L for the last day, 5#3 for the third Friday`,
			);
		}
		if (first === "*" && last !== undefined) throw this.fail("mixes * with a range");
		const by = step === undefined ? 1 : Number(step);
		if (by < 1) throw this.fail("has a step of zero");
		if (first === "*") return sequence(this.field.min, this.field.max, by);
		const from = this.numberOf(first);
		if (last !== undefined) return this.range(from, this.endOf(last), by);
		if (step === undefined) return [this.fold(from)];
		// A Sunday written as 7 is the last day to some and the first to others.
		this.isDisputed ||= from > this.field.max;
		return this.range(this.fold(from), this.field.max, by);
	}

	private range(first: number, last: number, step: number): readonly number[] {
		const from = this.fold(first);
		const to = this.fold(last);
		const { min, max } = this.field;
		if (from < to) return sequence(from, to, step);
		// A range from a value to itself goes once around; only of 0-7 all libraries say so.
		if (from === to) {
			this.isDisputed ||= first >= last;
			return sequence(min, max, step);
		}
		const upper = sequence(from, max, step);
		const over = (upper.at(-1) ?? max) + step - max - 1;
		this.isDisputed ||= over > 0;
		// Croniter counts one too many if a step reaches over the end of the field.
		const skipped = over > 0 ? over + 1 : over;
		return [...upper, ...sequence(min + skipped, to, step)];
	}

	private endOf(text: string): number {
		return this.index === DAY_OF_MONTH && text === "l"
			? this.field.max
			: this.numberOf(text);
	}

	private fold(value: number): number {
		return this.index === DAY_OF_WEEK && value === 7 ? 0 : value;
	}

	private numberOf(text: string): number {
		const { min, max, names } = this.field;
		const named = names?.indexOf(text) ?? -1;
		if (named >= 0) return named + min;
		if (!/^\d+$/.test(text))
			throw this.fail(
				`has "${text}", which is neither a number nor a known name${inShort(text, names)}`,
			);
		const value = Number(text);
		const most = this.index === DAY_OF_WEEK ? 7 : max;
		if (value < min || value > most) {
			throw this.fail(`is out of range: ${text} is not between ${min} and ${most}`);
		}
		return value;
	}

	private fail(why: string): CronError {
		return new CronError(this.expression, `${this.shown} ${why}`);
	}
}

/** Crontab knows the names of days and months by their first three letters only. */
function inShort(text: string, names: readonly string[] = []): string {
	const short = names.find((name) => text.length > 3 && text.startsWith(name));
	return short === undefined ? "" : `: write "${short}"`;
}
