import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	environmentProblem,
	foreignVariableProblem,
	looksMasked,
	renderEnvironment,
} from "../../../src/schemas/environment";
import { readEnvironment } from "../../../src/server/inputs";

const names = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
/** What Python's splitlines() splits on, and NUL. */
const SEPARATORS = [..."\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029\0"];
const values = fc
	.string({ unit: "binary" })
	.filter((value) => !SEPARATORS.some((separator) => value.includes(separator)));

describe("environment variables as lines", () => {
	test.each(["", "1A", "A-B", "A B", "A=B", "É", "A\n"])(
		"%j is not a variable name",
		(name) => {
			const problem = `${JSON.stringify(name)} is not a variable name: use letters, digits and _, not starting with a digit`;
			expect(environmentProblem(name, "x")).toBe(problem);
			expect(() => renderEnvironment({ [name]: "x" })).toThrow(
				new TypeError(`Environment: ${problem}.`),
			);
		},
	);

	test.each([
		["\n", "a line break (U+000A)"],
		["\x1e", "a record separator (U+001E)"],
		["\x85", "a next-line character (U+0085)"],
		["\u2029", "a paragraph separator (U+2029)"],
		["\0", "a NUL (U+0000)"],
	])(
		"a value with %j is refused by the name of the character, and not shown",
		(character, name) => {
			const value = `canary${character}ADDED=1`;
			const problem = `the value of NAME has ${name}, and the service takes one line per variable: encode it, as base64 for instance, or upload it as a JobFile`;
			expect(environmentProblem("NAME", value)).toBe(problem);
			expect(() => renderEnvironment({ NAME: value })).toThrow(
				new TypeError(`Environment: ${problem}.`),
			);
		},
	);

	test.each(SEPARATORS)(
		"a value with %j is refused, because it would become two variables",
		(separator) => {
			expect(environmentProblem("NAME", `a${separator}ADDED=1`)).toBeDefined();
		},
	);
});

describe("a value that the service shows", () => {
	test.each([
		..."*** **** pre*** ***fix a***z ●●● ∙∙∙ pr… pr... (hidden) [REDACTED] <masked> (Secret)".split(
			" ",
		),
	])("may stand for another one: %s", (value) => {
		expect(looksMasked(value)).toBe(true);
	});

	test.each([
		...[
			"",
			"a*b**c",
			"••",
			"a...b",
			"..",
			"hidden",
			"(hidden) text",
			"the [redacted]",
			"0 3 * * *",
			"(hiddenness)",
		],
		null,
		undefined,
	])("stands for itself: %j", (value) => {
		expect(looksMasked(value)).toBe(false);
	});
});

describe("variables that other users set", () => {
	test.each(["my.var", "1A", "É", "A B", "__proto__", "A#"])(
		"may be called %j",
		(name) => {
			expect(foreignVariableProblem(name, " as = it is ")).toBeUndefined();
		},
	);

	const WHITE = "has white space around it, which its line would lose";
	test.each<[string, string | null, string]>([
		["", "canary", "a variable has an empty name, which a line cannot carry"],
		[
			"A=B",
			"canary",
			'the name "A=B" has a "=" in it, and a line NAME=VALUE ends the name at the first one',
		],
		["#A", "canary", 'the name "#A" starts with "#", which makes its line a comment'],
		["A\x1f", "canary", `the name "A\\u001f" ${WHITE}`],
		[
			"TOKEN",
			"[REDACTED]",
			'the service shows the value of "TOKEN" as a mask, which would be written in its place',
		],
		[
			"TOKEN",
			"••••",
			'the service shows the value of "TOKEN" as a mask, which would be written in its place',
		],
		[
			"TOKEN",
			"abc***",
			'the service shows the value of "TOKEN" as a mask, which would be written in its place',
		],
		[
			"my-var",
			null,
			'the variable "my-var" is null, and a line can only carry a string',
		],
	])("%j = %j cannot be written, because %s", (name, value, reason) => {
		expect(foreignVariableProblem(name, value)).toBe(reason);
		const foreign = Object.fromEntries([[name, value]]);
		expect(() => renderEnvironment({}, foreign)).toThrow(
			new TypeError(`Environment: ${reason}.`),
		);
	});

	test("are rendered among the declared ones, which win over one of the same name", () => {
		expect(
			renderEnvironment({ B: "ours", D: "4" }, { "c-c": "3", B: "theirs", A: "1" }),
		).toBe("A=1\nB=ours\nD=4\nc-c=3");
	});

	test("read back as they were, whatever their names and values, or are refused", () => {
		const anything = fc.dictionary(
			fc.string({ unit: "binary" }),
			fc.option(fc.string({ unit: "binary" }), { nil: null }),
		);
		fc.assert(
			fc.property(anything, fc.dictionary(names, values), (found, declared) => {
				const fits = ([name, value]: [string, string | null]) =>
					foreignVariableProblem(name, value) === undefined &&
					!Object.hasOwn(declared, name);
				const foreign = Object.fromEntries(Object.entries(found).filter(fits));
				const parsed = readEnvironment(renderEnvironment(declared, foreign));
				expect({ ...parsed }).toEqual({ ...declared, ...foreign });
			}),
		);
	});
});
