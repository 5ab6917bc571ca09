import { describe, expect, it } from "vitest";
import { type Props, UNKNOWN } from "../../../src/provider/model/props";
import { DeclaredResources } from "../../../src/provider/run/deployed";
import { pauseContradiction } from "../../../src/provider/run/pauses";

describe("who declares whether a pipeline is paused", () => {
	const says = (paused: unknown, pipelineName = "p1", teamName = "ml") => ({
		teamName,
		pipelineName,
		paused,
	});
	const contradicts = (program: Record<string, Props>, urn = "A"): boolean => {
		const declared = new DeclaredResources();
		for (const [name, inputs] of Object.entries(program)) declared.note(name, inputs);
		return pauseContradiction({ urn, declared }, program[urn] ?? {}).length > 0;
	};

	it.each<[string, Record<string, Props>, boolean]>([
		["alone", { A: says(true) }, false],
		["as another resource does", { A: says(true), B: says(true) }, false],
		["against another resource", { A: says(true), B: says(false) }, true],
		["of another pipeline", { A: says(true), B: says(false, "p2") }, false],
		[
			"of a pipeline that is not known yet",
			{ A: says(true, UNKNOWN), B: says(false, UNKNOWN) },
			false,
		],
		["in another team", { A: says(true), B: says(false, "p1", "other") }, false],
		["beside one that declares nothing", { A: says(true), B: says(undefined) }, false],
		["not at all", { A: says(undefined), B: says(true) }, false],
		["with a value that is not known yet", { A: says(true), B: says(UNKNOWN) }, false],
	])("contradicts another one: %s", (_, program, expected) => {
		expect(contradicts(program)).toBe(expected);
	});
});
