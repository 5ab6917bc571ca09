import fc from "fast-check";
import { expect, it } from "vitest";
import { matchesGlob } from "../../../src/export";

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
])("the pattern %j against %j: %s", (pattern, text, expected) => {
	expect(matchesGlob(pattern, text)).toBe(expected);
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
