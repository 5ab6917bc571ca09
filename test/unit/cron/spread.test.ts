import { describe, expect, test } from "vitest";
import {
	compileCron,
	cronProblem,
	isValidCron,
	spreadCron,
	usesSpread,
} from "../../../src/cron";

const now = Date.parse("2026-06-01T00:00:00Z");
const compiled = (expression: string, name: string) =>
	compileCron({ expression, team: "ml", name }, now).utcCron;

describe("H in a cron expression", () => {
	// These values are in the states of users: a change here moves their schedules.
	test.each([
		["H H * * *", "32 12 * * *"],
		["H 3 * * *", "32 3 * * *"],
		["H(0-29) 2 * * *", "2 2 * * *"],
		["H/15 * * * *", "2-59/15 * * * *"],
		["h(10-20)/5 * * * *", "12-20/5 * * * *"],
		["0 0 H * *", "0 0 8 * *"],
		["0 0 1 H *", "0 0 1 3 *"],
		["0 0 * * H", "0 0 * * 6"],
		["0,H 3 * * *", "0,32 3 * * *"],
	])("%j of schedule nightly in team ml is %j for ever", (expression, expected) => {
		expect(compiled(expression, "nightly")).toBe(expected);
	});

	test.each([
		["H * * * *", 0, 60],
		["H/15 * * * *", 0, 15],
		["H H * * *", 1, 24],
	])(
		"over 1,000 schedules of %j the busiest value of field %i has at most three times the mean",
		(expression, field, values) => {
			const counts = new Map<number, number>();
			for (let index = 0; index < 1_000; index += 1) {
				const text =
					compiled(expression, `shop-prod-schedule-${index}`).split(" ")[field] ?? "";
				const value = Number.parseInt(text, 10);
				counts.set(value, (counts.get(value) ?? 0) + 1);
			}
			expect(Math.max(...counts.values())).toBeLessThanOrEqual((3 * 1_000) / values);
			// All of them are used, or it would not be spread.
			expect(counts.size).toBe(values);
		},
	);

	test("as a date is one that every month has", () => {
		const dates = Array.from({ length: 500 }, (_, index) =>
			Number(compiled("0 0 H * *", `s${index}`).split(" ")[2]),
		);
		expect(Math.max(...dates)).toBe(28);
		expect(Math.min(...dates)).toBe(1);
	});

	test.each([
		[
			"H(50-70) * * * *",
			'minute "H(50-70)" is out of range: H(50-70) is not within 0 and 59',
		],
		[
			"0 0 H(0-5) * *",
			'day of month "H(0-5)" is out of range: H(0-5) is not within 1 and 31',
		],
		["0,H(20-10) * * * *", 'minute "0,H(20-10)" goes backwards: write H(10-20)'],
		[
			"H/90 * * * *",
			'minute "H/90" has a step of 90, and the values from 0 to 59 allow 1 to 60',
		],
		[
			"H/0 * * * *",
			'minute "H/0" has a step of 0, and the values from 0 to 59 allow 1 to 60',
		],
		[
			"H(5-9)/6 * * * *",
			'minute "H(5-9)/6" has a step of 6, and the values from 5 to 9 allow 1 to 5',
		],
		["H-5 * * * *", 'minute "h-5" has "h", which is neither a number nor a known name'],
		[
			"H H H H H H",
			"it has 6 fields, but five are needed: minute, hour, day of month, month, day of week",
		],
	])("%j is refused, because %s", (expression, reason) => {
		const [refused] =
			cronProblem(expression, new Date(now))?.split(" cannot be used: ").slice(1) ?? [];
		expect(refused).toBe(`${reason}.`);
	});

	test.each([
		["H(7-7) * * * *", "7 * * * *"],
		["H(0-29)/30 * * * *", "2 * * * *"],
		["H/1 * * * *", "0-59/1 * * * *"],
		["H(0-32)/30 * * * *", "2-32/30 * * * *"],
	])("may take every value of its range: %j is %j", (expression, expected) => {
		expect(compiled(expression, "nightly")).toBe(expected);
	});

	test("is not seen in names such as thu", () => {
		expect(["0 3 * * thu", "0 3 * mar *", "@hourly"].map(usesSpread)).toEqual([
			false,
			false,
			false,
		]);
		expect(isValidCron(spreadCron("H H H H H", { team: "a", name: "b" }))).toBe(true);
	});
});
