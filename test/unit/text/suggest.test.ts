import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { closest, didYouMean, matchesGlob } from "../../../src/text/suggest";

const INPUTS = [
	"pipelineName",
	"cronExpression",
	"startAfter",
	"paused",
	"scheduleName",
	"adopt",
];
const STATUSES = ["PENDING", "RUNNING", "COMPLETED", "FAILED", "PAUSED", "CANCELED"];

test.each([
	["a letter too few", "cronExpresion", INPUTS, "cronExpression"],
	["the spelling of another language", "cron_expression", INPUTS, "cronExpression"],
	["another case", "Complete", STATUSES, "COMPLETED"],
	[
		"the nearest of several",
		"scheduleNames",
		["scheduleNaming", ...INPUTS],
		"scheduleName",
	],
	["a short word of other letters", "id", ["no", "at"], undefined],
	["an empty text", "", INPUTS, undefined],
])("%s", (_, given, known, meant) => {
	expect(closest(given, known)).toBe(meant);
});

test("a message ends with the name that was meant, or says nothing", () => {
	expect(didYouMean("adpot", INPUTS)).toBe(' Did you mean "adopt"?');
	expect(didYouMean("somethingElse", INPUTS)).toBe("");
});

describe("a pattern of names", () => {
	test.each([
		["a\\*", "a*", true],
		["a\\*", "ab", false],
		["\\a*", "abc", true],
		["a\\", "a\\", true],
	])(
		"where a backslash escapes, the pattern %j against %j: %s",
		(pattern, text, expected) => {
			expect(matchesGlob(pattern, text)).toBe(expected);
		},
	);

	test("agrees with a regular expression of the same meaning", () => {
		const piece = fc.string({
			unit: fc.constantFrom("a", "b", "*", "?", "."),
			maxLength: 8,
		});
		const text = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 10 });
		fc.assert(
			fc.property(piece, text, (pattern, given) => {
				const source = pattern
					.replaceAll(".", "\\.")
					.replaceAll("*", ".*")
					.replaceAll("?", ".");
				expect(matchesGlob(pattern, given)).toBe(
					new RegExp(`^(?:${source})$`).test(given),
				);
			}),
			{ numRuns: 500 },
		);
	});

	test("takes no time for a pattern made to take for ever", () => {
		const start = performance.now();
		expect(matchesGlob("*a".repeat(100), "a".repeat(99).concat("b".repeat(1000)))).toBe(
			false,
		);
		expect(performance.now() - start).toBeLessThan(1_000);
	});
});
