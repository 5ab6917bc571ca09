import { expect, it } from "vitest";
import { parseUrn, resourceName } from "../../../src/provider/urn";

it.each([
	[
		"urn:pulumi:dev::shop::datachain:index:PipelineSchedule::nightly",
		{ stack: "dev", project: "shop", parents: [], type: "datachain:index:PipelineSchedule", name: "nightly" },
		'"nightly"',
	],
	[
		"urn:pulumi:org/dev::shop::my:Site$my:Part$datachain:index:Job::a::b\nc",
		{
			stack: "org/dev",
			project: "shop",
			parents: ["my:Site", "my:Part"],
			type: "datachain:index:Job",
			name: "a::b\nc",
		},
		'"a::b\nc" (in my:Site > my:Part)',
	],
	["", undefined, "a resource without a name"],
	["urn:pulumi:dev::shop::type", undefined, "a resource without a name"],
	["not urn:pulumi:dev::shop::type::name", undefined, "a resource without a name"],
])("%j is read, and named in messages", (urn, parts, name) => {
	expect(parseUrn(urn)).toEqual(parts);
	expect(resourceName(urn)).toBe(name);
});
