import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyIgnores, matchesGlob, parseIgnoreFile } from "../../../src/drift/ignore";
import { sampleReport } from "../../helpers/drift-report";

describe("a pattern of names to ignore", () => {
	it.each([
		["nightly", "nightly", true],
		["nightly", "nightly-2", false],
		["tmp-*", "tmp-", true],
		["tmp-*", "tmp-a/b c", true],
		["*-by-hand", "images-by-hand", true],
		["*-by-hand", "images-by-hand-2", false],
		["a*b*c", "a-b-b-c", true],
		["a*b*c", "a-c-b", false],
		["rusty-????", "rusty-vise", true],
		["rusty-????", "rusty-vises", false],
		["?", "😀", true],
		["\\*", "*", true],
		["\\*", "x", false],
		["Nightly", "nightly", false],
		["", "", true],
		["", "x", false],
		["*", "", true],
		["a.c", "abc", false],
		["end\\", "end\\", true],
	])("%s on %s: %s", (pattern, name, expected) => {
		expect(matchesGlob(pattern, name)).toBe(expected);
	});

	it("matches any name that it spells out with a backslash before each character", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (name) => {
				expect(matchesGlob([...name].map((char) => `\\${char}`).join(""), name)).toBe(true);
			}),
			{ numRuns: 50 },
		);
	});

	it("takes no time to speak of, however many stars it has", () => {
		const started = performance.now();
		expect(matchesGlob(`${"a*".repeat(60)}b`, "a".repeat(5_000))).toBe(false);
		expect(performance.now() - started).toBeLessThan(1_000);
	});
});

it("an ignore file has one pattern a line, comments and blank lines", () => {
	expect(parseIgnoreFile("# ours\r\n\n  tmp-*  \n\\#odd\n")).toEqual(["tmp-*", "\\#odd"]);
});

it("ignored objects are counted, not forgotten", () => {
	const { kept, ignored } = applyIgnores(sampleReport().unmanaged, ["rusty-*", "nothing"]);
	expect([kept.map(({ name }) => name), ignored]).toEqual([["nightly"], 1]);
});
