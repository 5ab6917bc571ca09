import { describe, expect, test } from "vitest";
import { clockChanges, isTimeZone, timeZoneProblem } from "../../../src/cron";

test("changes of clocks count from after the first instant up to the last", () => {
	const spring = Date.parse("2026-03-29T01:00:00Z");
	const inBerlin = (from: number, to: number) => clockChanges("Europe/Berlin", from, to);
	expect(inBerlin(spring - 1, spring)).toEqual([{ at: spring, offset: 120 }]);
	expect(inBerlin(spring - 30_000, spring + 30_000)).toEqual([{ at: spring, offset: 120 }]);
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
		["+01:00", ""],
		["Mars/Olympus", ""],
	])("%j is refused by its name, with the one that was probably meant", (zone, hint) => {
		expect(timeZoneProblem(zone)).toBe(
			`there is no time zone ${JSON.stringify(zone)}: use a name of the IANA database, such as "Europe/Berlin".${hint}`,
		);
	});
});
