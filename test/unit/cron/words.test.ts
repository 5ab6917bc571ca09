import { describe, expect, it } from "vitest";
import { wordsFor } from "../../../src/cron/words";

describe("short descriptions of the usual expressions", () => {
	it.each([
		["* * * * *", "every minute"],
		["*/16 * * * *", "every hour at :00, :16, :32 and :48"],
		["*/7 * * * *", "every 7 minutes from :00 of every hour"],
		["15 * * * *", "every hour at :15"],
		["5 * * * *", "every hour at :05"],
		["0 */6 * * *", "every 6 hours from 00:00 UTC"],
		// A step that does not divide the day begins anew with each.
		["0 */10 * * *", "every day at 00:00, 10:00 and 20:00 UTC"],
		["0 */5 * * *", "every 5 hours from 00:00 UTC of every day"],
		["0 1,7,13,19 * * *", "every day at 01:00, 07:00, 13:00 and 19:00 UTC"],
		["0 9 * * 1-5", "Monday to Friday at 09:00 UTC"],
		["0 9 * * 2,4,6", "every Tuesday, Thursday and Saturday at 09:00 UTC"],
		["0 9 * * 1#1", "the first Monday of every month at 09:00 UTC"],
		["0 9 * * 5#5", "the fifth Friday of every month at 09:00 UTC"],
		["0 9 * * 1#2", "the second Monday of every month at 09:00 UTC"],
		["0 9 * * L5", "the last Friday of every month at 09:00 UTC"],
		[
			"30 3 1,2,3,4,11,12,13,21,22,23,30 * *",
			expect.stringMatching(
				/^the 1st, 2nd, 3rd, 4th, 11th, 12th, 13th, 21st, 22nd, 23rd and 30th of every month at 03:30 UTC$/,
			),
		],
		["30 3 15 * *", "the 15th of every month at 03:30 UTC"],
		["30 3 L * *", "the last day of every month at 03:30 UTC"],
	])("%s", (text, words) => {
		expect(wordsFor(text, "UTC")).toEqual(words);
	});

	it.each([
		["*/5 * * * *", "every 5 minutes"],
		["0 * * * *", "every hour on the hour of Asia/Kolkata"],
	])("%s in a zone that is half an hour off", (text, words) => {
		expect(wordsFor(text, "Asia/Kolkata")).toBe(words);
	});
});

it.each([
	["months", "0 3 * 6 *"],
	["a range of dates", "0 3 1-7 * *"],
	["a range of minutes", "0-5 9 * * *"],
	["steps of hours at another minute", "5 */6 * * *"],
	["steps of hours on weekdays", "0 */6 * * 1"],
	["steps of hours on dates", "0 */6 1 * *"],
	["a weekday that is a range and more", "0 9 * * 1-3,5"],
	["a weekday and a range", "0 9 * * 0,2-5"],
	["two n-th weekdays", "0 9 * * 1#1,2#1"],
	["two last weekdays", "0 9 * * L1,L5"],
	["the last day beside a weekday", "0 3 L * 1"],
	["steps of minutes and one more", "7,*/30 * * * *"],
	["one more minute than steps", "*/30,7 * * * *"],
	["steps of hours and one more", "0 */6,7 * * *"],
	["one more hour than steps", "0 7,*/6 * * *"],
	["every hour of a date", "0 * 1 * *"],
	["every hour of a weekday", "0 * * * 1"],
])("no short description for %s", (_, text) => {
	expect(wordsFor(text, "UTC")).toBeUndefined();
});
