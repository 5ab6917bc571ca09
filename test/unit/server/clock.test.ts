import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { manualClock, systemClock } from "../../../src/server";

describe("a manual clock", () => {
	it("stands still until it is moved, and runs what falls due in order, at its own time", () => {
		const clock = manualClock("2026-01-01T00:00:00Z");
		const start = clock.now();
		const seen: [string, number][] = [];
		clock.at(start + 300, () => seen.push(["late", clock.now() - start]));
		clock.at(start + 100, () => {
			seen.push(["early", clock.now() - start]);
			clock.at(start + 200, () => seen.push(["added", clock.now() - start]));
		});
		const cancel = clock.at(start + 150, () => seen.push(["cancelled", 0]));
		cancel();
		clock.advance(250);
		expect(seen).toEqual([
			["early", 100],
			["added", 200],
		]);
		expect(clock.now() - start).toBe(250);
		clock.set("2026-01-01T00:00:01Z");
		expect(seen.at(-1)).toEqual(["late", 300]);
	});

	it("runs what is overdue at the next move, with the time as it is", () => {
		const clock = manualClock();
		let at = 0;
		clock.at(clock.now() - 5_000, () => {
			at = clock.now();
		});
		clock.advance(0);
		expect(at).toBe(clock.now());
	});

	it("goes back without running anything", () => {
		const clock = manualClock("2026-01-02T00:00:00Z");
		let ran = false;
		clock.at(clock.now() + 1, () => {
			ran = true;
		});
		clock.set("2026-01-01T00:00:00Z");
		expect(ran).toBe(false);
		expect(new Date(clock.now()).toISOString()).toBe("2026-01-01T00:00:00.000Z");
	});

	it("refuses moves that are none", () => {
		expect(() => manualClock("soon")).toThrow(RangeError);
		expect(() => manualClock().advance(-1)).toThrow(RangeError);
		expect(() => manualClock().advance(Number.NaN)).toThrow(RangeError);
	});

	it("runs timers by time, and in the order in which they were set where times are equal", () => {
		fc.assert(
			fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.boolean())), (timers) => {
				const clock = manualClock();
				const start = clock.now();
				const out: [number, number][] = [];
				timers.forEach(([time, cancelled], order) => {
					const cancel = clock.at(start + time, () => out.push([time, order]));
					if (cancelled) cancel();
				});
				clock.advance(20);
				const expected = timers
					.map(([time, cancelled], order) => ({ time, order, cancelled }))
					.filter((timer) => !timer.cancelled)
					.sort((a, b) => a.time - b.time || a.order - b.order)
					.map(({ time, order }): [number, number] => [time, order]);
				expect(out).toEqual(expected);
			}),
		);
	});
});

describe("the system clock", () => {
	it("fires at its time, in order, and cannot be moved", async () => {
		const clock = systemClock();
		const seen: string[] = [];
		const now = Date.now();
		await new Promise<void>((resolve) => {
			clock.at(now + 60, () => {
				seen.push("second");
				resolve();
			});
			clock.at(now + 20, () => seen.push("first"));
			clock.at(now + 30, () => seen.push("never"))();
			clock.at(now + 40 * 24 * 3_600_000, () => seen.push("far"));
			// Its own timers do not keep a process alive, so the test waits with one that does.
			setTimeout(() => {}, 500);
		});
		expect(seen).toEqual(["first", "second"]);
		expect(() => clock.advance(1)).toThrow(/cannot be moved/);
	});
});
