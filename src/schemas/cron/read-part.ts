import { CronError } from "./cron-error";
import { type CronField, DAY_OF_MONTH, DAY_OF_WEEK, WEEKDAYS } from "./fields";

/**
 * Whose reading of an expression is meant. The service is written in Python, where croniter is usual, so its reading
 * counts; vixie is the cron of Unix, and croner stands for the others. Where they differ, nothing is declared.
 */
export const SCHEDULERS = ["croniter", "vixie", "croner"] as const;
export type Scheduler = (typeof SCHEDULERS)[number];

/** What one part of a comma list stands for; `nth` makes its weekdays the n-th, or "L" the last, of the month. */
export interface Part {
	readonly values: readonly number[];
	readonly star?: boolean;
	readonly lastDay?: boolean;
	readonly nth?: number | "L";
}

const RANGE = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d+))?$/;
const NTH = new RegExp(`^(\\w+|(?:${WEEKDAYS.join("|")})-(?:${WEEKDAYS.join("|")}))#(\\d+)$`);

/** Reads the parts of one field, in lower case. */
export class PartReader {
	constructor(
		private readonly expression: string,
		private readonly field: CronField,
		private readonly index: number,
		private readonly text: string,
		private readonly scheduler: Scheduler,
	) {}

	read(part: string): Part {
		if (part === "*") return { values: this.readRange(part), star: true };
		if (this.index === DAY_OF_MONTH && part === "l") return { values: [], lastDay: true };
		if (this.index === DAY_OF_MONTH && /^(\d+w|w\d+|lw)$/.test(part)) {
			throw this.fail(
				"asks for the nearest working day, which few schedulers know: write the days themselves",
			);
		}
		if (/^[hr](\(\d+-\d+\))?(\/\d+)?$/.test(part)) {
			throw this.fail("leaves the value to the scheduler: write a number");
		}
		return this.index === DAY_OF_WEEK ? this.readWeekdays(part) : { values: this.readRange(part) };
	}

	private readWeekdays(part: string): Part {
		const last = /^l(\d+)$/.exec(part)?.[1];
		if (last !== undefined) return { values: [this.fold(this.numberOf(last))], nth: "L" };
		const [, weekdays, count] = NTH.exec(part) ?? [];
		if (weekdays === undefined) return { values: this.readRange(part) };
		const nth = Number(count);
		if (nth < 1 || nth > 5) throw this.fail(`has #${count}, and a month has a weekday one to five times`);
		return { values: this.readRange(weekdays), nth };
	}

	private readRange(part: string): readonly number[] {
		const [, first, last, step] = RANGE.exec(part) ?? [];
		if (first === undefined) {
			throw this.fail(
				`is not readable at "${part}": use numbers, a-b ranges, a,b lists, * and /n steps, L for the last day, 5#3 for the third Friday`,
			);
		}
		if (first === "*" && last !== undefined) throw this.fail("mixes * with a range");
		const by = step === undefined ? 1 : Number(step);
		if (by < 1) throw this.fail("has a step of zero");
		if (first === "*") return sequence(this.field.min, this.field.max, by);
		const from = this.numberOf(first);
		if (last !== undefined) return this.range(from, this.endOf(last), by);
		if (step === undefined) return [this.fold(from)];
		// "From here to the end of the field"; a Sunday written as 7 is already behind the last day.
		if (from > this.field.max && this.scheduler !== "croniter") return [this.fold(from)];
		return this.range(this.fold(from), this.field.max, by);
	}

	private range(first: number, last: number, step: number): readonly number[] {
		const from = this.fold(first);
		const to = this.fold(last);
		const { min, max } = this.field;
		if (from < to) return sequence(from, to, step);
		if (from === to) {
			// 0-7 is the whole week everywhere; to croniter every other range from a value to itself goes once around too.
			const around = this.scheduler === "croniter" || first < last;
			return around ? sequence(min, max, step) : [from];
		}
		const upper = sequence(from, max, step);
		const over = (upper.at(-1) ?? max) + step - max - 1;
		// Croniter counts one too many where a step reaches over the end of the field.
		const skipped = this.scheduler === "croniter" && over > 0 ? over + 1 : over;
		return [...upper, ...sequence(min + skipped, to, step)];
	}

	private endOf(text: string): number {
		return this.index === DAY_OF_MONTH && text === "l" ? this.field.max : this.numberOf(text);
	}

	private fold(value: number): number {
		return this.index === DAY_OF_WEEK && value === 7 ? 0 : value;
	}

	private numberOf(text: string): number {
		const { min, max, names } = this.field;
		const named = names?.indexOf(text) ?? -1;
		if (named >= 0) return named + min;
		if (!/^\d+$/.test(text)) throw this.fail(`has "${text}", which is neither a number nor a known name`);
		const value = Number(text);
		const most = this.index === DAY_OF_WEEK ? 7 : max;
		if (value < min || value > most) {
			throw this.fail(`is out of range: ${text} is not between ${min} and ${most}`);
		}
		return value;
	}

	private fail(why: string): CronError {
		return new CronError(this.expression, `${this.field.name} "${this.text}" ${why}`);
	}
}

export function sequence(from: number, to: number, step: number): number[] {
	const values: number[] = [];
	for (let value = from; value <= to; value += step) values.push(value);
	return values;
}
