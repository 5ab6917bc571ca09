import { expect, test } from "vitest";
import { describeMillis, parseDuration } from "../../../src/schemas/duration";

test.each([
	["90s", 90_000, "1 min 30 s"],
	["30m", 1_800_000, "30 min"],
	["1h30m", 5_400_000, "1 h 30 min"],
	["100h", 360_000_000, "100 h"],
	["000000010s", 10_000, "10 s"],
	[0.25, 250, "250 ms"],
	// As long as a timer can run.
	[2_147_483.647, 2_147_483_647, "596 h 31 min 24 s"],
])("%s is a duration", (given, millis, words) => {
	expect(parseDuration(given)).toBe(millis);
	expect(describeMillis(millis)).toBe(words);
});

test.each(["", "30 m", "1m1h", "1.5h", "0s", "0000000010s", 2_147_483.648, 0, Number.NaN])(
	"%s is no duration",
	(given) => expect(parseDuration(given)).toBeUndefined(),
);
