import { expect, test } from "vitest";
import { Random } from "../../../bench/faults/random";
import { drawPlan } from "../../../bench/faults/rows/faults/plan";
import { firstBroken } from "../../../bench/faults/rows/model";

test("faults that are aimed at a replacement strike the requests of which it consists", () => {
	const aimed = Array.from({ length: 200 }, (_, lane) => {
		const name = `lane-${lane}`;
		const steps = drawPlan(new Random(name), { name, steps: 6, slots: 1 }, "quick", "http://nowhere");
		return steps.flatMap(({ declared, faults }, at) => {
			const before = steps[at - 1]?.declared;
			if (!before || !declared || before.pipelineName === declared.pipelineName) return [];
			return faults.flatMap(({ rule }) => rule?.endpoint ?? []);
		});
	}).flat();
	expect(new Set(aimed)).toEqual(new Set(["deleteSchedule", "createSchedule", "*"]));
});

test("sequences of the model that hang are no success", async () => {
	const hangs = () => new Promise<void>(() => {});
	expect(await firstBroken(hangs, 1, 100)).toMatch(/^seed 1: only \d of 50 ended in time$/);
});
