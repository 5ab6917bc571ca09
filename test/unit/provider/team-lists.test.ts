import { describe, expect, it } from "vitest";
import { Claims } from "../../../src/provider/claims";
import { DuplicateWatch } from "../../../src/provider/team-lists";

const item = (id: number, schedule_name = "a", username?: string) => ({
	id,
	schedule_name,
	...(username !== undefined && { created_by: { username } }),
});

function watching() {
	const claims = new Claims();
	const duplicates = new DuplicateWatch(claims);
	duplicates.add({ team: "ml", name: "a", id: 1, at: 100 });
	const look = (items: ReturnType<typeof item>[], askedAt = 200, team = "ml") =>
		duplicates.look({ team, askedAt, items });
	return { claims, duplicates, look };
}

describe("the watch for schedules that were made twice", () => {
	it("names both ids, the creator and what to do, and goes on saying so", () => {
		const { duplicates, look } = watching();
		look([item(1), item(2, "a", "ada"), item(3)]);
		look([item(1), item(2, "a", "ada"), item(3)]);
		expect(duplicates.problem()).toBe(
			'Created twice: schedule "a" in team "ml" (id 1 by this deployment, id 2 by ada); schedule "a" in team "ml" (id 1 by this ' +
				"deployment, id 3 by an unknown user). Another user or deployment created a schedule of the same name at the same time, and each of them runs the pipeline. Delete the one that is not wanted in the " +
				'web UI, then run "pulumi up" again.',
		);
		expect(duplicates.problem()).toBe(duplicates.problem());
	});

	it.each<[string, (claims: Claims) => unknown]>([
		["another resource of this run holds", (claims) => void claims.take("urn B", ref)],
		["this run is deleting", (claims) => claims.release("urn B", ref)],
		["this run has deleted", (claims) => claims.end(ref, async () => {})],
		["a refresh found in the stack's own state", (claims) => claims.readFor("urn B", ref, true)],
	])("does not take for a duplicate what %s", async (_, known) => {
		const { claims, duplicates, look } = watching();
		await known(claims);
		look([item(1), item(2)]);
		expect(duplicates.problem()).toBeUndefined();
	});

	it("says once that a list lacks what was made before it was asked for", () => {
		const { duplicates, look } = watching();
		look([], 99);
		expect(duplicates.takeAbsent()).toEqual([]);
		look([], 100);
		look([]);
		expect(duplicates.takeAbsent()).toEqual(['"a" (id 1)']);
		expect(duplicates.takeAbsent()).toEqual([]);
	});

	it("looks at its own team only, and no longer at what was renamed or deleted", () => {
		const { duplicates, look } = watching();
		look([item(2)], 200, "other");
		duplicates.forget(1);
		look([item(1), item(2)]);
		expect(duplicates.problem()).toBeUndefined();
		expect(duplicates.madeAs("ml", "a")).toBeUndefined();
	});

	it("knows what this run made under a name", () => {
		const { duplicates } = watching();
		expect(duplicates.madeAs("ml", "A")?.id).toBe(1);
		expect([duplicates.madeAs("ml", "b"), duplicates.madeAs("other", "a")]).toEqual([undefined, undefined]);
	});

	it("is due when no list was looked through for four seconds", () => {
		const { duplicates, look } = watching();
		expect(duplicates.isDue(0)).toBe(true);
		look([item(1)], 1_000);
		look([item(1)], 500);
		expect([duplicates.isDue(4_999), duplicates.isDue(5_000)]).toEqual([false, true]);
	});
});

const ref = { kind: "PipelineSchedule", team: "ml", id: "2" } as const;
