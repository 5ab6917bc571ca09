import { describe, expect, it } from "vitest";
import { floorOf, median, summarize } from "../../../bench/speed/statistics";
import { sample } from "./sample";

describe("median", () => {
	it("is the middle one, whatever the order", () => {
		expect(median([9, 1, 5])).toBe(5);
		expect(median([7])).toBe(7);
	});

	it("is halfway between the two in the middle where their number is even", () => {
		expect(median([1, 10, 2, 4])).toBe(3);
	});

	it("of nothing is refused", () => {
		expect(() => median([])).toThrow(/no median/);
	});
});

describe("the rows of a run", () => {
	it("put repetitions together, and nothing else", () => {
		const rows = summarize([
			sample({ wallMs: 10, repetition: 1 }),
			sample({ wallMs: 30, repetition: 2 }),
			sample({ wallMs: 20, repetition: 3 }),
			sample({ wallMs: 1, variant: "floor" }),
			sample({ wallMs: 2, delayMs: 20 }),
			sample({ wallMs: 3, n: 100 }),
			sample({ wallMs: 4, step: "destroy" }),
			sample({ wallMs: 5, checkpoints: false }),
		]);
		expect(rows.map(({ wallMs }) => wallMs.median)).toEqual([20, 1, 2, 3, 4, 5]);
		expect(rows[0]).toMatchObject({ repetitions: 3, wallMs: { min: 10, max: 30 } });
	});

	it("keep the worst repetition of what has a limit", () => {
		const [row] = summarize([
			sample({ requests: 2, maxInFlight: 3, memoryBytes: 100 }),
			sample({ requests: 7, maxInFlight: 1, memoryBytes: 300 }),
			sample({ requests: 2, maxInFlight: 1, memoryBytes: 200 }),
		]);
		expect(row).toMatchObject({ requests: 7, maxInFlight: 3, memoryBytes: 300 });
	});

	it("leave empty what no repetition has", () => {
		const [row] = summarize([sample({ cpuMs: undefined, stateBytes: undefined })]);
		expect([row?.cpuMs, row?.stateBytes]).toEqual([undefined, undefined]);
	});

	it("find their floor at any delay, but not across sizes or settings", () => {
		const rows = summarize([
			sample({ variant: "floor" }),
			sample({ delayMs: 20 }),
			sample({ n: 100 }),
			sample({ checkpoints: false }),
		]);
		expect(rows.slice(1).map((row) => floorOf(rows, row)?.variant)).toEqual(["floor", undefined, undefined]);
	});
});
