import { describe, expect, test } from "vitest";
import { retryAfterMillis } from "../../../src/api/reply";
import { RetryBudget } from "../../../src/api/retry";
import { backoffMillis } from "../../../src/api/retry-policy";

describe("backoff", () => {
	test("the ceiling doubles from 200 ms and stays at 8 s", () => {
		const ceilings = [1, 2, 3, 4, 5, 6, 7, 8, 50, 5000].map((attempt) => backoffMillis(attempt, () => 1));
		expect(ceilings).toEqual([200, 400, 800, 1600, 3200, 6400, 8000, 8000, 8000, 8000]);
	});

	test("jitter is full: from nothing up to the ceiling", () => {
		expect(backoffMillis(3, () => 0)).toBe(0);
		expect(backoffMillis(3, () => 0.5)).toBe(400);
		expect(backoffMillis(1, () => 0.999)).toBe(199);
	});
});

describe("Retry-After", () => {
	const now = Date.parse("2026-01-01T00:00:00Z");

	test.each([
		["0", 0],
		["7", 7000],
		[" 7 ", 7000],
		["1.5", 1500],
		["0.25", 250],
		["1.0005", 1001],
		["999999999", 999_999_999_000],
		["Wed 31 Dec 2025 23:59:00 GMT", 0],
		["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
		["Thursday, 01-Jan-26 00:00:30 GMT", 30_000],
		["Wed, 31 Dec 2025 23:00:00 GMT", 0],
	])("%j means %d ms from now", (header, millis) => {
		expect(retryAfterMillis(header, now)).toBe(millis);
	});

	test.each([
		undefined,
		"",
		"soon",
		"-1",
		"1e3x",
		"NaN",
		"Foo, bar",
		"1000000000",
		"x7",
		"7x",
		"1.",
		"2026-01-01",
		"12 Jan 2026",
		"x Thu, 01 Jan 2026 00:00:30 GMT",
	])("%j is not understood", (header) => {
		expect(retryAfterMillis(header, now)).toBeUndefined();
	});
});

describe("retry budget", () => {
	test("it runs out, and ten successes earn one repetition", () => {
		const budget = new RetryBudget(2);
		expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
		for (let i = 0; i < 9; i += 1) budget.succeeded();
		expect(budget.take()).toBe(false);
		// A tenth has no exact binary form, so the tenth success may fall a hair short of one.
		budget.succeeded();
		budget.succeeded();
		expect(budget.take()).toBe(true);
	});

	test("successes never fill it beyond its capacity", () => {
		const budget = new RetryBudget(1);
		for (let i = 0; i < 1000; i += 1) budget.succeeded();
		expect([budget.take(), budget.take()]).toEqual([true, false]);
	});
});
