import { describe, expect, test } from "vitest";
import { Delivered, newLines, storedLogUrl } from "../../../src/api/logs/stored-log";

/** The lines that a reader who has these live ones already gets from a stored log, which comes in these parts. */
async function linesAfter(live: readonly string[], parts: readonly (string | Buffer)[]) {
	const delivered = new Delivered();
	for (const [id, message] of live.entries()) delivered.takeLine(id, message);
	let opened = 0;
	async function* open() {
		opened += 1;
		for (const part of parts) yield Buffer.from(part);
	}
	const lines: string[] = [];
	for await (const line of newLines(open, delivered)) lines.push(line);
	return { lines, opened };
}

describe("a stored log gives what the live lines did not", () => {
	test.each<[string, string[], string[], string[], number]>([
		["all of it, where none came", [], ["a\nb\n"], ["a\n", "b\n"], 1],
		["the rest, cut where a part ends", ["a\n"], ["a\n", "b\nc"], ["b\n", "c"], 1],
		["the rest, cut within a part", ["a\n", "b\n"], ["a\nb\nc\nd\n"], ["c\n", "d\n"], 1],
		["the rest, cut within a line", ["a"], ["ab\nc\n"], ["b\n", "c\n"], 1],
		["a line over several parts", ["a\n"], ["a", "\nb", "b", "b\nc"], ["bbb\n", "c"], 1],
		["nothing, where it is the same", ["a\n", "b\n"], ["a\n", "b\n"], [], 1],
		["nothing, where it is older", ["a\n", "b\n"], ["a\n"], [], 1],
		["nothing, where it is empty", ["a\n"], [], [], 1],
		["all of it, where it begins otherwise", ["a\n"], ["x\n", "a\n", "b\n"], ["x\n", "a\n", "b\n"], 2],
	])("%s", async (_, live, parts, lines, opened) => {
		expect(await linesAfter(live, parts)).toEqual({ lines, opened });
	});

	test("and remembers it: a second one is read from there on", async () => {
		const delivered = new Delivered();
		const read = async (text: string) => {
			const lines: string[] = [];
			async function* open() {
				yield Buffer.from(text);
			}
			for await (const line of newLines(open, delivered)) lines.push(line);
			return lines;
		};
		expect(await read("a\nb\n")).toEqual(["a\n", "b\n"]);
		expect(await read("a\nb\nc\n")).toEqual(["c\n"]);
		expect(delivered.bytes).toBe(6);
	});
});

describe("a stored log without line breaks comes in pieces of a mebibyte", () => {
	const MEBIBYTE = 2 ** 20;
	const sizes = (lines: readonly string[]) => lines.map((line) => Buffer.byteLength(line));

	test("and a line of that length in one", async () => {
		const { lines } = await linesAfter([], ["x".repeat(MEBIBYTE), "\n", "y".repeat(MEBIBYTE)]);
		expect(sizes(lines)).toEqual([MEBIBYTE + 1, MEBIBYTE]);
	});

	test("at the end of a part, however much that brings", async () => {
		const { lines } = await linesAfter([], ["x".repeat(2 * MEBIBYTE + 5), "yz\n"]);
		expect(sizes(lines)).toEqual([MEBIBYTE, MEBIBYTE, 8]);
	});

	test.each(["ü", "€", "🙂"])("and never cuts a %s", async (character) => {
		for (let before = 1; before <= Buffer.byteLength(character); before += 1) {
			const text = `${"x".repeat(MEBIBYTE - before)}${character}end`;
			const { lines } = await linesAfter([], [text]);
			expect(lines.join("")).toBe(text);
			expect(lines[0]?.length).toBe(
				before === Buffer.byteLength(character) ? MEBIBYTE - before + character.length : MEBIBYTE - before,
			);
		}
	});

	test("and bytes that are no text are not waited for", async () => {
		const { lines } = await linesAfter([], [Buffer.alloc(MEBIBYTE + 10, 0x80)]);
		expect(lines).toHaveLength(2);
	});
});

describe("a stored log is fetched from", () => {
	test.each([
		["https://logs.example.com/a?sig=1", true],
		["http://127.0.0.1:8080/a", true],
		["http://localhost/a", true],
		["http://[::1]/a", true],
		["http://logs.example.com/a", false],
		["ftp://127.0.0.1/a", false],
		["https://user@logs.example.com/a", false],
		["https://:word@logs.example.com/a", false],
		["/a", false],
		["", false],
	])("%j: %s", (text, may) => {
		expect(storedLogUrl(text)?.href).toBe(may ? text : undefined);
	});
});

test("a live line counts once, by its number, and numbers only rise", () => {
	const delivered = new Delivered();
	expect([0, 1, 1, 0, 5, 4, 6].map((id) => delivered.takeLine(id, "ü\n"))).toEqual([
		true,
		true,
		false,
		false,
		true,
		false,
		true,
	]);
	expect(delivered.bytes).toBe(4 * 3);
});
