import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { renderReport } from "../../../bench/speed/report";
import { readSamples, thisMachine, writeResults } from "../../../bench/speed/results";
import { tempFolder } from "../../../tools/process/temp-folder";
import { sample } from "./sample";

const samples = [
	sample({ variant: "floor", step: "refresh", wallMs: 2_000 }),
	sample({ step: "refresh", wallMs: 2_200, repetition: 1, requests: 4 }),
	sample({ step: "refresh", wallMs: 2_600, repetition: 2, requests: 4 }),
];

describe("the report of the speed bench", () => {
	it("has the median with its range, and the ratio to the floor", () => {
		const [line] = renderReport(samples)
			.split("\n")
			.filter((text) => /refresh +\| ours/.test(text));
		expect(line?.split("|").map((cell) => cell.trim())).toEqual([
			"",
			"1000",
			"0 ms",
			"refresh",
			"ours",
			"2.40 (2.20–2.60)",
			"1.20",
			"–",
			"4",
			"0",
			"–",
			"–",
			"",
		]);
	});

	it("says which targets were missed", () => {
		const report = renderReport(samples);
		expect(report).toMatch(
			/refresh of 1,000: time of the native floor +\| +1\.20 × \| at most 1\.15 × \| MISSED/,
		);
		expect(report).toMatch(/refresh of 1,000: requests +\| +4 \| at most 3 +\| MISSED/);
	});

	it("is the same from the written results", () => {
		const folder = tempFolder("bench-results-");
		onTestFinished(folder.remove);
		const file = join(folder.path, "results.json");
		writeResults(file, { machine: thisMachine("3.0.0"), program: "ts", samples });
		expect(renderReport(readSamples(file))).toBe(renderReport(samples));
	});
});
