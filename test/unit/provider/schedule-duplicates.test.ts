import { describe, expect, it } from "vitest";
import { DuplicateWatch } from "../../../src/provider/kinds/schedule/duplicates";
import { Owners } from "../../../src/provider/run/owners";

const item = (id: number, schedule_name = "a", username?: string) => ({
	id,
	schedule_name,
	...(username !== undefined && { created_by: { username } }),
});

function watching() {
	const owners = new Owners();
	const duplicates = new DuplicateWatch(owners);
	duplicates.add({ team: "ml", name: "a", id: 1, at: 100 });
	const look = (items: ReturnType<typeof item>[], askedAt = 200, team = "ml") =>
		duplicates.look({ team, askedAt, items });
	return { owners, duplicates, look };
}

describe("the watch for schedules that were made twice", () => {
	it("names both ids, the creator and what to do, and goes on saying so", () => {
		const { duplicates, look } = watching();
		look([item(1), item(2, "a", "ada"), item(3)]);
		look([item(1), item(2, "a", "ada"), item(3)]);
		expect(duplicates.problem()).toBe(
			'Created twice: schedule "a" in team "ml" (id 1 by this deployment, id 2 by ada); schedule "a" in team "ml" (id 1 by this ' +
				"deployment, id 3 by an unknown user). Another user or deployment created a schedule of the same name at the same time, and each of them runs the pipeline. Delete one of the two in the " +
				'web UI, then run "pulumi up" again.',
		);
		expect(duplicates.problem()).toBe(duplicates.problem());
	});

	it.each<[string, (owners: Owners) => unknown]>([
		[
			"another resource of this deployment created or adopted",
			(owners) => owners.take("urn B", ref),
		],
		[
			"another resource of this deployment has from the state",
			(owners) => owners.keep({ urn: "urn B", stateUrn: undefined }, ref),
		],
	])("does not take for a duplicate what %s", (_, has) => {
		const { owners, duplicates, look } = watching();
		has(owners);
		look([item(1), item(2)]);
		expect(duplicates.problem()).toBeUndefined();
	});

	it("does not take for a duplicate what this deployment has deleted and a list still shows", () => {
		const { owners, duplicates, look } = watching();
		owners.keep({ urn: "urn B", stateUrn: undefined }, ref);
		owners.release(ref);
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
		expect([duplicates.madeAs("ml", "b"), duplicates.madeAs("other", "a")]).toEqual([
			undefined,
			undefined,
		]);
	});

	it("is due for the last of the creates under way, and at most once a second", () => {
		const { duplicates } = watching();
		duplicates.begin("ml", "urn A");
		duplicates.begin("ml", "urn B");
		duplicates.begin("other", "urn C");
		duplicates.end("ml", "urn A");
		expect(duplicates.isDue("ml", 100)).toBe(false);
		duplicates.end("ml", "urn B");
		expect(duplicates.isDue("ml", 100)).toBe(true);
		duplicates.asked("ml", 100);
		expect([duplicates.isDue("ml", 1_099), duplicates.isDue("ml", 1_100)]).toEqual([
			false,
			true,
		]);
	});

	it("is due while creates are under way when no list was asked for in four seconds", () => {
		const { duplicates } = watching();
		duplicates.begin("ml", "urn B");
		expect([duplicates.isDue("ml", 4_099), duplicates.isDue("ml", 4_100)]).toEqual([
			false,
			true,
		]);
		duplicates.asked("ml", 4_100);
		duplicates.asked("other", 5_000);
		expect([duplicates.isDue("ml", 8_099), duplicates.isDue("ml", 8_100)]).toEqual([
			false,
			true,
		]);
	});

	it("is due again when the list failed", () => {
		const { duplicates } = watching();
		const request = duplicates.asked("ml", 200);
		expect(duplicates.isDue("ml", 300)).toBe(false);
		request.failed();
		expect(duplicates.isDue("ml", 300)).toBe(true);
	});
});

const ref = { kind: "PipelineSchedule", team: "ml", id: "2" } as const;
