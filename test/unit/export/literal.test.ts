import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { literal, objectKey } from "../../../src/export/literal";
import { HOSTILE, hostileText } from "../../helpers/export-hostile";

const evaluate = (code: string): unknown => new Function(`"use strict"; return (${code});`)();

function expectOneLiteral(text: string): void {
	const code = literal(text);
	expect(evaluate(code)).toBe(text);
	const [statement, ...others] = ts.createSourceFile("x.ts", code, ts.ScriptTarget.ES2022).statements;
	expect(others).toEqual([]);
	expect(statement && ts.isExpressionStatement(statement) && ts.isStringLiteral(statement.expression)).toBe(
		true,
	);
}

describe("a string literal", () => {
	it.each(HOSTILE)("evaluates to the same text and is one token: %j", expectOneLiteral);

	it("does so for any text, lone surrogates included", () => {
		fc.assert(fc.property(hostileText, expectOneLiteral), { numRuns: 500 });
	});

	it("shows nothing that is invisible, turns the reading direction, breaks the line or ends a script", () => {
		const code = literal(HOSTILE.join(""));
		expect(code).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
		expect(code).not.toContain("</");
	});

	it("takes the quotes that need fewer escapes, as formatters do", () => {
		expect(literal('say "hi"')).toBe(`'say "hi"'`);
		expect(literal("it's")).toBe(`"it's"`);
		expect(literal(`"'`)).toBe(`"\\"'"`);
	});
});

describe("a key of an object literal", () => {
	it("is a property of its own for any text, __proto__ included", () => {
		fc.assert(
			fc.property(fc.oneof(hostileText, fc.constantFrom("__proto__", "constructor", "if")), (name) => {
				const value = evaluate(`{ ${objectKey(name)}: 1 }`) as object;
				expect(Object.entries(value)).toEqual([[name, 1]]);
			}),
		);
	});
});
