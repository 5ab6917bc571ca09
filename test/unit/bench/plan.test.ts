import { describe, expect, it } from "vitest";
import { parseArguments } from "../../../bench/speed/arguments";
import { plan } from "../../../bench/speed/rounds";

const rounds = (...argv: string[]): string[] =>
	plan(parseArguments(argv)).map(
		({ variant, n, delayMs, repetition }) => `${repetition} ${n} ${delayMs} ${variant}`,
	);

describe("the order of a run", () => {
	it("lets the variants take turns within each repetition", () => {
		expect(rounds("--reps", "2", "--variants", "ours,floor")).toEqual([
			"1 100 0 ours",
			"1 100 0 floor",
			"2 100 0 ours",
			"2 100 0 floor",
		]);
	});

	it("measures the floor once for all delays", () => {
		expect(rounds("--reps", "1", "--delay", "0,20", "--variants", "ours,floor")).toEqual([
			"1 100 0 ours",
			"1 100 0 floor",
			"1 100 20 ours",
		]);
	});

	it("leaves the naive form out beyond its limit", () => {
		const chosen = ["--reps", "1", "--n", "300,1000", "--variants", "naive"];
		expect(rounds(...chosen)).toEqual(["1 300 0 naive"]);
		expect(rounds(...chosen, "--naive-max", "1000")).toHaveLength(2);
	});
});

describe("the arguments of the bench", () => {
	it("have steps in the order in which they run, whatever the order given", () => {
		expect(parseArguments(["--steps", "destroy,up"]).steps).toEqual(["up", "destroy"]);
	});
});
