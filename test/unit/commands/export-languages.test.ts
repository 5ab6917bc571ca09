import { spawnSync } from "node:child_process";
import fc from "fast-check";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import {
	literal,
	objectKey,
	portableLiteral,
	renderYamlProject,
} from "../../../src/commands/export-languages";
import { modelOf } from "../../../src/commands/export-model";
import { HOSTILE, hostileText, livePipeline, liveSchedule, liveTeam } from "../../helpers/export-teams";

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

it("a key of an object literal is a property of its own for any text, __proto__ included", () => {
	fc.assert(
		fc.property(fc.oneof(hostileText, fc.constantFrom("__proto__", "constructor", "if")), (name) => {
			const value = evaluate(`{ ${objectKey(name)}: 1 }`) as object;
			expect(Object.entries(value)).toEqual([[name, 1]]);
		}),
	);
});

const TEXTS = [
	"plain",
	`it's "so"`,
	"back\\slash",
	"a\nb\tc",
	"\u0000\u2028\u200b",
	"東京 🚀",
	"\u{e0001}",
	"</script>",
	"$" + "{x}",
];

/** Python's own reader is the judge, where there is one. */
const python = spawnSync("python3", ["--version"]).status === 0;

it.skipIf(!python)("a text in the code of another language is the same text there", () => {
	const script =
		"import ast, json, sys; print(json.dumps([ast.literal_eval(line) for line in json.load(sys.stdin)]))";
	const { stdout } = spawnSync("python3", ["-c", script], {
		input: JSON.stringify(TEXTS.map(portableLiteral)),
	});
	expect(JSON.parse(stdout.toString())).toEqual(TEXTS);
});

it("shows nothing that a reader cannot see", () => {
	for (const text of TEXTS) expect(portableLiteral(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
});

/** As pulumi-yaml reads a text that refers to nothing (ast/interpolation.go). */
function read(text: string): string {
	expect(text.replaceAll("$$", "")).not.toContain("\u0024{");
	return text.replaceAll("$$", () => "$");
}

it.each(["\u0024{x}", "a$$b", "$", "$\u0024{x}$", "data/\u0024{DATE}"])(
	"a project in YAML reads %s as the text that it is",
	(text) => {
		const pipeline = livePipeline("p", { requirements: text, environment_variables: { VALUE: text } });
		const schedule = liveSchedule(1, `nightly ${text}`, { pipeline });
		const model = modelOf(liveTeam([schedule], [pipeline]), { plainValues: true, yaml: true });
		const project = renderYamlProject("team", model, { retain: false });
		const field = (name: string): unknown =>
			JSON.parse(new RegExp(`^ +${name}: (.*)$`, "m").exec(project)?.[1] ?? "", (_, value) =>
				typeof value === "string" ? read(value) : value,
			);
		expect(field("scheduleName")).toBe(`nightly ${text}`);
		expect(field("requirements")).toEqual([text]);
		expect(field("environment")).toEqual({ VALUE: text });
	},
);
