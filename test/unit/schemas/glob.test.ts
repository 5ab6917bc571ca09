import fc from "fast-check";
import { expect, it } from "vitest";
import { matchesGlob } from "../../../src/schemas/suggest";

it.each([
	["a\\*", "a*", true],
	["a\\*", "ab", false],
	["\\a*", "abc", true],
	["a\\", "a\\", true],
])("where a backslash escapes, the pattern %j against %j: %s", (pattern, text, expected) => {
	expect(matchesGlob(pattern, text, { escape: true })).toBe(expected);
});

it("matches any name that it spells out with a backslash before each character", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), (name) => {
			const spelled = [...name].map((char) => `\\${char}`).join("");
			expect(matchesGlob(spelled, name, { escape: true })).toBe(true);
		}),
		{ numRuns: 50 },
	);
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
