import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	CronError,
	cronHint,
	describeCron,
	isValidCron,
	nextRuns,
	parseCron,
	sameCron,
	suggestCron,
} from "../../../src/schemas/cron";

const reasonFor = (expression: string): string => {
	try {
		parseCron(expression);
	} catch (error) {
		if (error instanceof CronError) return error.reason;
		throw error;
	}
	throw new Error(`"${expression}" was accepted`);
};

describe("reading", () => {
	test.each([
		["* * * * *", "* * * * *"],
		["  0   3 *\t* *  ", "0 3 * * *"],
		["*/15 * * * *", "0,15,30,45 * * * *"],
		["0-59/15 * * * *", "0,15,30,45 * * * *"],
		["5,5,1 0 1 1 *", "1,5 0 1 1 *"],
		["0 0 * jan,DEC mon-Fri", "0 0 * 1,12 1,2,3,4,5"],
		["0 0 * * 7", "0 0 * * 0"],
		["0 0 * * 5-7", "0 0 * * 0,5,6"],
		["0 0 * * 0-7", "0 0 * * *"],
		["0 0 * * */2", "0 0 * * 0,2,4,6"],
		["0 0 29 2 *", "0 0 29 2 *"],
		["00 08 * * *", "0 8 * * *"],
		["*/1 */1 */1 */1 */1", "* * * * *"],
		["@hourly", "0 * * * *"],
		["@DAILY", "0 0 * * *"],
		["@midnight", "0 0 * * *"],
		["@weekly", "0 0 * * 0"],
		["@monthly", "0 0 1 * *"],
		["@yearly", "0 0 1 1 *"],
		["@annually", "0 0 1 1 *"],
		["0 0 1-31 1-12 0-6", "0 0 * * *"],
	])("%j means %j", (expression, canonical) => {
		expect(parseCron(expression).canonical).toBe(canonical);
	});

	test.each([
		["", "empty"],
		["   ", "empty"],
		["* * * *", "4 fields"],
		["*", "1 field,"],
		["0 0 0 * * *", "6 fields"],
		["60 * * * *", "minute"],
		["0 24 * * *", "hour"],
		["0 0 0 * *", "day of month"],
		["0 0 32 * *", "day of month"],
		["0 0 * 13 *", "month"],
		["0 0 * 0 *", "month"],
		["0 0 * * 8", "day of week"],
		["0 0 * * moo", "day of week"],
		["mon 0 * * *", "minute"],
		["10-5 * * * *", "counts down"],
		["*/0 * * * *", "step of zero"],
		["5/15 * * * *", "5-59/15"],
		["*-5 * * * *", "mixes"],
		["1,,2 * * * *", "minute"],
		["-1 * * * *", "minute"],
		["1.5 * * * *", "minute"],
		["0 0 L * *", "day of month"],
		["0 0 15W * *", "day of month"],
		["0 0 ? * *", "day of month"],
		["0 0 * * 1#2", "day of week"],
		["@reboot", "@reboot"],
		["@constructor", "macro"],
		["0 0 31 2 *", "never comes"],
		["0 0 30 feb *", "never comes"],
		["0 0 30,31 2 *", "never comes"],
		["0 0 31 4,6,9,11 *", "never comes"],
		["0 0 31 2 */1", "never comes"],
	])("%j is refused, naming %j", (expression, part) => {
		expect(reasonFor(expression)).toContain(part);
	});

	test("an impossible date beside a weekday still runs on the weekday", () => {
		expect(isValidCron("0 0 31 2 1")).toBe(true);
		expect(nextRuns("0 0 31 2 1", new Date("2026-02-01T00:00:00Z"), 1)[0]?.toISOString()).toBe(
			"2026-02-02T00:00:00.000Z",
		);
	});
});

describe("equal meaning", () => {
	test.each([
		["@daily", "0 0 * * *"],
		["@midnight", "@daily"],
		["0  3 * * *", "0 3 * * *"],
		["0 0 * * sun", "0 0 * * 7"],
		["*/30 * * * *", "0,30 * * * *"],
		["what is this", " what is this "],
	])("%j and %j are the same", (a, b) => {
		expect(sameCron(a, b)).toBe(true);
	});

	test.each([
		["0 3 * * *", "0 4 * * *"],
		["nonsense", "other"],
		["nonsense", "@daily"],
		// Both days written out: cron fires on either, so this is every day, and not Mondays.
		["0 0 1-31 * 1", "0 0 * * 1"],
		["0 0 1 * 0-6", "0 0 1 * *"],
	])("%j and %j differ", (a, b) => {
		expect(sameCron(a, b)).toBe(false);
	});

	test("a date range that covers the month beside a weekday runs every day", () => {
		const days = nextRuns("0 0 1-31 * 1", new Date("2026-03-01T12:00:00Z"), 3).map((run) => run.getUTCDate());
		expect(days).toEqual([2, 3, 4]);
	});
});

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

describe("properties", () => {
	test("the canonical form is valid, is its own canonical form and means the same", () => {
		fc.assert(
			fc.property(expressions, (expression) => {
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
			fc.property(expressions, (expression) => {
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
		fc.assert(
			fc.property(
				fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."0123456789*/-,@ ?LW#monj".split("")) })),
				(text) => {
					if (isValidCron(text)) expect(describeCron(text)).toMatch(/ \(UTC\)$/);
					else expect(() => parseCron(text)).toThrow(CronError);
				},
			),
			{ numRuns: 500 },
		);
	});
});

describe("what was probably meant", () => {
	test.each([
		["daily", "@daily"],
		["0 0 12 * * ?", "0 12 * * *"],
		["0 0 12 * * ? 2026", "0 12 * * *"],
		["5/15 * * * *", "5-59/15 * * * *"],
		["0 24 * * *", "0 0 * * *"],
		["0 22-6 * * *", "0 22-23,0-6 * * *"],
		["0 0 ? * MON", "0 0 * * mon"],
	])("%j suggests %j", (wrong, suggestion) => {
		expect(isValidCron(wrong)).toBe(false);
		expect(suggestCron(wrong)).toBe(suggestion);
	});

	test.each(["", "nonsense", "61 * * * *", "0 0 31 2 *", "30 0 12 * * *"])(
		"%j suggests nothing, because the wish is not clear",
		(wrong) => {
			expect(suggestCron(wrong)).toBeUndefined();
			expect(cronHint(wrong, new Date())).toBe("");
		},
	);

	test("a hint shows the next three runs", () => {
		expect(cronHint("0 24 * * *", new Date("2026-01-01T10:00:00Z"))).toBe(
			' Did you mean "0 0 * * *"? It would next run at 2026-01-02T00:00Z, 2026-01-03T00:00Z, 2026-01-04T00:00Z.',
		);
	});
});

test("a leap day is found years ahead", () => {
	expect(nextRuns("0 0 29 2 *", new Date("2026-03-01T00:00:00Z"), 2).map((run) => run.toISOString())).toEqual(
		["2028-02-29T00:00:00.000Z", "2032-02-29T00:00:00.000Z"],
	);
});
