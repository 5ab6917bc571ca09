import { describe, expect, it } from "vitest";
import { Claims } from "../../../src/provider/claims";
import { DuplicateWatch } from "../../../src/provider/team-lists";

const item = (id: number, schedule_name = "a", username?: string) => ({
	id,
	schedule_name,
	...(username !== undefined && { created_by: { username } }),
});

function watching() {
	const ownership = new Claims();
	const twins = new DuplicateWatch(ownership);
	twins.add({ team: "ml", name: "a", id: 1, at: 100 });
	const look = (items: ReturnType<typeof item>[], askedAt = 200, team = "ml") =>
		twins.look({ team, askedAt, items });
	return { ownership, twins, look };
}

describe("the watch for schedules that were made twice", () => {
	it("finds none in a list that has only ours", () => {
		const { twins, look } = watching();
		look([item(1), item(2, "b")]);
		expect(twins.problem()).toBeUndefined();
		expect(twins.takeAbsent()).toEqual([]);
	});

	it("names both ids, the creator and what to do, and goes on saying so", () => {
		const { twins, look } = watching();
		look([item(1), item(2, "a", "ada")]);
		look([item(1), item(2, "a", "ada")]);
		expect(twins.problem()).toBe(
			'Created twice: schedule "a" in team "ml" (id 1 by this deployment, id 2 by ada). Another user or deployment created a ' +
				"schedule of the same name at the same time, and each of them runs the pipeline. Delete the one that is not wanted in the " +
				'web UI, then run "pulumi up" again.',
		);
		expect(twins.problem()).toBe(twins.problem());
	});

	it("names every pair once", () => {
		const { twins, look } = watching();
		look([item(1), item(2), item(3)]);
		look([item(1), item(3), item(2)]);
		expect(twins.problem()).toContain(
			'schedule "a" in team "ml" (id 1 by this deployment, id 2 by an unknown user); ' +
				'schedule "a" in team "ml" (id 1 by this deployment, id 3 by an unknown user).',
		);
	});

	it.each<[string, (ownership: Claims) => unknown]>([
		["another resource of this run holds", (ownership) => void ownership.take("urn B", ref)],
		["this run is deleting", (ownership) => ownership.release("urn B", ref)],
		["this run has deleted", (ownership) => ownership.end(ref, async () => {})],
	])("does not take for a twin what %s", async (_, known) => {
		const { ownership, twins, look } = watching();
		await known(ownership);
		look([item(1), item(2)]);
		expect(twins.problem()).toBeUndefined();
	});

	it("says once that a list lacks what was made before it was asked for", () => {
		const { twins, look } = watching();
		look([], 99);
		expect(twins.takeAbsent()).toEqual([]);
		look([]);
		look([]);
		expect(twins.takeAbsent()).toEqual(['"a" (id 1)']);
		expect(twins.takeAbsent()).toEqual([]);
	});

	it("looks through a list that was asked for at the very moment", () => {
		const { twins, look } = watching();
		look([item(2)], 100);
		expect(twins.problem()).toContain("id 2");
	});

	it("takes what a refresh found in the stack's own state for no twin", () => {
		const { ownership, twins, look } = watching();
		ownership.readFor("urn B", ref, true);
		look([item(1), item(2)]);
		expect(twins.problem()).toBeUndefined();
	});

	it("sees a twin in a list that lacks our own", () => {
		const { twins, look } = watching();
		look([item(2)]);
		expect(twins.problem()).toContain("id 2");
		expect(twins.takeAbsent()).toEqual(['"a" (id 1)']);
	});

	it("looks at its own team only, and no longer at what was renamed or deleted", () => {
		const { twins, look } = watching();
		look([item(2)], 200, "other");
		twins.forget(1);
		look([item(1), item(2)]);
		expect(twins.problem()).toBeUndefined();
		expect(twins.madeAs("ml", "a")).toBeUndefined();
	});

	it("knows what this run made under a name", () => {
		const { twins } = watching();
		expect([twins.madeAs("ml", "A")?.id, twins.madeAs("ml", "b"), twins.madeAs("other", "a")]).toEqual([
			1,
			undefined,
			undefined,
		]);
	});

	it("is due when no list was looked through for four seconds", () => {
		const { twins, look } = watching();
		expect(twins.isDue(0)).toBe(true);
		look([item(1)], 1_000);
		look([item(1)], 500);
		expect([twins.isDue(4_999), twins.isDue(5_000)]).toEqual([false, true]);
	});
});

const ref = { kind: "PipelineSchedule", team: "ml", id: "2" } as const;
