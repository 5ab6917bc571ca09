import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeMillis, parseDuration } from "../../../src/text/duration";
import {
	formatInstant,
	inUtc,
	parseInstant,
	sameInstant,
	showInstant,
} from "../../../src/text/instant";

describe("timestamps as instants", () => {
	test("mean and show the same in the service's spelling, which is read faster, and in lower case", () => {
		const two = (max: number) =>
			fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, "0"));
		const digits = fc.stringMatching(/^(\.[0-9]{1,9})?$/);
		const times = fc.tuple(
			fc.constantFrom("0000", "0001", "1969", "2026", "9999"),
			two(13),
			two(32),
			two(24),
			two(60),
			two(60),
		);
		fc.assert(
			fc.property(
				times,
				digits,
				fc.constantFrom("Z", "+00:00"),
				([year, month, day, ...clock], fraction, zone) => {
					const text = `${year}-${month}-${day}T${clock.join(":")}${fraction}${zone}`;
					const slow = text.toLowerCase();
					expect(parseInstant(text)).toBe(parseInstant(slow));
					if (parseInstant(text) !== undefined)
						expect(showInstant(text)).toBe(showInstant(slow));
				},
			),
			{ numRuns: 5_000 },
		);
	});

	test.each([
		["2026-01-01 00:00", "2026-01-01T00:00:00.000Z"],
		["2026-01-01", "2026-01-01T00:00:00.000Z"],
		["2026-01-01t02:30:00z", "2026-01-01T02:30:00.000Z"],
		["2026-01-01T02:00:00+02", "2026-01-01T00:00:00.000Z"],
		["2025-12-31T18:30:00-0530", "2026-01-01T00:00:00.000Z"],
		["2025-08-18T09:31:11.896956+00:00", "2025-08-18T09:31:11.896Z"],
		["0099-01-01T00:00:00Z", "0099-01-01T00:00:00.000Z"],
		["9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"],
		[" 2026-01-01T00:00:00Z\n", "2026-01-01T00:00:00.000Z"],
	])("%s is %s", (text, iso) => {
		expect(new Date(parseInstant(text) ?? Number.NaN).toISOString()).toBe(iso);
	});

	test.each([
		"",
		"2027-02-29T00:00:00Z",
		"2026-01-01T24:00:00Z",
		"2026-01-01T23:59:60Z",
		"2026-01-01T00:00:00+24:00",
		"2026-01-01T00:00:00+01:75",
		"2026-01-01T00:00:00 UTC",
		"x2026-01-01",
		"2026-01-01x",
		"2026-01-01Z",
		"2026-01-01T00:00:00.Z",
		"2026-01-01T00:00:00.1234567890Z",
		"2026-01-01T00:00:00+2",
		"1767225600",
		"9999-12-31T23:59:59-00:01",
		"0000-12-31T23:59:59Z",
		"0001-01-01T00:00:00+01:00",
	])("%j is not an instant", (text) => {
		expect(parseInstant(text)).toBeUndefined();
	});

	test("spelling does not matter, the moment does", () => {
		expect(
			sameInstant("2026-01-01T00:00:00Z", "2026-01-01T01:00:00.000000+01:00"),
		).toBe(true);
		expect(sameInstant("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z")).toBe(false);
		expect(sameInstant("soon", "soon")).toBe(true);
		expect(sameInstant("soon", "2026-01-01T00:00:00Z")).toBe(false);
		expect(sameInstant("2026-01-01T00:00:00Z", "soon")).toBe(false);
		expect(sameInstant("soon", "later")).toBe(false);
	});

	test("two timestamps are compared with the coarser precision of the two, whatever their offsets", () => {
		const digits = fc.constantFrom(0, 3, 6, 9);
		const nanos = fc.integer({ min: 0, max: 999_999_999 });
		const write = (second: number, nano: number, precision: number, zone: string) => {
			const local = new Date(second * 1000 + (zone === "+02:00" ? 7_200_000 : 0))
				.toISOString()
				.slice(0, 19);
			const fraction = String(nano).padStart(9, "0").slice(0, precision);
			return `${local}${fraction === "" ? "" : `.${fraction}`}${zone}`;
		};
		const seconds = fc.integer({ min: -1_000_000_000, max: 4_000_000_000 });
		const nearby = fc.tuple(
			seconds,
			fc.constantFrom(0, 1),
			nanos,
			fc.oneof(nanos, fc.constant(undefined)),
		);
		fc.assert(
			fc.property(
				nearby,
				digits,
				digits,
				([at, later, one, other = one], left, right) => {
					const precision = 10 ** (9 - Math.min(left, right));
					const same =
						later === 0 &&
						Math.floor(one / precision) === Math.floor(other / precision);
					const [a, b] = [
						write(at, one, left, "Z"),
						write(at + later, other, right, "+02:00"),
					];
					expect([sameInstant(a, b), sameInstant(b, a)]).toEqual([same, same]);
				},
			),
		);
	});

	test("what is written can be read back", () => {
		fc.assert(
			fc.property(
				fc.date({
					min: new Date("0001-01-01"),
					max: new Date("9999-12-31"),
					noInvalidDate: true,
				}),
				(date) => {
					const text = formatInstant(date.getTime());
					expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
					expect(parseInstant(text)).toBe(date.getTime());
					expect(sameInstant(text, date.toISOString())).toBe(true);
				},
			),
		);
	});
});

test.each([
	["2026-01-31T03:00:00.000000+00:00", "2026-01-31T03:00:00Z"],
	["2026-01-31T04:00+01:00", "2026-01-31T03:00:00Z"],
	["2026-01-31", "2026-01-31T00:00:00Z"],
	["2025-08-18T09:31:11.896956+00:00", "2025-08-18T09:31:11.896956Z"],
	["2025-08-18T09:31:11.5Z", "2025-08-18T09:31:11.500Z"],
	["soon", "soon"],
	[Date.parse("2026-01-31T03:00:00Z"), "2026-01-31T03:00:00Z"],
	[Date.parse("2026-01-31T03:00:00.250Z"), "2026-01-31T03:00:00.250Z"],
])("%s is shown as %s", (at, shown) => {
	expect(showInstant(at)).toBe(shown);
	if (typeof at === "string") expect(sameInstant(at, shown)).toBe(true);
});

test.each([
	["2027-05-01T00:00:00+02:00", "2027-04-30T22:00:00+00:00"],
	["2027-05-01 00:00:00.5-0530", "2027-05-01T05:30:00.500+00:00"],
	["2027-05-01T00:00:00.896956+00:00", "2027-05-01T00:00:00.896956+00:00"],
	["2027-05-01T00:00:00-00:00", "2027-05-01T00:00:00-00:00"],
	["soon", "soon"],
])("%s is sent as %s, the same moment in UTC", (text, sent) => {
	expect(inUtc(text)).toBe(sent);
	expect(sameInstant(text, sent)).toBe(true);
});

test.each([
	["90s", 90_000, "1 min 30 s"],
	["30m", 1_800_000, "30 min"],
	["1h30m", 5_400_000, "1 h 30 min"],
	["100h", 360_000_000, "100 h"],
	["000000010s", 10_000, "10 s"],
	[0.25, 250, "250 ms"],
	// As long as a timer can run.
	[2_147_483.647, 2_147_483_647, "596 h 31 min 24 s"],
])("%s is a duration", (given, millis, words) => {
	expect(parseDuration(given)).toBe(millis);
	expect(describeMillis(millis)).toBe(words);
});

test.each([
	"",
	"30 m",
	"1m1h",
	"1.5h",
	"0s",
	"0000000010s",
	2_147_483.648,
	0,
	Number.NaN,
])("%s is no duration", (given) => expect(parseDuration(given)).toBeUndefined());
