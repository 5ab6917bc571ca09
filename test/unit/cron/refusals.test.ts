import { describe, expect, test } from "vitest";
import {
	CronError,
	cronProblem,
	nextRuns,
	parseCron,
	sameCron,
	tryDescribeCron,
} from "../../../src/cron";
import { shortCron } from "../../../src/cron/compare";
import { DISPUTED, refusalOf } from "../../helpers/cron-expressions";

const FIVE = "but five are needed: minute, hour, day of month, month, day of week";
const OTHER_FORM =
	"it has the form of Amazon EventBridge, and the service reads the five fields of crontab";
const USE =
	"use numbers, a-b ranges, a,b lists, * and /n steps, L for the last day, 5#3 for the third Friday";
const WORKING_DAY =
	"asks for the nearest working day, which few schedulers know: write the days themselves";
const LEFT_OPEN = "leaves the value to the scheduler: write a number";
const MACROS = "@hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually";
const NO_NAME = "which is neither a number nor a known name";
const MIXED = "mixes whole weekdays with the n-th of a month: use two schedules";
const BOTH = "asks for days that are both: restrict one of them";
const TOO_OFTEN = "and a month has a weekday one to five times";

test.each([
	["", "it is empty"],
	["* * * *", `it has 4 fields, ${FIVE}`],
	["*", `it has 1 field, ${FIVE}`],
	["0 0 0 * * *", `it has 6 fields, ${FIVE}`],
	[
		"CRON_TZ=Europe/Berlin  0 3 * * *",
		`the service reads no time zone in an expression: write "0 3 * * *", and set the timeZone of the PipelineSchedule to "Europe/Berlin"`,
	],
	[
		"tz=UTC @daily",
		`the service reads no time zone in an expression: write "@daily", and set the timeZone of the PipelineSchedule to "UTC"`,
	],
	["cron(0 3 * * ? *)", OTHER_FORM],
	["rate(1 day)", OTHER_FORM],
	[
		"at(2030-01-01T00:00:00)",
		'at(…) is the form of Amazon EventBridge: to run once, leave the cron expression out and set startAfter to a time such as "2026-01-31T03:00:00Z"',
	],
	["@reboot", `"@reboot" is not a macro the service knows (${MACROS})`],
	["@constructor", `"@constructor" is not a macro the service knows (${MACROS})`],
	["60 * * * *", 'minute "60" is out of range: 60 is not between 0 and 59'],
	["0 0 0 * *", 'day of month "0" is out of range: 0 is not between 1 and 31'],
	["0 0 32 * *", 'day of month "32" is out of range: 32 is not between 1 and 31'],
	["0 0 * * 8", 'day of week "8" is out of range: 8 is not between 0 and 7'],
	["0 0 * * L12", 'day of week "l12" is out of range: 12 is not between 0 and 7'],
	["0 0 * * Monday", `day of week "monday" has "monday", ${NO_NAME}: write "mon"`],
	["0 0 1 september *", `month "september" has "september", ${NO_NAME}: write "sep"`],
	["0 0 * * moo", `day of week "moo" has "moo", ${NO_NAME}`],
	["1x * * * *", `minute "1x" has "1x", ${NO_NAME}`],
	["0 L * * *", `hour "l" has "l", ${NO_NAME}`],
	["0 1-L * * *", `hour "1-l" has "l", ${NO_NAME}`],
	["0 L5 * * *", `hour "l5" has "l5", ${NO_NAME}`],
	["0 5#3 * * *", `hour "5#3" cannot be read at "5#3": ${USE}`],
	["0 0 L-3 * *", `day of month "l-3" has "l", ${NO_NAME}`],
	["0 0 * * L", `day of week "l" has "l", ${NO_NAME}`],
	["0 0 * * 5L", `day of week "5l" has "5l", ${NO_NAME}`],
	["0 0 * * xl5", `day of week "xl5" has "xl5", ${NO_NAME}`],
	["0 0 * * L5x", `day of week "l5x" has "l5x", ${NO_NAME}`],
	["*/0 * * * *", 'minute "*/0" has a step of zero'],
	["*-5 * * * *", 'minute "*-5" mixes * with a range'],
	["1,,2 * * * *", `minute "1,,2" cannot be read at "": ${USE}`],
	["1.5 * * * *", `minute "1.5" cannot be read at "1.5": ${USE}`],
	["? * * * *", `minute "?" cannot be read at "?": ${USE}`],
	["0 0 * * 1-5#2", `day of week "1-5#2" cannot be read at "1-5#2": ${USE}`],
	["0 0 * * mon#2x", `day of week "mon#2x" cannot be read at "mon#2x": ${USE}`],
	["0 0 15W * *", `day of month "15w" ${WORKING_DAY}`],
	["0 0 W15 * *", `day of month "w15" ${WORKING_DAY}`],
	["0 0 15wx * *", `day of month "15wx" has "15wx", ${NO_NAME}`],
	["0 0 x15w * *", `day of month "x15w" has "x15w", ${NO_NAME}`],
	["0 15W * * *", `hour "15w" has "15w", ${NO_NAME}`],
	["H * * * *", `minute "h" ${LEFT_OPEN}`],
	["R(10-29)/15 * * * *", `minute "r(10-29)/15" ${LEFT_OPEN}`],
	["xh * * * *", `minute "xh" has "xh", ${NO_NAME}`],
	["hx * * * *", `minute "hx" has "hx", ${NO_NAME}`],
	["0 0 * * 1#0", `day of week "1#0" has #0, ${TOO_OFTEN}`],
	["0 0 * * 1#6", `day of week "1#6" has #6, ${TOO_OFTEN}`],
	["0 0 * * 1#1,5", `day of week "1#1,5" ${MIXED}`],
	["0 3 * * *,0,4#4", `day of week "*,0,4#4" ${MIXED}`],
	["0 0 */2 * sun-sat#1", `day of month "*/2" beside day of week "sun-sat#1" ${BOTH}`],
	["0 0 */2 * 0#1,1-6", `day of month "*/2" beside day of week "0#1,1-6" ${BOTH}`],
	["0 0 5 * *,1#1", `day of month "5" beside day of week "*,1#1" ${BOTH}`],
])(
	"an expression that cannot be read is refused, with the field and the reason: %j because %s",
	(expression, reason) => {
		expect(refusalOf(expression).reason).toBe(reason);
	},
);

describe("a date that never comes is refused", () => {
	test.each([
		["0 0 31 2 *", "31", "2"],
		["0 0 30 feb *", "30", "feb"],
	])("%j", (expression, date, month) => {
		expect(refusalOf(expression).reason).toBe(
			`day of month "${date}" never occurs in month "${month}", so it would never run`,
		);
	});

	// Croniter looks for the date by itself, and raises CroniterBadDateError.
	test.each([
		["0 0 30 2 1", "30", "2", "0 0 * 2 1"],
		["0 0 30-l/2 2 L5", "30-l/2", "2", "0 0 * 2 L5"],
	])("%j, although it has a weekday", (expression, date, month, instead) => {
		expect(refusalOf(expression).reason).toBe(
			`day of month "${date}" never occurs in month "${month}", and the service's cron library refuses that even with a day of week: without the date, write "${instead}"`,
		);
	});

	test.each([
		["0 0 L 11 1#1,2#1", "l", "1#1,2#1", "11", "0 0 * 11 1#1,2#1"],
		["0 0 L * sun-sat#1", "l", "sun-sat#1", "*", "0 0 1-7 * *"],
		["0 0 1 2,4 L5", "1", "l5", "2,4", "0 0 * 2,4 L5"],
	])(
		"%j, where it is never the n-th weekday",
		(expression, date, weekday, month, instead) => {
			expect(refusalOf(expression).reason).toBe(
				`day of month "${date}" is never day of week "${weekday}" in month "${month}", and the service's cron library refuses such a pair: without the date, write "${instead}"`,
			);
		},
	);
});

describe("an expression of more than a thousand characters", () => {
	// White space around it does not count, and every value written out in each field is far below that.
	const ofLength = (length: number) => ` ${"0".repeat(length - 8)} * * * * `;

	test("is refused, and the message shows only its beginning", () => {
		expect(() => parseCron(ofLength(1_001))).toThrow(
			new CronError(
				`${"0".repeat(60)}…`,
				"it has 1001 characters, and 1000 are the most",
			),
		);
	});

	test("is too long by one: a thousand are read", () => {
		expect(parseCron(ofLength(1_000)).canonical).toBe("0 * * * *");
	});
});

test("a refusal names the expression as it was written", () => {
	const error = new CronError(" 60 * * * * ", "it is wrong");
	expect(error.name).toBe("CronError");
	expect(error.message).toBe(
		'The cron expression " 60 * * * * " cannot be used: it is wrong.',
	);
	expect(() => parseCron(" 0  24 * * *")).toThrow(
		'The cron expression " 0  24 * * *" cannot be used: hour "24" is out of range: 24 is not between 0 and 23.',
	);
});

const START = new Date("2026-03-03T00:00:00Z");

test.each(DISPUTED)(
	"%s is refused with croniter's reading, which a live schedule has",
	(_, expression, plain) => {
		expect(cronProblem(expression, START)).toContain(
			`in different ways. The service most likely takes it for "${plain}"`,
		);
		expect(cronProblem(plain, START)).toBeUndefined();
		expect(shortCron(parseCron(expression).canonical)).toBe(plain);
		expect(sameCron(expression, plain)).toBe(true);
		expect(nextRuns(expression, START, 20)).toEqual(nextRuns(plain, START, 20));
		expect(tryDescribeCron(expression)).toBe(tryDescribeCron(plain));
	},
);

test("the message names the part that is disputed", () => {
	expect(cronProblem("0 0 5-5 * *", START)).toBe(
		'The cron expression "0 0 5-5 * *" cannot be used: cron libraries read day of month "5-5" in different ways. ' +
			'The service most likely takes it for "0 0 * * *": write that, or what you mean in another way.',
	);
	expect(cronProblem("0 0 15 * 5#3", START)).toContain(
		'day of month "15" beside day of week "5#3"',
	);
});

test.each([
	"*/1 */1 */1 */1 */1",
	"0 0 */2 * *",
	"0 0 * * */2",
	"0 0 */2 * ?",
	"0 0 * * 0-7",
	"0 0 * * 1-7/2",
	"0 22-4/2 * * *",
	"0 0 5 * 0-6",
	"0 0 5,*/2 * 1",
	"0 0 13 * 5",
	"0 0 * * 1#1,3#1",
])("%j is accepted, because cron libraries agree about it", (expression) => {
	expect(cronProblem(expression, START)).toBeUndefined();
});
