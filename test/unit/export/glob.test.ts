import fc from "fast-check";
import { expect, it } from "vitest";
import { matchesGlob } from "../../../src/schemas/glob";

it.each([
	["nightly-*", "nightly-images", true],
	["nightly-*", "weekly-images", false],
	["*", "", true],
	["?", "👍", true],
	["a?c", "abc", true],
	["a?c", "ac", false],
	["*/b", "a/b", true],
	["[ab].x", "a.x", false],
	["", "", true],
	["a*b*c", "axxbyybzzc", true],
	["a\\*", "a\\b", true],
	["a\\*", "a*", false],
	["abc", "ab", false],
	["ab", "abc", false],
	["ab*?", "ab", false],
])("the pattern %j against %j: %s", (pattern, text, expected) => {
	expect(matchesGlob(pattern, text)).toBe(expected);
});

it.each([
	["a\\*", "a*", true],
	["a\\*", "ab", false],
	["\\?", "?", true],
	["\\?", "x", false],
	["\\\\", "\\", true],
	["\\\\*", "\\abc", true],
	["\\a*", "abc", true],
	["a\\", "a\\", true],
	["a\\", "a", false],
	["*", "\\", true],
])("where a backslash escapes, the pattern %j against %j: %s", (pattern, text, expected) => {
	expect(matchesGlob(pattern, text, { escape: true })).toBe(expected);
});

it("agrees with a regular expression of the same meaning", () => {
	const piece = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "."), maxLength: 8 });
	const text = fc.string({ unit: fc.constantFrom("a", "b", "."), maxLength: 10 });
	fc.assert(
		fc.property(piece, text, (pattern, given) => {
			const source = pattern.replaceAll(".", "\\.").replaceAll("*", ".*").replaceAll("?", ".");
			expect(matchesGlob(pattern, given)).toBe(new RegExp(`^(?:${source})$`).test(given));
		}),
		{ numRuns: 500 },
	);
});

it("takes no time for a pattern made to take for ever", () => {
	const start = performance.now();
	expect(matchesGlob("*a".repeat(100), "a".repeat(99).concat("b".repeat(1000)))).toBe(false);
	expect(performance.now() - start).toBeLessThan(1_000);
});
