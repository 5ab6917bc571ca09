import { describe, expect, test } from "vitest";
import { linesFrom, readJobLogs, storedLogUrl } from "../../../src/client/log-stream";

test.each<[string, unknown, string, unknown]>([
	[
		"lines under logs, with ids and without",
		{ logs: [{ id: 0, message: "a\n" }, { message: "b" }, { id: null, message: "c" }] },
		"a\nb\nc",
		[{ id: 0, message: "a\n" }, { message: "b" }, { message: "c" }],
	],
	["a bare array", ["a\n", "b"], "a\nb", [{ message: "a\n" }, { message: "b" }]],
	[
		"a text",
		"a\n\nb",
		"a\n\nb",
		[{ message: "a\n" }, { message: "\n" }, { message: "b" }],
	],
	["an empty text", "", "", []],
	["null", null, "", []],
])("the log reply, whose form is not documented: %s", (_, reply, text, lines) => {
	expect(readJobLogs(reply)).toEqual({ text, lines, isReadable: true });
});

test.each<[string, unknown]>([
	["something else", { other: 1 }],
	["a line of another form", [{ id: 1, message: "a" }, { text: "b" }]],
	["an id that is no whole number", [{ id: 1.5, message: "a" }]],
])("a log reply that cannot be read is not taken for an empty log: %s", (_, reply) => {
	expect(readJobLogs(reply)).toEqual({ text: "", lines: [], isReadable: false });
});

/** The lines that a reader who has these live ones already gets from a stored log, which comes in these parts. */
async function linesAfter(
	live: readonly string[],
	parts: readonly (string | Buffer)[],
) {
	async function* stored() {
		for (const part of parts) yield Buffer.from(part);
	}
	const lines: string[] = [];
	for await (const line of linesFrom(Buffer.byteLength(live.join("")), stored()))
		lines.push(line);
	return lines;
}

test.each<[string, string[], string[], string[]]>([
	["all of it, where none came", [], ["a\nb\n"], ["a\n", "b\n"]],
	["the rest, cut where a part ends", ["a\n"], ["a\n", "b\nc"], ["b\n", "c"]],
	["the rest, cut within a line", ["a"], ["ab\nc\n"], ["b\n", "c\n"]],
	["a line over several parts", ["a\n"], ["a", "\nb", "b", "b\nc"], ["bbb\n", "c"]],
	["the rest after more than one byte a character", ["ü\n"], ["ü\n€", "\n"], ["€\n"]],
	[
		"the rest, cut within a part, and a longer part",
		["a\n"],
		["a\nb", "cdefgh\n"],
		["bcdefgh\n"],
	],
	["the rest, also a byte order mark", ["a\n"], ["a\n", "\ufeffb\n"], ["\ufeffb\n"]],
	["nothing, where it is the same", ["a\n", "b\n"], ["a\n", "b\n"], []],
	["nothing, where it is older", ["a\n", "b\n"], ["a\n"], []],
])(
	"a stored log gives only what did not come live: %s",
	async (_, live, parts, lines) => {
		expect(await linesAfter(live, parts)).toEqual(lines);
	},
);

describe("a stored log without line breaks comes in pieces of more than a mebibyte", () => {
	const MEBIBYTE = 2 ** 20;

	test.each([
		[
			"a line of just that length is one piece",
			["x".repeat(MEBIBYTE), "\n", "y"],
			[MEBIBYTE + 1, 1],
		],
		["a longer one is several", ["x".repeat(MEBIBYTE), "x", "yz\n"], [MEBIBYTE + 1, 3]],
	])("%s", async (_, parts, sizes) => {
		const lines = await linesAfter([], parts);
		expect(lines.map((line) => line.length)).toEqual(sizes);
	});

	test.each(["ü", "€", "🙂"])("and never cuts a %s", async (character) => {
		const bytes = Buffer.from(`${"x".repeat(MEBIBYTE + 1)}${character}end`);
		for (let at = MEBIBYTE + 2; at < bytes.length; at += 1) {
			const lines = await linesAfter([], [bytes.subarray(0, at), bytes.subarray(at)]);
			expect(lines.join("")).toBe(String(bytes));
			expect(lines).toHaveLength(2);
		}
	});
});

test.each([
	["https://logs.example.com/a?sig=1", true],
	["http://127.0.0.1:8080/a", true],
	["http://logs.example.com/a", false],
	["ftp://127.0.0.1/a", false],
	["https://user@logs.example.com/a", false],
	["https://:word@logs.example.com/a", false],
	["/a", false],
])("whether a stored log is fetched from %j: %s", (text, may) => {
	expect(storedLogUrl(text)?.href).toBe(may ? text : undefined);
});
