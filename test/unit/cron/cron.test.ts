import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	CronError,
	cronHint,
	describeCron,
	isValidCron,
	nextRuns,
	normalizeCron,
	parseCron,
	sameCron,
	suggestCron,
	tryDescribeCron,
} from "../../../src/cron";
import { shortCron } from "../../../src/cron/compare";
import { anyCron } from "../../helpers/cron-expressions";

test.each([
	["  0   3 *\t* *  ", "0 3 * * *"],
	["*/15 * * * *", "0,15,30,45 * * * *"],
	["5,5,1 0 1 1 *", "1,5 0 1 1 *"],
	["0 0 * jan,DEC mon-Fri", "0 0 * 1,12 1,2,3,4,5"],
	["0 0 * * 7", "0 0 * * 0"],
	["0 0 * * 5-7", "0 0 * * 0,5,6"],
	["00 08 * * *", "0 8 * * *"],
	["*/1 */1 */1 */1 */1", "* * * * *"],
	["@DAILY", "0 0 * * *"],
	["0 0 1-31 1-12 0-6", "0 0 * * *"],
	["0 22-2/2 * * *", "0 0,2,22 * * *"],
	["5/15 * * * *", "5,20,35,50 * * * *"],
	["0 0 ? * ?", "0 0 * * *"],
	["0 0 l,15 * *", "0 0 15,L * *"],
	["0 0 L * 5", "0 0 L * 5"],
	["0 0 * * Mon-Wed#2,7#1", "0 0 * * 0#1,1#2,2#2,3#2"],
	["0 0 * * l7,L5", "0 0 * * L0,L5"],
	["000000000005 0 * * *", "5 0 * * *"],
	["0 0 28,L 2 *", "0 0 28,29 2 *"],
	["0 0 29,31,L 2,3 *", "0 0 29,L 2,3 *"],
	["0 0 L 4,6 *", "0 0 30 4,6 *"],
	["0 0 1-30,L 1,2 *", "0 0 * 1,2 *"],
	["0 0 * 2 1-7", "0 0 * 2 *"],
	["0 0 * * L5,L1,5#1,1#2", "0 0 * * 1#2,5#1,L1,L5"],
	["0 0 * * L1,1#4", "0 0 * * 1#4,1#5"],
	["0 0 * * L1,1#5", "0 0 * * L1"],
	["0 0 * * 1#1,1#2,1#3,1#4,L1", "0 0 * * 1"],
	["0 0 * 2 1#1,1#2,1#3,1#4", "0 0 * 2 1#1,1#2,1#3,1#4"],
	["0 0 * 1 L0,L1,L2,L3,L4,L5,L6", "0 0 25,26,27,28,29,30,31 1 *"],
])("the canonical form of %j is %j", (expression, canonical) => {
	expect(parseCron(expression).canonical).toBe(canonical);
});

describe("equal meaning", () => {
	test.each([
		["@daily", "0 0 * * *"],
		["what is this", " What  is this "],
		["0 0 1-31 * 1", "0 0 * * *"],
		["0 0 1-30,L * *", "@daily"],
		["0 0 * * sun-sat#1", "0 0 1-7 * *"],
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
		["0 0 L 2 *", "0 0 28 2 *"],
		["0 0 * * L1", "0 0 * * 1#4"],
	])("%j and %j differ", (a, b) => {
		expect(sameCron(a, b)).toBe(false);
	});
});

describe("what was probably meant", () => {
	test.each([
		["daily", "@daily"],
		["  Midnight ", "@midnight"],
		["0 0 12 * * ?", "0 12 * * *"],
		["0 0 12 ? * mon-fri", "0 12 * * mon-fri"],
		["0 0 12 * * ? 2026", "0 12 * * *"],
		["15 30 12 * * ? *", "30 12 * * *"],
		["0 24 * * *", "0 0 * * *"],
		["24 24 24 * *", "24 0 24 * *"],
		["cron(0 3 * * ? *)", "0 3 * * *"],
		["Cron(15 10 ? * 2-6 *)", "15 10 * * 1-5"],
		["cron(0 8 1 * ? *)", "0 8 1 * *"],
		["cron(0 18 ? * MON-FRI *)", "0 18 * * mon-fri"],
		["cron(0 3 ? * 1,7 *)", "0 3 * * 0,6"],
		["rate(1 day)", "0 0 * * *"],
		["rate(5 minutes)", "*/5 * * * *"],
		["rate(1 minute)", "* * * * *"],
		["rate(1 hour)", "0 * * * *"],
		["rate(12 hours)", "0 */12 * * *"],
		["@every 1h", "0 * * * *"],
		["@every 15m", "*/15 * * * *"],
		["every 6 hours", "0 */6 * * *"],
		["every day", "0 0 * * *"],
		["03:30", "30 3 * * *"],
		["3:05", "5 3 * * *"],
		['"0 3 * * *"', "0 3 * * *"],
		["`0 3 * * *`", "0 3 * * *"],
		["@dayly", "@daily"],
	])("%j suggests %j", (wrong, suggestion) => {
		expect(isValidCron(wrong)).toBe(false);
		expect(suggestCron(wrong)).toBe(suggestion);
	});

	test.each([
		"",
		"reboot",
		"61 * * * *",
		"0 0 31 2 *",
		"30 0 12 * * *",
		"0 0 0 12 * * ? 2026",
		"0 0 * * 5L",
		"? 3 * * *",
		"24 * * *",
		"cron(0 3 * * ? 2030)",
		"cron(0 3 ? * 6L *)",
		"cron(0 3 ? * 2#1 *)",
		"cron(0 3 * *)",
		"rate(7 minutes)",
		"rate(5 hours)",
		"rate(2 days)",
		"rate(day)",
		"at(2030-01-01T00:00:00)",
		"25:00",
	])("%j suggests nothing, because what was meant is not clear", (wrong) => {
		expect(suggestCron(wrong)).toBeUndefined();
		expect(cronHint(wrong, new Date())).toBe("");
	});

	test("a hint shows the next three runs", () => {
		expect(cronHint("0 24 * * *", new Date("2026-01-01T10:00:00Z"))).toBe(
			' Did you mean "0 0 * * *"? It would next run at 2026-01-02T00:00:00Z, 2026-01-03T00:00:00Z, 2026-01-04T00:00:00Z.',
		);
	});
});

describe("in plain language", () => {
	test.each([
		["0 3 * 6-8 1-5", "at 03:00, Monday to Friday, June to August (UTC)"],
		["0 9-17/2 * * *", "on the hour, every 2 hours, between 09:00 and 17:00 (UTC)"],
		["0 0 15,L * *", "at 00:00, on day 15 and the last day of the month (UTC)"],
		[
			"0 0 * 6 L0,L5",
			"at 00:00, on the last Sunday and Friday of the month, only in June (UTC)",
		],
	])("%j is %j", (expression, words) => {
		expect(describeCron(expression)).toBe(words);
	});

	test("a description names the time zone", () => {
		expect(describeCron("0 3 * * *", "Europe/Berlin")).toBe(
			"every day at 03:00 Europe/Berlin",
		);
		expect(tryDescribeCron("0 3 * 6 *", "Asia/Tokyo")).toBe(
			"at 03:00, only in June (Asia/Tokyo)",
		);
		expect(tryDescribeCron("0 3 * 6 *")).toBe("at 03:00, only in June (UTC)");
	});
});

test.each([
	["@hourly ", "@hourly"],
	["\t0  3 *\n* * ", "0 3 * * *"],
	["@Daily", "@Daily"],
])("%j is sent as %j", (expression, sent) => {
	expect(normalizeCron(expression)).toBe(sent);
});

test.each([
	["0 0 29 2 *", ["2028-02-29", "2032-02-29", "2036-02-29"]],
	["0 0 L 2 *", ["2028-02-29", "2029-02-28", "2030-02-28"]],
	["0 0 * * fri#5", ["2027-04-30", "2027-07-30", "2027-10-29"]],
	["0 0 * 2 1#5", ["2044-02-29", "2072-02-29", "2112-02-29"]],
])("%j runs next on %j", (expression, days) => {
	const runs = nextRuns(expression, new Date("2027-03-01T00:00:00Z"), 3);
	expect(runs.map((run) => run.toISOString().slice(0, 10))).toEqual(days);
});

describe("the next runs", () => {
	const runsAfter = (expression: string, after: string, count: number) =>
		nextRuns(expression, new Date(after), count).map((run) =>
			run.toISOString().slice(0, 19),
		);

	test.each([
		["2026-03-01T10:00:00.000Z", ["2026-03-01T10:01:00", "2026-03-01T10:02:00"]],
		["2026-03-01T10:00:59.999Z", ["2026-03-01T10:01:00", "2026-03-01T10:02:00"]],
		["2026-03-01T23:58:30.000Z", ["2026-03-01T23:59:00", "2026-03-02T00:00:00"]],
	])("come strictly after %s", (after, runs) => {
		expect(runsAfter("* * * * *", after, 2)).toEqual(runs);
	});

	test("are none if none are asked for", () => {
		expect(runsAfter("* * * * *", "2026-03-01T10:00:00Z", 0)).toEqual([]);
	});
});

test.each([
	["0,15,30,45 * * * *", "*/15 * * * *"],
	["0,12 0,12 * * *", "0,12 0,12 * * *"],
	["1,2,3,7,9,10,11 * * * *", "1-3,7,9-11 * * * *"],
	["5,10,15 * * * *", "5,10,15 * * * *"],
	["5,10,15,20 * * * *", "5-20/5 * * * *"],
	["0,10,20,30 * * * *", "0-30/10 * * * *"],
	["0 0 * 1,4,7,10 *", "0 0 * */3 *"],
	["0 0 * 2,5,8,11 *", "0 0 * 2-11/3 *"],
	["0 0 1,11,21,31 * *", "0 0 */10 * *"],
	// Cron libraries disagree about a star with a step beside a weekday.
	["0 0 1,11,21,31 * 1", "0 0 1-31/10 * 1"],
	["0 0 1,11,21 * *", "0 0 1,11,21 * *"],
	["0,15,30,45 0,8,16 * * 1", "*/15 */8 * * 1"],
	["0 0 1,2,3,L * *", "0 0 1-3,L * *"],
	["0 0 * * 0,2,4,6", "0 0 * * 0,2,4,6"],
	["0 0 * * 1,2,3,4,5", "0 0 * * 1-5"],
	["0 0 * * 1#1,2#1,3#1,L5", "0 0 * * 1#1,2#1,3#1,L5"],
])("%j, written as a person would, is %j", (canonical, text) => {
	expect(shortCron(canonical)).toBe(text);
});

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
		const characters = fc.string({
			unit: fc.constantFrom(..."0123456789*/-,@ ?LW#monj".split("")),
		});
		fc.assert(
			fc.property(fc.oneof(fc.string(), characters, anyCron), (text) => {
				if (isValidCron(text)) {
					expect(describeCron(text)).toMatch(
						/^([a-z]|[A-Z][a-z]+day ).*( \(UTC\)|UTC|minutes?|hour.*)$/,
					);
				} else {
					expect(() => parseCron(text)).toThrow(CronError);
					expect(tryDescribeCron(text)).toBeUndefined();
				}
			}),
			{ numRuns: 500 },
		);
	});
});
