import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/provider/context";
import { type Props, UNKNOWN } from "../../../src/provider/handler";
import { isPauseDeclared, pauseContradiction } from "../../../src/provider/pauses";
import { madePausedNotice } from "../../../src/provider/schedule-check";
import { dynamicType, type Kind, pluginType } from "../../../src/schemas/kinds";

function told(
	inputs: Props,
	made: Record<string, Props>,
	{ preview = true, typeOf = dynamicType } = {},
): string[] {
	const notices: string[] = [];
	const urn = (kind: Kind, name: string) => `urn:pulumi:dev::p::${typeOf(kind)}::${name}`;
	const call = {
		preview,
		urn: urn("PipelineSchedule", "nightly"),
		declared: new Map([
			[urn("PipelineSchedule", "nightly"), {}],
			["unnamed 7", {}],
			...Object.entries(made).map(([name, props]) => [urn("Pipeline", name), props] as const),
		]),
		notice: (text: string) => notices.push(text),
	};
	madePausedNotice(call as unknown as Call, inputs);
	return notices;
}

describe("a schedule of a pipeline that is not known yet", () => {
	const never =
		"it is created paused, and the schedule never runs it. Set paused to false on the schedule to resume it, or start to true on the " +
		"pipeline.";
	const resumed =
		"it is created paused and then resumed, and its jobs run: the schedule sets paused to false.";
	const says = (which: string, then: string) => [
		`Schedule "nightly": its pipeline is not known yet. If it is ${which}, ${then}`,
	];
	const unknown = { pipelineName: UNKNOWN };

	it.each([
		["the dynamic host", dynamicType],
		["the plugin", pluginType],
	])("has a notice about one that is created paused, with %s", (_, typeOf) => {
		expect(told(unknown, { images: {} }, { typeOf })).toEqual(says('"images"', never));
	});

	it.each<[string, Props, Record<string, Props>, string[]]>([
		["is resumed", { ...unknown, paused: false }, { images: { start: false } }, says('"images"', resumed)],
		[
			"is one of several",
			unknown,
			{ a: {}, b: {}, c: { start: true } },
			says("one that this program creates", never),
		],
		["is the only one that is made paused", unknown, { a: {}, c: { start: true } }, says('"a"', never)],
		["is meant to be paused", { ...unknown, paused: true }, { images: {} }, []],
		["is started", unknown, { images: { start: true } }, []],
		["is none that this program makes", unknown, {}, []],
	])("that %s", (_, inputs, made, notices) => {
		expect(told(inputs, made)).toEqual(notices);
	});

	it("has no notice where its pipeline is known, or where it is deployed", () => {
		expect(told({ pipelineName: "p1" }, { images: {} })).toEqual([]);
		expect(told(unknown, { images: {} }, { preview: false })).toEqual([]);
	});
});

describe("who declares whether a pipeline is paused", () => {
	const says = (paused: unknown, pipelineName = "p1", teamName = "ml") => ({
		teamName,
		pipelineName,
		paused,
	});
	const contradicts = (program: Record<string, Props>, urn = "A"): boolean => {
		const call = { urn, declared: new Map(Object.entries(program)) };
		return pauseContradiction(call, program[urn] ?? {}).length > 0;
	};

	it.each<[string, Record<string, Props>, boolean]>([
		["alone", { A: says(true) }, false],
		["as another resource does", { A: says(true), B: says(true) }, false],
		["against another resource", { A: says(true), B: says(false) }, true],
		["of another pipeline", { A: says(true), B: says(false, "p2") }, false],
		["in another team", { A: says(true), B: says(false, "p1", "other") }, false],
		["beside one that declares nothing", { A: says(true), B: says(undefined) }, false],
		["not at all", { A: says(undefined), B: says(true) }, false],
		["with a value that is not known yet", { A: says(true), B: says(UNKNOWN) }, false],
	])("contradicts another one: %s", (_, program, expected) => {
		expect(contradicts(program)).toBe(expected);
	});

	it("is asked for by pipeline", () => {
		const call = { declared: new Map<string, Props>([["A", says(false)]]) };
		expect(["p1", "p2"].map((pipeline) => isPauseDeclared(call, "ml", pipeline))).toEqual([true, false]);
		expect(isPauseDeclared(call, "other", "p1")).toBe(false);
		call.declared.set("A", says(undefined));
		expect(isPauseDeclared(call, "ml", "p1")).toBe(false);
	});
});
