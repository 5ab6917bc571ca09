import { describe, expect, test } from "vitest";
import { readJobLogs } from "../../../src/api/logs/job-logs";

describe("the log reply, whose form is not documented", () => {
	test.each<[string, unknown, string, unknown]>([
		[
			"lines with ids",
			{
				logs: [
					{ id: 1, message: "a\n" },
					{ id: 2, message: "b\n" },
				],
			},
			"a\nb\n",
			[
				{ id: 1, message: "a\n" },
				{ id: 2, message: "b\n" },
			],
		],
		[
			"a bare array",
			[{ id: 1, message: "a" }, { message: "b" }],
			"a\nb",
			[{ id: 1, message: "a" }, { message: "b" }],
		],
		["an array of texts", ["a\n", "b"], "a\nb", [{ message: "a\n" }, { message: "b" }]],
		["a text", "a\n\nb", "a\n\nb", [{ message: "a\n" }, { message: "\n" }, { message: "b" }]],
		["a text under logs", { logs: "x" }, "x", [{ message: "x" }]],
		["null ids", { logs: [{ id: null, message: "a" }] }, "a", [{ message: "a" }]],
		["nothing", { logs: [] }, "", []],
		["an empty text", "", "", []],
		["something else", { other: 1 }, "", []],
		["null", null, "", []],
		["a number", 7, "", []],
		["a line of another form", [{ id: 1, message: "a" }, { text: "b" }], "", []],
		["an id that is no whole number", [{ id: 1.5, message: "a" }], "", []],
		["the id 0", [{ id: 0, message: "a" }], "a", [{ id: 0, message: "a" }]],
		[
			"lines that end and lines that do not",
			["a", "b\n", "c"],
			"a\nb\nc",
			[{ message: "a" }, { message: "b\n" }, { message: "c" }],
		],
	])("%s", (_, reply, text, lines) => {
		expect(readJobLogs(reply)).toEqual({ text, lines });
	});
});
