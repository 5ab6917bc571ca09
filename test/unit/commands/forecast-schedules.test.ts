import { expect, it } from "vitest";
import {
	schedulesByUrn,
	schedulesOfPreview,
	unknownKindNotes,
} from "../../../src/commands/forecast-schedules";
import { readState } from "../../../src/commands/stack-state";
import { dynamicType, KINDS, kindEntry, pluginType } from "../../../src/schemas/kinds";

const state = (...types: string[]) => {
	const resources = types.map((type, index) => ({
		urn: `urn:pulumi:dev::p::${type}::r${index}`,
		type,
		id: "1",
	}));
	return readState(JSON.stringify({ deployment: { resources } }));
};

it.each(Object.keys(KINDS))("a %s is in the forecast if its kind says that it is a schedule", (kind) => {
	const expected = kindEntry(kind)?.listedIn === "schedules" ? 1 : 0;
	for (const type of [dynamicType(kind), pluginType(kind)]) {
		expect(schedulesByUrn(state(type), "t").size).toBe(expected);
		const steps = [{ op: "create", urn: "urn", newState: { type, inputs: {} } }];
		expect(schedulesOfPreview(JSON.stringify({ steps }), new Map(), "t").size).toBe(expected);
	}
	expect(unknownKindNotes(state(dynamicType(kind)))).toEqual([]);
});

it("says which resources it cannot know, because a newer version deployed them", () => {
	const newer = state(...["Alert", "Alert", "Job"].map(dynamicType));
	expect(unknownKindNotes(newer)).toEqual([
		"2 Alert resources left out: this version of pulumi-datachain does not know the kind. Install the version that deployed it.",
	]);
});
