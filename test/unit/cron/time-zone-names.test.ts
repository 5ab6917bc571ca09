import { describe, expect, test } from "vitest";
import { clockChanges, isTimeZone, offsetAt, timeZoneProblem } from "../../../src/cron";

const at = (text: string): number => Date.parse(text);
const SUMMER = at("2026-07-15T12:00:00Z");
const WINTER = at("2026-12-15T12:00:00Z");

test.each([
	["UTC", 0, 0],
	["Europe/Berlin", 120, 60],
	["America/New_York", -240, -300],
	["America/St_Johns", -150, -210],
	["Asia/Kathmandu", 345, 345],
	["Pacific/Kiritimati", 840, 840],
])("the clocks of %s are %i minutes ahead of UTC in July and %i in December", (zone, summer, winter) => {
	expect([offsetAt(zone, SUMMER), offsetAt(zone, WINTER)]).toEqual([summer, winter]);
});

describe("changes of clocks", () => {
	const spring = at("2026-03-29T01:00:00Z");
	const autumn = at("2026-10-25T01:00:00Z");
	const inBerlin = (from: number, to: number) => clockChanges("Europe/Berlin", from, to);

	test("are found to the minute, in their order", () => {
		expect(inBerlin(at("2026-01-01T07:11:13.017Z"), at("2027-01-01T00:00:00Z"))).toEqual([
			{ at: spring, offset: 120 },
			{ at: autumn, offset: 60 },
		]);
	});

	test("count from after the first instant up to the last", () => {
		expect(inBerlin(spring - 1, spring)).toEqual([{ at: spring, offset: 120 }]);
		expect(inBerlin(spring - 30_000, spring + 30_000)).toEqual([{ at: spring, offset: 120 }]);
		expect(inBerlin(spring, spring + 86_400_000)).toEqual([]);
		expect(inBerlin(spring - 2 * 86_400_000, spring - 1)).toEqual([]);
		expect(inBerlin(spring, spring)).toEqual([]);
	});

	test("are none where clocks never change", () => {
		expect(clockChanges("Asia/Tokyo", SUMMER, WINTER)).toEqual([]);
	});
});

describe("a time zone", () => {
	test("is a name of the IANA database", () => {
		expect(["Europe/Berlin", "UTC", "europe/berlin"].map(timeZoneProblem)).toEqual([
			undefined,
			undefined,
			undefined,
		]);
		// Some versions of Node read it.
		expect(["+01:00", "Mars/Olympus"].map(isTimeZone)).toEqual([false, false]);
	});

	test.each([
		["Berlin", ' Did you mean "Europe/Berlin"?'],
		[" new  york ", ' Did you mean "America/New_York"?'],
		["Europa/BERLIN", ' Did you mean "Europe/Berlin"?'],
		["Europe/Berln", ' Did you mean "Europe/Berlin"?'],
		["America/Newyork", ' Did you mean "America/New_York"?'],
		["+01:00", ""],
		["Mars/Olympus", ""],
		["Europe", ""],
		["Europe/", ""],
		[" ", ""],
		["", ""],
	])("%j is refused by its name, with the one that was probably meant", (zone, hint) => {
		expect(timeZoneProblem(zone)).toBe(
			`there is no time zone ${JSON.stringify(zone)}: use a name of the IANA database, such as "Europe/Berlin".${hint}`,
		);
	});
});
