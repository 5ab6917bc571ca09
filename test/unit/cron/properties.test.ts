import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	CronError,
	describeCron,
	isValidCron,
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
