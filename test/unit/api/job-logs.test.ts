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
	])("%s", (_, reply, text, lines) => {
		expect(readJobLogs(reply)).toEqual({ text, lines });
	});
});
