import { expect, test } from "vitest";
import { firstBroken } from "../../../bench/faults/rows/model";

test("sequences of the model that hang are no success", async () => {
	const hangs = () => new Promise<void>(() => {});
	expect(await firstBroken(hangs, 1, 100)).toMatch(/^seed 1: only \d of 50 ended in time$/);
});
