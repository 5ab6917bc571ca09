import { expect, it } from "vitest";
import { parseUrn, resourceName } from "../../../src/provider/messages";

it.each([
	[
		"urn:pulumi:dev::shop::datachain:index:PipelineSchedule::nightly",
		{
			program: { stack: "dev", project: "shop" },
			parents: [],
			type: "datachain:index:PipelineSchedule",
			name: "nightly",
		},
		'"nightly"',
	],
	[
		"urn:pulumi:org/dev::shop::my:Site$my:Part$datachain:index:Job::a::b\nc",
		{
			program: { stack: "org/dev", project: "shop" },
			parents: ["my:Site", "my:Part"],
			type: "datachain:index:Job",
			name: "a::b\nc",
		},
		'"a::b\nc" (in my:Site > my:Part)',
	],
	[
		"my:Site$datachain:index:Job::a::b\nc",
		{ program: undefined, parents: ["my:Site"], type: "datachain:index:Job", name: "a::b\nc" },
		'"a::b\nc" (in my:Site)',
	],
	["", undefined, "a resource without a name"],
	["unnamed 7", undefined, "a resource without a name"],
])("%j is read, and named in messages", (urn, parts, name) => {
	expect(parseUrn(urn)).toEqual(parts);
	expect(resourceName(urn)).toBe(name);
});
