import { describe, expect, test } from "vitest";
import {
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

test.each([
	["  0   3 *\t* *  ", "0 3 * * *"],
	["5,5,1 0 1 1 *", "1,5 0 1 1 *"],
	["0 0 * jan,DEC mon-Fri", "0 0 * 1,12 1,2,3,4,5"],
	["0 0 * * 5-7", "0 0 * * 0,5,6"],
	["0 0 * * 0-7", "0 0 * * *"],
	["@hourly", "0 * * * *"],
	["@DAILY", "0 0 * * *"],
	["0 0 1-31 1-12 0-6", "0 0 * * *"],
	["0 22-2 * * *", "0 0,1,2,22,23 * * *"],
	["0 0 * nov-Feb SAT-sun", "0 0 * 1,2,11,12 0,6"],
	["5/15 * * * *", "5,20,35,50 * * * *"],
	["0 0 ? * ?", "0 0 * * *"],
	["0 0 l,15 * *", "0 0 15,L * *"],
	["0 0 28-L * *", "0 0 28,29,30,31 * *"],
	["0 0 * * Mon-Wed#2,7#1", "0 0 * * 0#1,1#2,2#2,3#2"],
	["0 0 * * l7,L5", "0 0 * * L0,L5"],
	["0 0 29,L 2 *", "0 0 L 2 *"],
	["0 0 28,L 2 *", "0 0 28,29 2 *"],
	["0 0 29,31,L 2,3 *", "0 0 29,L 2,3 *"],
	["0 0 L 4,6 *", "0 0 30 4,6 *"],
	["0 0 31 2-4 *", "0 0 31 3 *"],
	["0 0 * * L5,L1,5#1,1#2", "0 0 * * 1#2,5#1,L1,L5"],
	["0 0 * * L1,1#4", "0 0 * * 1#4,1#5"],
	["0 0 * * L1,1#5", "0 0 * * L1"],
	["0 0 * * 1#5,2#4,L2", "0 0 * * 1#5,2#4,2#5"],
	["0 0 * 1 L0,L1,L2,L3,L4,L5,L6", "0 0 25,26,27,28,29,30,31 1 *"],
])("the canonical form of %j is %j", (expression, canonical) => {
	expect(parseCron(expression).canonical).toBe(canonical);
});

describe("equal meaning", () => {
	test.each([
		["@daily", "0 0 * * *"],
		["what is this", " What  is this "],
		["0 0 1-31 * 1", "0 0 * * *"],
		["0 0 5-5 * *", "0  0 5-5 * *"],
	])("%j and %j are the same", (a, b) => {
		expect(sameCron(a, b)).toBe(true);
	});

	test.each([
		["0 3 * * *", "0 4 * * *"],
		["nonsense", "@daily"],
		// Both days written out: cron fires on either, so this is every day, and not Mondays.
		["0 0 1-31 * 1", "0 0 * * 1"],
		// Nothing says which of the two the service means by the first, so that writing the second is a change.
		["0 0 5-5 * *", "0 0 5 * *"],
	])("%j and %j differ", (a, b) => {
		expect(sameCron(a, b)).toBe(false);
	});
});

describe("what was probably meant", () => {
	test.each([
		["daily", "@daily"],
		["  Midnight ", "@midnight"],
		["0 0 12 * * ?", "0 12 * * *"],
		["0 0 12 * * ? 2026", "0 12 * * *"],
		["15 30 12 * * ? *", "30 12 * * *"],
		["0 24 * * *", "0 0 * * *"],
		["24 24 24 * *", "24 0 24 * *"],
		["0 0 ? * friL", "0 0 * * L5"],
		["0 0 * * SUN#L", "0 0 * * L0"],
	])("%j suggests %j", (wrong, suggestion) => {
		expect(isValidCron(wrong)).toBe(false);
		expect(suggestCron(wrong)).toBe(suggestion);
	});

	test.each(["", "30 0 12 * * *", "0 0 0 12 * * ? 2026", "0 0 * * 5L", "0 0 * * mon,friL", "0 0 * * monthL"])(
		"%j suggests nothing, because what was meant is not clear",
		(wrong) => {
			expect(suggestCron(wrong)).toBeUndefined();
			expect(cronHint(wrong, new Date())).toBe("");
		},
	);

	test("a hint shows the next three runs", () => {
		expect(cronHint("0 24 * * *", new Date("2026-01-01T10:00:00Z"))).toBe(
			' Did you mean "0 0 * * *"? It would next run at 2026-01-02T00:00:00Z, 2026-01-03T00:00:00Z, 2026-01-04T00:00:00Z.',
		);
	});
});

describe("in plain language", () => {
	test.each([
		["0,30 * * * *", "every 30 minutes"],
		["0 3 * 6-8 1-5", "at 03:00, Monday to Friday, June to August (UTC)"],
		["0 9-17/2 * * *", "on the hour, every 2 hours, between 09:00 and 17:00 (UTC)"],
		["0 0 15,L * *", "at 00:00, on day 15 and the last day of the month (UTC)"],
		["0 0 * 6 L0,L5", "at 00:00, on the last Sunday and Friday of the month, only in June (UTC)"],
	])("%j is %j", (expression, words) => {
		expect(describeCron(expression)).toBe(words);
	});

	test("a description names the time zone", () => {
		expect(describeCron("0 3 * * *", "Europe/Berlin")).toBe("every day at 03:00 Europe/Berlin");
		expect(tryDescribeCron("0 3 * 6 *", "Asia/Tokyo")).toBe("at 03:00, only in June (Asia/Tokyo)");
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
	["2026-03-01T10:00:00.000Z", ["2026-03-01T10:01:00.000Z", "2026-03-01T10:02:00.000Z"]],
	["2026-03-01T23:58:30.000Z", ["2026-03-01T23:59:00.000Z", "2026-03-02T00:00:00.000Z"]],
])("the next runs come strictly after %s", (after, runs) => {
	expect(nextRuns("* * * * *", new Date(after), 2).map((run) => run.toISOString())).toEqual(runs);
});

test.each([
	["0,15,30,45 * * * *", "*/15 * * * *"],
	["1,2,3,7,9,10,11 * * * *", "1-3,7,9-11 * * * *"],
	["5,10,15 * * * *", "5,10,15 * * * *"],
	["5,10,15,20 * * * *", "5-20/5 * * * *"],
	["0,10,20,30 * * * *", "0-30/10 * * * *"],
	["0 0 * 2,5,8,11 *", "0 0 * 2-11/3 *"],
	["0 0 1,11,21,31 * *", "0 0 */10 * *"],
	// Schedulers read a star with a step beside a weekday in different ways.
	["0 0 1,11,21,31 * 1", "0 0 1-31/10 * 1"],
	["0 0 1,11,21 * *", "0 0 1,11,21 * *"],
	["0 0 * * 0,2,4,6", "0 0 * * 0,2,4,6"],
	["0 0 * * 1#1,2#1,3#1,L5", "0 0 * * 1#1,2#1,3#1,L5"],
])("%j, written as a person would, is %j", (canonical, text) => {
	expect(shortCron(canonical)).toBe(text);
});
