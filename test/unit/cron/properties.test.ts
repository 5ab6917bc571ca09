import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	CronError,
	describeCron,
	isReadableCron,
	isValidCron,
	nextRuns,
	parseCron,
	sameCron,
	tryDescribeCron,
} from "../../../src/cron";

/** Two-part ranges, lists and steps within a field's bounds. */
const field = (min: number, max: number) => {
	const value = fc.integer({ min, max });
	const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
	const step = fc
		.tuple(fc.oneof(fc.constant("*"), range), fc.integer({ min: 1, max: 30 }))
		.map(([base, by]) => `${base}/${by}`);
	const part = fc.oneof(fc.constant("*"), value.map(String), range, step);
	return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(","));
};
// Days up to 28 come in every month, so that no combination is impossible.
const expressions = fc
	.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7))
	.map((fields) => fields.join(" "));

describe("whatever the expression", () => {
	test("the canonical form is valid, is its own canonical form and means the same", () => {
		fc.assert(
			fc.property(expressions.filter(isValidCron), (expression) => {
				const { canonical } = parseCron(expression);
				expect(parseCron(canonical).canonical).toBe(canonical);
				expect(sameCron(expression, canonical)).toBe(true);
			}),
			{ numRuns: 300 },
		);
	});

	test("runs come later and later, at second zero, at minutes, hours and months that the fields allow", () => {
		const start = new Date("2026-01-01T00:00:00Z");
		fc.assert(
			fc.property(expressions.filter(isValidCron), (expression) => {
				const [minutes = [], hours = [], , months = []] = parseCron(expression).values;
				let last = start.getTime();
				for (const run of nextRuns(expression, start, 3)) {
					expect(run.getTime()).toBeGreaterThan(last);
					expect(run.getTime() % 60_000).toBe(0);
					expect(minutes).toContain(run.getUTCMinutes());
					expect(hours).toContain(run.getUTCHours());
					expect(months).toContain(run.getUTCMonth() + 1);
					last = run.getTime();
				}
			}),
			{ numRuns: 100 },
		);
	});

	test("any text is either read or refused with a CronError, and described when read", () => {
		const characters = fc.string({ unit: fc.constantFrom(..."0123456789*/-,@ ?LW#monj".split("")) });
		const parts = fc.constantFrom("*", "0", "5-7", "*/2", "2,9", "L", "1#2", "mon-fri", "L5", "12", "60");
		const fields = fc.array(parts, { minLength: 5, maxLength: 5 }).map((texts) => texts.join(" "));
		fc.assert(
			fc.property(fc.oneof(fc.string(), characters, fields), (text) => {
				if (!isValidCron(text)) expect(() => parseCron(text)).toThrow(CronError);
				if (isReadableCron(text))
					expect(describeCron(text)).toMatch(/^[a-z].*( \(UTC\)|UTC|minutes?|hour.*)$/);
				else expect(tryDescribeCron(text)).toBeUndefined();
			}),
			{ numRuns: 500 },
		);
	});
});
