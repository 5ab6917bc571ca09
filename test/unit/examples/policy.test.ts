import { describe, expect, it } from "vitest";
import { inBlackout, tooOften } from "../../../examples/policy/rules";

const MORNING = { from: 8, to: 9 };

describe("the rules of examples/policy", () => {
	it.each([
		["*/5 * * * *", 5],
		["0,5 3 29 2 *", 5],
		["0,55 0,23 * * *", 5],
	])("refuse %s, which runs every %i minutes", (cronExpression, minutes) => {
		expect(tooOften({ cronExpression }, 15)).toBe(`It runs every ${minutes} minutes; 15 are the least.`);
	});

	it.each(["*/15 * * * *", "5/15 * * * *", "0 3 * * *", "@hourly", "0,55 0,23 15 * *"])(
		"let %s through, which never runs twice within 15 minutes",
		(cronExpression) => {
			expect(tooOften({ cronExpression }, 15)).toBeUndefined();
		},
	);

	it.each([
		["0 8 29 2 *", MORNING, "08:00"],
		["0 23 * * *", { from: 22, to: 6 }, "23:00"],
	])("refuse %s in the blackout of %o", (cronExpression, blackout, time) => {
		expect(inBlackout({ cronExpression }, blackout)).toBe(`It would start at ${time} UTC.`);
	});

	it.each([
		["0 9 * * *", MORNING],
		["0 6-21 * * *", { from: 22, to: 6 }],
	])("let %s through outside the blackout of %o", (cronExpression, blackout) => {
		expect(inBlackout({ cronExpression }, blackout)).toBeUndefined();
	});

	it("go by what the service gets, and by the one time of a schedule without an expression", () => {
		expect(inBlackout({ cronExpression: "0 17 * * *", utcCron: "0 8 * * *" }, MORNING)).toMatch(/08:00/);
		expect(inBlackout({ startAfter: "2026-12-01T10:30:00+02:00" }, MORNING)).toMatch(/08:30/);
		expect(tooOften({ startAfter: "2026-12-01T10:30:00+02:00" }, 15)).toBeUndefined();
	});

	it("say so where an expression that the provider accepts cannot be checked", () => {
		expect(tooOften({ cronExpression: "0 22-2 * * *" }, 15)).toMatch(
			/^"0 22-2 \* \* \*" cannot be checked: .*22-23,0-2\.$/,
		);
	});
});
