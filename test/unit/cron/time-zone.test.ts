import { describe, expect, test } from "vitest";
import {
	CronError,
	clockChangeAhead,
	clockChanges,
	compileCron,
	holdsUntil,
	isTimeZone,
	needsCompiling,
	nextRuns,
	parseCron,
	runsOf,
	timeZoneProblem,
} from "../../../src/cron";
import { shiftToUtc, splitForUtc } from "../../../src/cron/compile";

const WINTER = Date.parse("2026-11-15T12:00:00Z");
const SUMMER = Date.parse("2026-07-15T12:00:00Z");
const declared = (expression: string, timeZone: string) => ({
	expression,
	timeZone,
	team: "ml",
	name: "nightly",
});
const compiled = (expression: string, timeZone: string, now = WINTER) =>
	compileCron(declared(expression, timeZone), now);

describe("a cron expression in a time zone", () => {
	test.each([
		["0 3 * * *", "Europe/Berlin", "0 2 * * *", "0 1 * * *"],
		["0 20 * * fri", "America/New_York", "0 1 * * 6", "0 0 * * 6"],
		["0 3 * * *", "Asia/Kathmandu", "15 21 * * *", "15 21 * * *"],
	])(
		"%j in %s is %j in November and %j in July",
		(expression, zone, winter, summer) => {
			expect([
				compiled(expression, zone).utcCron,
				compiled(expression, zone, SUMMER).utcCron,
			]).toEqual([winter, summer]);
		},
	);

	test("is valid until the clocks change, if that changes its UTC form", () => {
		expect(compiled("0 3 * * *", "Europe/Berlin")).toMatchObject({
			validUntil: Date.parse("2027-03-28T01:00:00Z"),
			nextCron: "0 1 * * *",
		});
		expect(compiled("0 3 * * *", "Asia/Tokyo").validUntil).toBeUndefined();
		expect(compiled("*/5 * * * *", "Europe/Berlin").validUntil).toBeUndefined();
		expect(compiled("0 3 * * *", "Australia/Lord_Howe").nextCron).toBe("30 16 * * *");
	});

	test("that was deployed before the last change of clocks is out of date since that change", () => {
		const berlin = declared("0 3 * * *", "Europe/Berlin");
		expect(holdsUntil(berlin, "0 1 * * *", WINTER)).toBe(
			Date.parse("2026-10-25T01:00:00Z"),
		);
		expect(holdsUntil(berlin, "0 2 * * *", WINTER)).toBe(
			Date.parse("2027-03-28T01:00:00Z"),
		);
		// Somebody else changed it: these clocks never do.
		expect(
			holdsUntil(declared("0 3 * * *", "Asia/Tokyo"), "0 1 * * *", WINTER),
		).toBeUndefined();
	});

	const inParts = (...parts: string[]) =>
		`declare ${parts.length} schedules with this timeZone, ${parts.map((part) => `"${part}"`).join(" and ")}, or write it in UTC, without timeZone`;
	const WITHOUT = "write it in UTC, without timeZone";

	test.each([
		["0 22,2 * * 1-5", "America/New_York", inParts("0 2 * * 1-5", "0 22 * * 1-5")],
		[
			"*/15 9-17 * * 1-5",
			"Asia/Kolkata",
			inParts("0,15 9-17 * * 1-5", "30,45 9-17 * * 1-5"),
		],
		["30 0 * 6 *", "Europe/Berlin", inParts("30 0 1 6 *", "30 0 2-30 6 *")],
		// Exact today, but not after March: said now and not then.
		["30 1 * 6 *", "Europe/Berlin", inParts("30 1 1 6 *", "30 1 2-30 6 *")],
		["0 0 * 6 1", "Europe/Berlin", WITHOUT],
	])(
		"%j in %s is refused, and the alternatives are named",
		(expression, zone, advice) => {
			expect(() => compiled(expression, zone)).toThrow(
				new CronError(
					expression,
					`in the time zone ${zone} no single UTC expression is right all year round, because its times or days move over midnight or the end of a month in UTC: ${advice}`,
				),
			);
		},
	);
});

describe("an expression moved to UTC", () => {
	test.each([
		["0 0 31 * *", 60, "0 23 30 1,3,5,7,8,10,12 *"],
		["0 0 1 3 *", 60, "0 23 L 2 *"],
		["0 0 1 1 *", 60, "0 23 31 12 *"],
		["0 0 1 4,5 *", 60, "0 23 L 3,4 *"],
		["0 0 */2 * *", 60, "0 23 2-30/2,L * *"],
		["0 0 1 * 1", 60, "0 23 L * 0"],
		["0 0,12 * * *", 60, "0 11,23 * * *"],
		["0,20 * * * *", 330, "30,50 * * * *"],
		["0 23 * * 6", -300, "0 4 * * 0"],
		["30 23 L 2 *", -60, "30 0 1 3 *"],
		["30 23 30 4,6 *", -60, "30 0 1 5,7 *"],
	])("%j, %i minutes ahead, is %j and runs when it does", (expression, offset, utc) => {
		expect(shiftToUtc(expression, offset)).toBe(utc);
		// Over a leap year.
		const from = Date.parse("2027-12-15T12:00:00Z");
		const runs = (cron: string, start: number) =>
			nextRuns(cron, new Date(start), 100).map((run) => run.getTime());
		const local = runs(expression, from + offset * 60_000).map(
			(run) => run - offset * 60_000,
		);
		expect(runs(utc, from)).toEqual(local);
	});

	test("keeps its spelling where it means the same", () => {
		expect(shiftToUtc("0-59/30 * * * *", 330)).toBe("0-59/30 * * * *");
		expect(shiftToUtc("0 12 13 * fri", 0)).toBe("0 12 13 * fri");
	});

	test.each([
		["the times fall on two days", "0 0,12 * * 1", 60],
		["the times are no minutes of hours", "*/15 9-17 * * *", 330],
		["it would have to know the leap year", "0 23 28 2 *", -300],
		["its first day is in another month", "0 0 * 3 *", 60],
		["the day before a first Friday may be in another month", "0 0 * * 5#1", 60],
		["the day after a last Friday may be in another month", "0 23 * * L5", -300],
	])("does not exist if %s: %j", (_, expression, offset) => {
		expect(shiftToUtc(expression, offset)).toBeUndefined();
	});
});

describe("an expression in parts that can be moved to UTC", () => {
	test.each([
		["15 0,1,12 * * 1", [60, 120], ["15 0 * * 1", "15 1 * * 1", "15 12 * * 1"]],
		["30 1,23 * * 1", [60, -60], ["30 1 * * 1", "30 23 * * 1"]],
		["10,50 3-5 * * 1", [-330, -570], ["10 3-5 * * 1", "50 3-5 * * 1"]],
		[
			"0,30 0,12 * * 1",
			[60, 90],
			["0 0 * * 1", "30 0 * * 1", "0 12 * * 1", "30 12 * * 1"],
		],
		["0 0 1,15 6 *", [60], ["0 0 1 6 *", "0 0 15 6 *"]],
		["0 0 * 3 *", [60], ["0 0 1 3 *", "0 0 2-31 3 *"]],
		["0 23 * 6,9 *", [-300], ["0 23 30 6,9 *", "0 23 1-29 6,9 *"]],
	])(
		"%j with the offsets %j is %j, which together run when it does",
		(expression, offsets, parts) => {
			expect(splitForUtc(expression, offsets)).toEqual(parts);
			const runs = (cron: string) => [
				...runsOf(parseCron(cron), WINTER, WINTER + 366 * 86_400_000),
			];
			expect(parts.flatMap(runs).sort((a, b) => a - b)).toEqual(runs(expression));
		},
	);

	test.each([
		["months end on different dates", "0 23 * 6,7 *", -300],
		["the last day is not a date", "0 0 15,L 6,7 *", 60],
		["there are weekdays too", "0 0 * 6 1", 60],
		["a single date moves into two months", "30 23 28 2 *", -60],
		["there would be more than four", "*/15 0,5,12,23 * 6 *", 345],
	])("does not exist if %s: %j", (_, expression, offset) => {
		expect(splitForUtc(expression, [offset])).toBeUndefined();
	});
});

describe("the change of clocks after which a schedule needs a deployment", () => {
	const IN_SPRING = Date.parse("2027-03-28T01:00:00Z");
	const inSpring = { at: "2027-03-28T01:00:00Z", isPast: false, to: "0 1 * * *" };
	const daily = declared("0 3 * * *", "Europe/Berlin");

	test("is the next one, if it comes before the given time", () => {
		expect(clockChangeAhead(daily, "0 2 * * *", WINTER, IN_SPRING + 1)).toEqual(
			inSpring,
		);
		expect(clockChangeAhead(daily, "0 2 * * *", WINTER, IN_SPRING)).toBeUndefined();
	});

	test("is the last one, if the service still has the expression from before it", () => {
		expect(clockChangeAhead(daily, "0 1 * * *", WINTER, IN_SPRING + 1)).toEqual({
			at: "2026-10-25T01:00:00Z",
			isPast: true,
			to: "0 2 * * *",
		});
	});

	test("is never one of more than 400 days ago: then somebody else changed the schedule", () => {
		const mexico = declared("0 3 * * *", "America/Mexico_City");
		const last = Date.parse("2022-10-30T07:00:00Z");
		const daysLater = (days: number) => {
			const now = last + days * 86_400_000;
			return clockChangeAhead(mexico, "0 8 * * *", now, now)?.at;
		};
		expect([daysLater(399), daysLater(401)]).toEqual([
			"2022-10-30T07:00:00Z",
			undefined,
		]);
		expect(
			clockChangeAhead(
				declared("0 3 * * *", "Asia/Tokyo"),
				"0 1 * * *",
				WINTER,
				IN_SPRING,
			),
		).toBe(undefined);
	});

	test("does not exist if the times are the same all year round, or have no time zone", () => {
		const until = IN_SPRING + 1;
		expect(
			clockChangeAhead(
				declared("*/5 * * * *", "Europe/Berlin"),
				"*/5 * * * *",
				WINTER,
				until,
			),
		).toBe(undefined);
		expect(
			clockChangeAhead({ ...daily, timeZone: undefined }, "0 1 * * *", WINTER, until),
		).toBeUndefined();
	});
});

test("an expression without a time zone is compiled only where it has an H", () => {
	const plain = (expression: string) => ({ expression, team: "ml", name: "nightly" });
	expect(needsCompiling(plain("0 3 * * *"))).toBe(false);
	expect(needsCompiling(plain("H 3 * * *"))).toBe(true);
	expect(needsCompiling(declared("0 3 * * *", "UTC"))).toBe(true);
	expect(compileCron(plain("H 3 * * *"), WINTER)).toEqual({
		local: "32 3 * * *",
		utcCron: "32 3 * * *",
	});
	expect(compileCron(declared("H 3 * * *", "Asia/Tokyo"), WINTER)).toEqual({
		local: "32 3 * * *",
		utcCron: "32 18 * * *",
	});
});

test("changes of clocks count from after the first instant up to the last", () => {
	const spring = Date.parse("2026-03-29T01:00:00Z");
	const inBerlin = (from: number, to: number) =>
		clockChanges("Europe/Berlin", from, to);
	expect(inBerlin(spring - 1, spring)).toEqual([{ at: spring, offset: 120 }]);
	expect(inBerlin(spring - 30_000, spring + 30_000)).toEqual([
		{ at: spring, offset: 120 },
	]);
	expect(inBerlin(spring, spring + 86_400_000)).toEqual([]);
	expect(inBerlin(spring - 2 * 86_400_000, spring - 1)).toEqual([]);
	expect(inBerlin(spring, spring)).toEqual([]);
});

describe("a time zone", () => {
	test("is a name of the IANA database", () => {
		for (const zone of ["Europe/Berlin", "UTC", "europe/berlin"])
			expect(timeZoneProblem(zone)).toBeUndefined();
		// Some versions of Node read it.
		expect(["+01:00", "Mars/Olympus"].map(isTimeZone)).toEqual([false, false]);
	});

	test.each([
		["Berlin", ' Did you mean "Europe/Berlin"?'],
		[" new  york ", ' Did you mean "America/New_York"?'],
		["Europe/Berln", ' Did you mean "Europe/Berlin"?'],
		["Mars/Olympus", ""],
		["CEST", ' Did you mean "Europe/Berlin"?'],
		["EDT", ' Did you mean "America/New_York"?'],
	])(
		"%j is refused by its name, with the one that was probably meant",
		(zone, hint) => {
			expect(timeZoneProblem(zone)).toBe(
				`there is no time zone ${JSON.stringify(zone)}: use a name of the IANA database, such as "Europe/Berlin".${hint}`,
			);
		},
	);

	const OFFSET =
		'is an offset from UTC: use the name of a place, such as "Europe/Berlin", which follows daylight saving';
	const UTC = "write the cron expression in UTC, without timeZone";
	test.each([
		["UTC+2", `, or "Etc/GMT-2", which is two hours ahead of UTC all year`],
		["GMT+1", `, or "Etc/GMT-1", which is one hour ahead of UTC all year`],
		["+02:00", `, or "Etc/GMT-2", which is two hours ahead of UTC all year`],
		["utc-5", `, or "Etc/GMT+5", which is five hours behind UTC all year`],
		["GMT-0800", `, or "Etc/GMT+8", which is eight hours behind UTC all year`],
		["UTC+05:30", `, or ${UTC}`],
		["UTC+99", `, or ${UTC}`],
		["+00:00", `, or "Etc/UTC"`],
	])("the offset %j is refused with the zone that has it all year", (zone, instead) => {
		expect(timeZoneProblem(zone)).toBe(`${JSON.stringify(zone)} ${OFFSET}${instead}`);
	});
});
