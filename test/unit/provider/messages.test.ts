import { expect, it } from "vitest";
import {
	agoText,
	ifForcedReplacement,
	ifInterrupted,
	ifLeftBehind,
	ifRenamedResource,
	parseUrn,
	resourceName,
} from "../../../src/provider/model/messages";

const program = { stack: "org/dev", project: "shop" };

it.each([
	[
		"urn:pulumi:org/dev::shop::a:b:C::it",
		{ program, parents: [], type: "a:b:C", name: "it" },
		'"it"',
	],
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

it.each([
	[0, "less than a minute ago"],
	[59_999, "less than a minute ago"],
	[60_000, "1 minute ago"],
	[119_999, "1 minute ago"],
	[120_000, "2 minutes ago"],
	[3_600_000, "1 hour ago"],
	[86_399_999, "23 hours ago"],
	[86_400_000, "1 day ago"],
	[172_800_000, "2 days ago"],
])("%i milliseconds are %s", (millis, text) => {
	expect(agoText(millis)).toBe(text);
});

it("the ways out of a refused name are given in the words of commands and options", () => {
	expect(ifInterrupted("it")).toBe(
		'If an interrupted deployment created it, run "DATACHAIN_ADOPT_EQUAL=true pulumi up" once. It adopts an equal object, or creates one if there is none.',
	);
	expect(ifLeftBehind).toBe(
		'If an interrupted deployment created it, run "DATACHAIN_ADOPT_EQUAL=true pulumi up" once. It adopts an equal object, or creates one if there is none.',
	);
	expect([ifRenamedResource, ifForcedReplacement]).toEqual([
		expect.stringContaining("aliases"),
		expect.stringContaining("deleteBeforeReplace"),
	]);
});
