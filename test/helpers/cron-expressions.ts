import fc from "fast-check";
import { CRON_MACROS, CronError, parseCron } from "../../src/cron";

const MONTHS = [
	"jan",
	"feb",
	"mar",
	"apr",
	"may",
	"jun",
	"jul",
	"aug",
	"sep",
	"oct",
	"nov",
	"dec",
];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const words = (text: string): string[] => text.trim().split(/\s+/);

type Text = fc.Arbitrary<string>;
const joined = (...parts: Text[]): Text =>
	fc.tuple(...parts).map((texts) => texts.join(""));
const constant = (text: string): Text => fc.constant(text);
const anyCase = (text: Text): Text =>
	fc
		.tuple(text, fc.constantFrom("as is", "upper", "title"))
		.map(([word, how]) =>
			how === "upper"
				? word.toUpperCase()
				: how === "title"
					? word.charAt(0).toUpperCase() + word.slice(1)
					: word,
		);
const number = (min: number, max: number): Text => fc.integer({ min, max }).map(String);
const often = (arbitrary: Text, weight: number) => ({ arbitrary, weight });

/** All forms that a part of a list can have in every field, with a few values out of range. */
function commonPart(min: number, max: number, names: readonly string[]): Text {
	const inside = number(min, max);
	const padded = inside.map((text) => text.padStart(2, "0"));
	const value = fc.oneof(
		often(inside, 12),
		often(padded, 1),
		often(number(0, max + 1), 1),
		...(names.length > 0 ? [often(anyCase(fc.constantFrom(...names)), 8)] : []),
	);
	const step = joined(
		constant("/"),
		fc.oneof(often(number(1, 9), 8), often(number(0, max + 3), 2)),
	);
	const range = joined(value, constant("-"), value);
	return fc.oneof(
		often(value, 8),
		often(range, 4),
		often(joined(range, step), 3),
		often(joined(constant("*"), step), 3),
		often(joined(value, step), 2),
		often(
			value.map((text) => `${text}-${text}`),
			1,
		),
		often(
			value.map((text) => `${text}-${text}/2`),
			1,
		),
		often(constant("*"), 1),
		often(
			fc.constantFrom("", "x", "-1", "1-", "*-5", "1/", "5/*", "1.5", "?", "l", "1#2"),
			1,
		),
	);
}

const lists = (part: Text): Text =>
	fc.oneof(
		often(part, 6),
		often(
			fc.array(part, { minLength: 2, maxLength: 3 }).map((parts) => parts.join(",")),
			3,
		),
	);

const minute = fc.oneof(
	often(constant("0"), 4),
	often(lists(commonPart(0, 59, [])), 3),
);
const hour = fc.oneof(often(number(0, 23), 3), often(lists(commonPart(0, 23, [])), 3));
const datePart = fc.oneof(
	often(commonPart(1, 31, []), 8),
	often(
		fc.constantFrom(
			"L",
			"l",
			"5-L",
			"2-l/3",
			"2-31,L",
			"1-30,L",
			"15W",
			"w15",
			"31-L",
			"L-3",
		),
		3,
	),
);
const dayOfMonth = fc.oneof(
	often(constant("*"), 6),
	often(constant("?"), 1),
	often(lists(datePart), 7),
);
const month = fc.oneof(
	often(constant("*"), 5),
	often(lists(commonPart(1, 12, MONTHS)), 4),
);
const weekdayName = anyCase(fc.constantFrom(...WEEKDAYS));
const weekday = fc.oneof(number(0, 7), weekdayName);
const nth = joined(
	constant("#"),
	fc.oneof(often(number(1, 5), 9), often(number(0, 6), 1)),
);
const weekdayPart = fc.oneof(
	often(commonPart(0, 7, WEEKDAYS), 8),
	often(joined(weekday, nth), 3),
	often(joined(weekdayName, constant("-"), weekdayName, nth), 1),
	often(joined(fc.constantFrom("L", "l"), number(0, 8)), 2),
	often(
		fc.constantFrom("0-7", "0-7/2", "5L", "friL", "fri#L", "1-5#2", "7/2", "7-7"),
		1,
	),
);
const countedWeekdays = fc
	.array(fc.oneof(joined(weekday, nth), joined(constant("L"), number(0, 6))), {
		minLength: 1,
		maxLength: 3,
	})
	.map((parts) => parts.join(","));
const dayOfWeek = fc.oneof(
	often(constant("*"), 5),
	often(constant("?"), 1),
	often(lists(weekdayPart), 5),
	often(countedWeekdays, 2),
);

const space = fc.oneof(
	often(constant(" "), 20),
	often(fc.constantFrom("  ", "\t", " \n "), 1),
);
const around = fc.oneof(
	often(constant(""), 8),
	often(fc.constantFrom(" ", "\t", "\n"), 1),
);
const fiveFields = joined(
	around,
	minute,
	space,
	hour,
	space,
	dayOfMonth,
	space,
	month,
	space,
	dayOfWeek,
	around,
);
const macro = joined(
	around,
	anyCase(fc.constantFrom(...Object.keys(CRON_MACROS), "@reboot", "@every")),
	around,
);
const chosenByService = fc
	.tuple(fc.constantFrom("r", "R", "h", "H(0-9)", "r(3-9)/2", "R/7"), hour)
	.map((fields) => `${fields.join(" ")} * * *`);
const otherLengths = fc
	.array(fc.oneof(minute, constant("*")), { minLength: 1, maxLength: 7 })
	.map((fields) => fields.join(" "));

/** Expressions of every syntax form, right and wrong. */
export const anyCron: Text = fc.oneof(
	often(fiveFields, 60),
	often(macro, 1),
	often(chosenByService, 1),
	often(otherLengths, 1),
);

const LATE_DATES = words(`
	30 31 30,31 29 29,30 30-31 29-31 31-31 L 30,L L,31 29-L 30-l/2 */30 */31 31/2 1/30 ? * *,30 30,*
	5-31/26 31-30 1-31 2-31,L 0 31W`);
const SHORT_MONTHS = words(
	"2 feb 4 apr 2,4 4,6,9,11 feb-feb 2/12 4-6/2 11 * 2,3 */2 12 02",
);
const WEEKDAY_FORMS = words(`
	1 mon 1#1 1#5 L1 l5 1,2 mon-fri * ? */2 0-6 0-7 7 1#1,L5 sun-sat sun-sat#5 mon-mon 1#1,2 *,1 1#6 7#2
	6-0 L7 *#2 1-5#2 mon#1,* */7 L0,L1,L2,L3,L4,L5,L6 1#5,2#5 1-6,7#1 *,0,1,2,3,4,5#1 *,0,4#4 mon,*,l3
	*,1#1`);

/** Dates that some or all of their months do not have, beside every form of a weekday. */
export const lateDateCron: Text = fc
	.tuple(
		fc.constantFrom(...LATE_DATES),
		fc.constantFrom(...SHORT_MONTHS),
		fc.constantFrom(...WEEKDAY_FORMS),
	)
	.map((fields) => `0 0 ${fields.join(" ")}`);

const DATES = words(`
	* ? 1-31 1-30 1-29 1-28 30-5 1-30,L 1-29,L 1-28,L 29-31 28,29 28,L 29,L L 31 30,31 30 29 31,L 1-7
	22-31 1-28/27 5-L`);
const DAYS = words(`
	* ? 1 mon 0-6 1-7 sat-fri 1#1 1#4,L1 1#4,1#5 L1 1#5 1#5,L1 1#4 1#1,1#2,1#3,1#4,1#5
	1#1,1#2,1#3,1#4,L1 sun-sat#1 sun-sat#4,sun-sat#5 L0,L1,L2,L3,L4,L5,L6`);
const FEW_MONTHS = [
	"2",
	"4",
	"1,4",
	"2,3",
	"apr,jun",
	"jan-mar",
	"2,4,9",
	"dec-feb",
	"12,1-2",
];

/** Expressions of which many say the same day in other words. */
export const similarCron: Text = fc
	.tuple(
		fc.constantFrom(...DATES),
		fc.constantFrom(...FEW_MONTHS),
		fc.constantFrom(...DAYS),
	)
	.map((fields) => `0 0 ${fields.join(" ")}`);

/**
 * What they are, and how croniter reads them. Vixie cron or croner reads each in another way, so none may be declared; a
 * live schedule may have it.
 */
export const DISPUTED: readonly (readonly [
	what: string,
	expression: string,
	plain: string,
])[] = [
	["a range from a value to itself", "5-5 * * * *", "* * * * *"],
	["counted weekdays", "0 0 * * mon-mon#1", "0 0 1-7 * *"],
	["a step from the last value", "59/15 * * * *", "*/15 * * * *"],
	["a step from Sunday as 7", "0 0 * * 7/2", "0 0 * * 0,2,4,6"],
	["a step over midnight", "0 22-4/3 * * *", "0 2,22 * * *"],
	["a star with step one, beside a weekday", "0 0 */1 * 1", "0 0 * * *"],
	["a star in a list, beside a weekday", "0 0 5,* * 1", "0 0 * * 1"],
	["a star with a step, beside a weekday", "0 0 */2 * 1", "0 0 1-31/2 * 1"],
	["a date beside a star with a step", "0 0 1 * */2", "0 0 1 * 0,2,4,6"],
	["a weekday beside its own n-th", "0 0 * * 1#1,1", "0 0 * * 1#1"],
	["a weekday's n-th beside all others", "0 0 * * 0#1,1-6", "0 0 * * 0#1"],
	["a full date field beside an n-th weekday", "0 0 */1 * 1#1,1", "0 0 * * 1#1"],
	["a date beside an n-th weekday", "0 0 15 * 5#3", "0 0 * * 5#3"],
	["many dates, beside an n-th weekday", "0 0 2-31,L * 1#1", "0 0 * * 1#1"],
	["a star beside an n-th weekday, in one field", "0 0 * * *,1#1", "0 0 * * 1#1"],
];

/** Why an expression is not read; fails if it is. */
export function refusalOf(expression: string): CronError {
	try {
		parseCron(expression);
	} catch (error) {
		if (error instanceof CronError) return error;
		throw error;
	}
	throw new Error(`"${expression}" was accepted`);
}
