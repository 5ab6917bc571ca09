import { expect, it } from "vitest";
import type { Call } from "../../../src/provider/context";
import { orAgain, parseUrn, resourceName } from "../../../src/provider/messages";

const program = { stack: "org/dev", project: "shop" };

it.each([
	["urn:pulumi:org/dev::shop::a:b:C::it", { program, parents: [], type: "a:b:C", name: "it" }, '"it"'],
	[
		"urn:pulumi:org/dev::shop::my:Site$my:Part$a:b:C::it::b\nc",
		{ program, parents: ["my:Site", "my:Part"], type: "a:b:C", name: "it::b\nc" },
		'"it::b\nc" (in my:Site > my:Part)',
	],
	[
		"my:Site$a:b:C::it",
		{ program: undefined, parents: ["my:Site"], type: "a:b:C", name: "it" },
		'"it" (in my:Site)',
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
