import { Cron } from "croner";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	CronError,
	cronProblem,
	describeCron,
	isValidCron,
	nextRuns,
	parseCron,
	sameCron,
	tryDescribeCron,
} from "../../../src/cron";
import { anyCron } from "../../helpers/cron-expressions";

const valid = anyCron.filter(isValidCron);

describe("whatever the expression", () => {
	test("the canonical form is valid, is its own canonical form and means the same", () => {
		fc.assert(
			fc.property(valid, (expression) => {
				const { canonical } = parseCron(expression);
				expect(parseCron(canonical).canonical).toBe(canonical);
				expect(sameCron(expression, canonical)).toBe(true);
			}),
			{ numRuns: 300 },
		);
	});

	test("what may be declared runs when croner says, where that can read it", () => {
		const start = new Date("2026-12-31T23:59:59Z");
		// H is ours, and croner knows the last day, but not the last weekday.
		const drawn = fc
			.sample(anyCron, { seed: 20_261_118, numRuns: 1_500 })
			.filter((one) => !/[hlr]/i.test(one));
		const times = (runs: readonly Date[]) => runs.map((run) => run.toISOString());
		const compared = drawn.filter((expression) => {
			if (cronProblem(expression, start) !== undefined) return false;
			let croner: Cron;
			try {
				croner = new Cron(expression.trim(), { timezone: "UTC", mode: "5-part" });
			} catch {
				return false;
			}
			expect(times(nextRuns(expression, start, 4)), expression).toEqual(times(croner.nextRuns(4, start)));
			return true;
		});
		expect(compared.length).toBeGreaterThan(100);
	});

	test("any text is either read or refused with a CronError, and described when read", () => {
		const characters = fc.string({ unit: fc.constantFrom(..."0123456789*/-,@ ?LW#monj".split("")) });
		fc.assert(
			fc.property(fc.oneof(fc.string(), characters, anyCron), (text) => {
				if (isValidCron(text)) {
					expect(describeCron(text)).toMatch(/^([a-z]|[A-Z][a-z]+day ).*( \(UTC\)|UTC|minutes?|hour.*)$/);
				} else {
					expect(() => parseCron(text)).toThrow(CronError);
					expect(tryDescribeCron(text)).toBeUndefined();
				}
			}),
			{ numRuns: 500 },
		);
	});
});
