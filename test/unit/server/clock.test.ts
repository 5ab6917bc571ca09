import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { manualClock, systemClock } from "../../../src/server";

describe("a manual clock", () => {
	it("runs what another timer sets, if that falls due in the same move", () => {
		const clock = manualClock("2026-01-01T00:00:00Z");
		const start = clock.now();
		const seen: [string, number][] = [];
		clock.at(start + 300, () => seen.push(["late", clock.now() - start]));
		clock.at(start + 100, () => {
			clock.at(start + 200, () => seen.push(["added", clock.now() - start]));
		});
		clock.advance(250);
		expect([seen, clock.now() - start]).toEqual([[["added", 200]], 250]);
		clock.set("2026-01-01T00:00:01Z");
		expect(seen.at(-1)).toEqual(["late", 300]);
	});

	it("refuses moves that are none", () => {
		expect(() => manualClock("soon")).toThrow(RangeError);
		expect(() => manualClock().advance(-1)).toThrow(RangeError);
		expect(() => manualClock().advance(Number.NaN)).toThrow(RangeError);
	});

	it("runs timers at their time, or at once if that has passed, and equal ones in the order they were set", () => {
		const times = fc.integer({ min: -5, max: 20 });
		fc.assert(
			fc.property(fc.array(fc.tuple(times, fc.boolean())), (timers) => {
				const clock = manualClock();
				const start = clock.now();
				const out: { order: number; time: number; at: number }[] = [];
				timers.forEach(([time, cancelled], order) => {
					const cancel = clock.at(start + time, () => out.push({ order, time, at: clock.now() - start }));
					if (cancelled) cancel();
				});
				clock.advance(20);
				const expected = timers
					.map(([time, cancelled], order) => ({ order, time, cancelled }))
					.filter((timer) => !timer.cancelled)
					.sort((a, b) => a.time - b.time || a.order - b.order)
					.map(({ order, time }) => ({ order, time, at: Math.max(0, time) }));
				expect(out).toEqual(expected);
			}),
		);
	});
});

it("the system clock cannot be moved", () => {
	expect(() => systemClock().advance(1)).toThrow(/cannot be moved/);
});
