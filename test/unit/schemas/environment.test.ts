import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	environmentProblem,
	foreignVariableProblem,
	renderEnvironment,
} from "../../../src/schemas/environment";
import { parseEnvironment } from "../../helpers/environment-lines";

const names = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
/** What Python's splitlines() splits on, and NUL. */
const SEPARATORS = [..."\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029\0"];
const values = fc
	.string({ unit: "binary" })
	.filter((value) => !SEPARATORS.some((separator) => value.includes(separator)));

describe("environment variables as lines", () => {
	test("what is rendered reads back as the same map, whatever the values", () => {
		fc.assert(
			fc.property(fc.dictionary(names, values), (variables) => {
				expect({ ...parseEnvironment(renderEnvironment(variables)) }).toEqual({ ...variables });
			}),
		);
	});

	test("the order of the map does not matter", () => {
		fc.assert(
			fc.property(fc.dictionary(names, values), (variables) => {
				const reversed = Object.fromEntries(Object.entries(variables).reverse());
				expect(renderEnvironment(reversed)).toBe(renderEnvironment(variables));
			}),
		);
	});

	test("a name that JavaScript treats specially is an ordinary variable", () => {
		const parsed = parseEnvironment("__proto__=1\nconstructor=2\ntoString=3");
		expect(Object.entries(parsed)).toEqual([
			["__proto__", "1"],
			["constructor", "2"],
			["toString", "3"],
		]);
		expect(renderEnvironment(parsed)).toBe("__proto__=1\nconstructor=2\ntoString=3");
	});

	test.each(["a\nB=1", "a\rb", "a\0b", "\n"])(
		"a value with a line break or NUL is refused without being shown: %j",
		(value) => {
			expect(environmentProblem("NAME", value)).toContain("NAME");
			expect(() => renderEnvironment({ NAME: `canary${value}` })).toThrow(TypeError);
			expect(() => renderEnvironment({ NAME: `canary${value}` })).not.toThrow(/canary/);
		},
	);

	test.each(["", "1A", "A-B", "A B", "A=B", "É", "A\n"])("%j is not a variable name", (name) => {
		expect(environmentProblem(name, "x")).toBeDefined();
	});

	test.each(SEPARATORS)(
		"a value with %j is refused, by the name and the character and not by the value",
		(at) => {
			const code = `(U+${at.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")})`;
			const problem = environmentProblem("NAME", `canary${at}ADDED=1`) ?? "";
			expect(problem).toContain("the value of NAME has a ");
			expect(problem).toContain(code);
			expect(problem).not.toMatch(/canary|ADDED/);
			expect(() => renderEnvironment({ NAME: `canary${at}ADDED=1` })).toThrow(code);
		},
	);

	test("a line separator is called by its name", () => {
		expect(environmentProblem("NAME", "a\u2028b")).toContain("a line separator (U+2028)");
	});

	test.each(["\t", "\x1f", "\x7f", " ", "\u00a0", "\ufeff"])(
		"a value with %j stays one line",
		(character) => {
			expect(environmentProblem("NAME", `a${character}b`)).toBeUndefined();
		},
	);
});

describe("variables that somebody else set", () => {
	test.each(["my-var", "my.var", "1A", "É", "A B", "__proto__", "a/b", "A#"])(
		"%j travels back as it is",
		(name) => {
			expect(foreignVariableProblem(name, " as = it is ")).toBeUndefined();
			const foreign = Object.fromEntries([[name, " as = it is "]]);
			expect(Object.entries(parseEnvironment(renderEnvironment({}, foreign)))).toEqual([
				[name, " as = it is "],
			]);
		},
	);

	test.each<[string, string | null, RegExp]>([
		["", "canary", /empty name/],
		["A=B", "canary", /"="/],
		["A\u2028B", "canary", /U\+2028/],
		["A\nB", "canary", /U\+000A/],
		["#A", "canary", /comment/],
		[" A", "canary", /white space/],
		["A\t", "canary", /white space/],
		["A\x1f", "canary", /white space/],
		["my-var", "canary\nB=1", /"my-var" has a line break/],
		["my-var", "canary\x85B=1", /"my-var" has a next-line character/],
		["my-var", null, /"my-var" is null/],
	])("%j = %j cannot, and the reason does not show the value", (name, value, reason) => {
		expect(foreignVariableProblem(name, value)).toMatch(reason);
		expect(foreignVariableProblem(name, value)).not.toContain("canary");
		const foreign = Object.fromEntries([[name, value]]);
		expect(() => renderEnvironment({}, foreign)).toThrow(TypeError);
		expect(() => renderEnvironment({}, foreign)).not.toThrow(/canary/);
	});

	test("are rendered among the declared ones, which stand for a foreign one of the same name", () => {
		expect(renderEnvironment({ B: "ours", D: "4" }, { "c-c": "3", B: "theirs", A: "1" })).toBe(
			"A=1\nB=ours\nD=4\nc-c=3",
		);
	});

	test("are no excuse for a declared name that is not one", () => {
		expect(() => renderEnvironment({ "my-var": "1" })).toThrow("is not a variable name");
	});

	test("read back as they were, whatever their names and values, or are refused", () => {
		const anything = fc.dictionary(
			fc.string({ unit: "binary" }),
			fc.option(fc.string({ unit: "binary" }), { nil: null }),
		);
		fc.assert(
			fc.property(anything, fc.dictionary(names, values), (found, declared) => {
				const fits = ([name, value]: [string, string | null]) =>
					foreignVariableProblem(name, value) === undefined && !Object.hasOwn(declared, name);
				const foreign = Object.fromEntries(Object.entries(found).filter(fits));
				const parsed = parseEnvironment(renderEnvironment(declared, foreign));
				expect({ ...parsed }).toEqual({ ...declared, ...foreign });
			}),
		);
	});
});
