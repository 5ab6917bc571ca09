import { expect, it } from "vitest";
import type { Call } from "../../../src/provider/context";
import { orAgain, parseUrn, resourceName } from "../../../src/provider/messages";

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

it("a command advises no deployment where the outcome is unknown", () => {
	const after = (urn: string) => orAgain({ urn } as Call, "it adopts the job");
	expect(after("a command")).toBe("If it is not there then, run the command again.");
	expect(after("t::it")).toBe(
		'Then run "pulumi up" with DATACHAIN_ADOPT_EQUAL=true, within the hour: it adopts the job.',
	);
});
