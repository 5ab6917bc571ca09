import { describe, expect, it } from "vitest";
import { UsageTree } from "../../../bench/speed/measure/usage";

const seen = (...processes: [pid: number, parent: number, ownMs: number, reapedMs: number][]): UsageTree => {
	const tree = new UsageTree(1);
	for (const [pid, parent, ownMs, reapedMs] of processes) tree.see({ pid, parent, ownMs, reapedMs });
	return tree;
};

describe("the time of a process tree", () => {
	it("is that of all its processes, each once", () => {
		expect(seen([1, 0, 100, 0], [2, 1, 20, 0], [3, 2, 3, 0]).totalMs()).toBe(123);
	});

	it("counts a child that was waited for once, with what it did after the last look", () => {
		expect(seen([1, 0, 100, 25], [2, 1, 20, 0]).totalMs()).toBe(125);
	});

	it("counts children too short to be seen", () => {
		expect(seen([1, 0, 100, 70]).totalMs()).toBe(170);
	});

	it("counts a killed child as of the last look", () => {
		expect(seen([1, 0, 100, 5], [2, 1, 60, 0]).totalMs()).toBe(160);
	});

	it("keeps an orphan where it came from", () => {
		expect(seen([1, 0, 100, 0], [2, 1, 20, 0], [2, 0, 30, 0]).totalMs()).toBe(130);
	});
});
