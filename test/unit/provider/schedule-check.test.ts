import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/provider/context";
import { type Props, UNKNOWN } from "../../../src/provider/handler";
import { madePausedNotice } from "../../../src/provider/schedule-check";
import { dynamicType, type Kind } from "../../../src/schemas/kinds";

function told(inputs: Props, made: Record<string, Props>, preview = true): string[] {
	const notices: string[] = [];
	const urn = (kind: Kind, name: string) => `urn:pulumi:dev::p::${dynamicType(kind)}::${name}`;
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

	it.each<[string, Props, Record<string, Props>, string[]]>([
		["is resumed", { ...unknown, paused: false }, { images: { start: false } }, says('"images"', resumed)],
		[
			"is one of several",
			unknown,
			{ a: {}, b: {}, c: { start: true } },
			says("one that this program creates", never),
		],
		["is created paused, as no other is", unknown, { a: {}, c: { start: true } }, says('"a"', never)],
		["is meant to be paused", { ...unknown, paused: true }, { images: {} }, []],
		["is started", unknown, { images: { start: true } }, []],
		["is none that this program makes", unknown, {}, []],
	])("that %s", (_, inputs, made, notices) => {
		expect(told(inputs, made)).toEqual(notices);
	});

	it("has no notice where its pipeline is known, or where it is deployed", () => {
		expect(told({ pipelineName: "p1" }, { images: {} })).toEqual([]);
		expect(told(unknown, { images: {} }, false)).toEqual([]);
	});
});
