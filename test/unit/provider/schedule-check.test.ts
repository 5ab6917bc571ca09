import { describe, expect, it } from "vitest";
import { madePausedNotice } from "../../../src/provider/kinds/schedule/check";
import { type Props, UNKNOWN } from "../../../src/provider/model/props";
import type { Call } from "../../../src/provider/run/context";
import { DeclaredResources } from "../../../src/provider/run/deployed";
import { dynamicType, type Kind } from "../../../src/schemas/kinds";

function told(inputs: Props, made: Record<string, Props>, preview = true): string[] {
	const notices: string[] = [];
	const urn = (kind: Kind, name: string) =>
		`urn:pulumi:dev::p::${dynamicType(kind)}::${name}`;
	const declared = new DeclaredResources();
	declared.note(urn("PipelineSchedule", "nightly"), {});
	declared.note("unnamed 7", {});
	for (const [name, props] of Object.entries(made))
		declared.note(urn("Pipeline", name), props);
	const call = {
		preview,
		urn: urn("PipelineSchedule", "nightly"),
		declared,
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
		[
			"is resumed",
			{ ...unknown, paused: false },
			{ images: { start: false } },
			says('"images"', resumed),
		],
		[
			"is one of several",
			unknown,
			{ a: {}, b: {}, c: { start: true } },
			says("one that this program creates", never),
		],
		[
			"is created paused, as no other is",
			unknown,
			{ a: {}, c: { start: true } },
			says('"a"', never),
		],
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
