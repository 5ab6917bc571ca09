import { describe, expect, test } from "vitest";
import { messages, messagesOf } from "../../../tools/wording/messages";
import { avoidedIn, syntaxIn } from "../../../tools/wording/words";

describe("the list of messages", () => {
	const list = (source: string) => messagesOf("a.ts", source).map(({ sink, text }) => [sink, text]);

	test("has the texts of errors, notices and help, with … for a value", () => {
		expect(list(`throw new Error(\`No schedule "\${name}" \` + "in this team.");`)).toEqual([
			["error", 'No schedule "…" in this team.'],
		]);
		expect(list('call.notice("It was paused.");')).toEqual([["notice", "It was paused."]]);
		expect(list('command.option("--json", "print JSON output");')).toEqual([["help", "print JSON output"]]);
	});

	test("has a text that a function returns", () => {
		expect(list('const why = () => "it was not found";')).toEqual([["text", "it was not found"]]);
	});

	test("leaves out names, types and compared values", () => {
		expect(list('import a from "a b"; type B = "a b"; if (c === "a b") d("name");')).toEqual([]);
	});

	test("covers the sources, each with its file and line", () => {
		const all = messages();
		expect(all.length).toBeGreaterThan(1000);
		expect(all).toContainEqual(
			expect.objectContaining({
				file: "src/provider/messages.ts",
				line: expect.any(Number),
				text: expect.stringContaining("If an interrupted deployment left it"),
			}),
		);
	});
});

test.each([
	["Set adopt to true to take it over.", ["take it over (say: adopt)"]],
	["It is stored in clear.", ["in clear (say: in plain text)"]],
	["Set adopt to true to manage it.", []],
])("%j has the words to avoid %j", (text, words) => {
	expect(avoidedIn(text)).toEqual(words);
});

test.each([
	["src/provider/a.ts", 'Upload it first: files: [new datachain.JobFile("script")]', 1],
	["src/provider/a.ts", 'Add source: "./prepare.py".', 1],
	["src/provider/a.ts", "Set adopt: true to manage it.", 1],
	["src/functions/a.ts", 'Write getPipeline({ name: "…" }).', 1],
	["src/provider/a.ts", "Set adopt to true to manage it.", 0],
	["src/provider/a.ts", 'The service says: "…"', 0],
	["src/resources/a.ts", "Set adopt: true instead.", 0],
])("in %s, %j has %i piece of syntax that only one language has", (file, text, count) => {
	expect(syntaxIn({ file, sink: "error", text })).toHaveLength(count);
});
