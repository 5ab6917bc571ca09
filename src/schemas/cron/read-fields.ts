import { ALL_WEEKDAYS, everyKindOfDay, hasAny, isCounted, type Mark } from "./calendar";
import { CronError } from "./cron-error";
import { CRON_FIELDS, DAY_OF_MONTH, DAY_OF_WEEK, MONTH } from "./fields";
import { type Part, PartReader, type Scheduler } from "./read-part";

/** When an expression fires, as one scheduler reads it. */
export interface Reading {
	/** The numbers of each field, sorted. */
	readonly values: readonly (readonly number[])[];
	/** It fires on the days of its months that have any of these; without one it never does. */
	readonly days: ReadonlySet<Mark>;
}

interface DayField {
	readonly text: string;
	readonly marks: readonly Mark[];
	readonly star: boolean;
	readonly full: boolean;
}

const WHOLE_WEEK: readonly Mark[] = ALL_WEEKDAYS.map((weekday) => `w${weekday}`);

/** Undefined where no single expression says plainly when this scheduler would run. */
export function readFields(
	expression: string,
	texts: readonly string[],
	scheduler: Scheduler,
): Reading | undefined {
	const parts = CRON_FIELDS.map((field, index) => {
		const text = texts[index] ?? "";
		const isAny = text === "?" && (index === DAY_OF_MONTH || index === DAY_OF_WEEK);
		const reader = new PartReader(expression, field, index, text, scheduler);
		return (isAny ? "*" : text).split(",").map((part) => reader.read(part));
	});
	const values = parts.map((field) =>
		[...new Set(field.flatMap((part) => part.values))].sort((a, b) => a - b),
	);
	const dates = dateField(texts[DAY_OF_MONTH] ?? "", parts[DAY_OF_MONTH] ?? []);
	const weekdays = weekdayField(expression, texts[DAY_OF_WEEK] ?? "", parts[DAY_OF_WEEK] ?? [], scheduler);
	const marks = COMBINED[scheduler](dates, weekdays);
	if (marks === undefined) {
		if (scheduler !== "croniter") return undefined;
		throw new CronError(
			expression,
			`day of month "${dates.text}" beside day of week "${weekdays.text}" asks for days that are both: restrict one of them`,
		);
	}
	// Croniter looks for the date by itself and gives up where there is none, whatever the weekday.
	const needed = scheduler === "croniter" && !dates.star ? dates.marks : marks;
	return { values, days: new Set(comes(values[MONTH] ?? [], new Set(needed)) ? marks : []) };
}

function dateField(text: string, parts: readonly Part[]): DayField {
	const marks = new Set(parts.flatMap((part) => part.values.map((value) => `d${value}`)));
	if (parts.some((part) => part.lastDay)) marks.add("dL");
	// Counted with L, as croniter does, which takes 2-31,L for the whole month.
	return { text, marks: [...marks], star: parts.some((part) => part.star), full: marks.size === 31 };
}

function weekdayField(
	expression: string,
	text: string,
	parts: readonly Part[],
	scheduler: Scheduler,
): DayField {
	const plain = new Set(parts.filter((part) => part.nth === undefined).flatMap((part) => part.values));
	const counted = parts.filter((part) => part.nth !== undefined);
	const named = counted.flatMap(({ values, nth }) =>
		values.map((value) => (nth === "L" ? `wL${value}` : `w${value}#${nth}`)),
	);
	const star = parts.some((part) => part.star);
	const all = [...[...plain].map((value) => `w${value}`), ...named];
	if (scheduler !== "croniter" || counted.length === 0) {
		return { text, marks: all, star, full: plain.size === 7 };
	}
	const known = new Set(counted.flatMap((part) => part.values));
	if (!star && new Set([...plain, ...known]).size < 7 && [...plain].some((value) => !known.has(value))) {
		throw new CronError(
			expression,
			`day of week "${text}" mixes whole weekdays with the n-th of a month: use two schedules`,
		);
	}
	return { text, marks: named, star, full: new Set([...plain, ...known]).size === 7 };
}

/** The days on which to run, from both day fields; undefined where only days that satisfy both would do. */
const COMBINED: Record<Scheduler, (dates: DayField, weekdays: DayField) => readonly Mark[] | undefined> = {
	/** Either, unless one allows everything; an n-th weekday stands alone, or beside a star must hold with the date. */
	croniter(dates, weekdays) {
		const anyDate = dates.star || (dates.full && weekdays.text.includes("*"));
		const anyWeekday = weekdays.star || (weekdays.full && dates.text.includes("*"));
		if (weekdays.marks.some(isCounted)) return anyDate || !anyWeekday ? weekdays.marks : undefined;
		if (anyDate) return anyWeekday ? WHOLE_WEEK : weekdays.marks;
		return anyWeekday ? dates.marks : [...dates.marks, ...weekdays.marks];
	},
	/** Either, unless one begins with a star: then both, even where that star has a step. */
	vixie(dates, weekdays) {
		if (!/^[*?]/.test(dates.text) && !/^[*?]/.test(weekdays.text)) return [...dates.marks, ...weekdays.marks];
		if (isWholeMonth(dates)) return weekdays.full ? WHOLE_WEEK : weekdays.marks;
		return weekdays.full ? dates.marks : undefined;
	},
	/** Either, unless one is nothing but a star. */
	croner(dates, weekdays) {
		if (/^[*?]$/.test(dates.text)) return weekdays.marks;
		return /^[*?]$/.test(weekdays.text) ? dates.marks : [...dates.marks, ...weekdays.marks];
	},
};

const isWholeMonth = ({ marks }: DayField): boolean =>
	marks.filter((mark) => mark !== "dL" && mark !== "d31").length === 30 &&
	(marks.includes("dL") || marks.includes("d31"));

const comes = (months: readonly number[], marks: ReadonlySet<Mark>): boolean =>
	everyKindOfDay().some((day) => months.includes(day.month) && hasAny(day.marks, marks));
