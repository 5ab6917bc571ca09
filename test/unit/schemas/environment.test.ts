import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { environmentProblem, parseEnvironment, renderEnvironment } from "../../../src/schemas/environment";

const names = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/);
const values = fc.string({ unit: "binary" }).filter((value) => !/[\n\r\0]/.test(value));

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

	test.each([
		["A=1\nB=2", { A: "1", B: "2" }],
		["A=1\r\nB=2\r\n", { A: "1", B: "2" }],
		["A=b=c==", { A: "b=c==" }],
		["A=", { A: "" }],
		["A= spaced ", { A: " spaced " }],
		["# note\n\n  # note\nA=1", { A: "1" }],
		["A=#1", { A: "#1" }],
		["A=1\nA=2", { A: "2" }],
		["", {}],
	])("%j reads as %j", (text, expected) => {
		expect(parseEnvironment(text)).toEqual(expected);
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

	test("a broken line is named by its number, because it may be the rest of a secret", () => {
		const text = "KEY=-----BEGIN\ncanary/MIIEow==\n-----END";
		expect(() => parseEnvironment(text)).toThrow("line 2");
		expect(() => parseEnvironment(text)).not.toThrow(/canary/);
		expect(() => parseEnvironment("canary")).toThrow("line 1");
		expect(() => parseEnvironment("=canary")).not.toThrow(/canary/);
	});
});
