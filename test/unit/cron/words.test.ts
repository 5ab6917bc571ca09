import { describe, expect, it } from "vitest";
import { wordsFor } from "../../../src/cron/words";

describe("short descriptions of the usual expressions", () => {
	it.each([
		["* * * * *", "every minute"],
		["*/5 * * * *", "every 5 minutes"],
		["*/40 * * * *", "every hour at :00 and :40"],
		["*/7 * * * *", "every 7 minutes from :00 of every hour"],
		["0 * * * *", "every hour"],
		["5 * * * *", "every hour at :05"],
		["0 */6 * * *", "every 6 hours from 00:00 UTC"],
		// A step that does not divide the day begins anew with each.
		["0 */10 * * *", "every day at 00:00, 10:00 and 20:00 UTC"],
		["0 */5 * * *", "every 5 hours from 00:00 UTC of every day"],
		["5,35 7 * * *", "every day at 07:05 and 07:35 UTC"],
		["0 9 * * 1-5", "Monday to Friday at 09:00 UTC"],
		["0 9 * * 0,6", "every Sunday and Saturday at 09:00 UTC"],
		["0 9 * * 1#1", "the first Monday of every month at 09:00 UTC"],
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
		["*/40 * * * *", "every hour at :00 and :40 Asia/Kolkata"],
		["*/7 * * * *", "every 7 minutes from :00 of every hour Asia/Kolkata"],
		["*/5 * * * *", "every 5 minutes"],
		["0 * * * *", "every hour on the hour of Asia/Kolkata"],
		["5 * * * *", "every hour at :05 Asia/Kolkata"],
	])("%s in a zone that is half an hour off", (text, words) => {
		expect(wordsFor(text, "Asia/Kolkata")).toBe(words);
	});
});

it.each([
	["more than four times a day", "0 1,5,9,13,17 * * *"],
	["months", "0 3 * 6 *"],
	["dates beside weekdays", "0 3 1 * 1"],
	["a range of hours", "0 9-17 * * *"],
	["steps of hours at another minute", "5 */6 * * *"],
	["steps of hours on weekdays", "0 */6 * * 1"],
	["a weekday that is a range and more", "0 9 * * 1-3,5"],
	["two n-th weekdays", "0 9 * * 1#1,2#1"],
	["two last weekdays", "0 9 * * L1,L5"],
	["a date and the last day", "0 3 15,L * *"],
	["the last day beside a weekday", "0 3 L * 1"],
	["steps of minutes and one more", "7,*/30 * * * *"],
	["steps of hours and one more", "0 */6,7 * * *"],
	["every minute of some hours", "* 9,10 * * *"],
	["every hour of a date", "0 * 1 * *"],
])("no short description for %s", (_, text) => {
	expect(wordsFor(text, "UTC")).toBeUndefined();
});
