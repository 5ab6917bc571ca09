import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Clock } from "../../../src/api/clock";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Whether the work was done after that time has passed. */
async function doneAfter(millis: number, work: Promise<void>): Promise<boolean> {
	let done = false;
	void work.then(() => {
		done = true;
	});
	await vi.advanceTimersByTimeAsync(millis);
	return done;
}

describe("the deadline", () => {
	test("stops the clock, and is put off by as long as the clock is paused", () => {
		const clock = new Clock(1_000);
		const times = () => [clock.leftMillis, clock.pausedMillis];
		vi.advanceTimersByTime(600);
		expect(times()).toEqual([400, 0]);
		clock.pause();
		vi.advanceTimersByTime(5_000);
		expect(times()).toEqual([400, 5_000]);
		clock.resume();
		vi.advanceTimersByTime(300);
		expect(times()).toEqual([100, 5_000]);
		clock.pause();
		vi.advanceTimersByTime(1_000);
		clock.resume();
		expect(times()).toEqual([100, 6_000]);
		vi.advanceTimersByTime(99);
		expect(clock.stopped).toBeUndefined();
		vi.advanceTimersByTime(1);
		expect([clock.stopped, clock.signal.aborted]).toEqual(["deadline", true]);
	});

	test("counts on only when every pause has been resumed", () => {
		const clock = new Clock(1_000);
		clock.pause();
		vi.advanceTimersByTime(500);
		clock.pause();
		clock.resume();
		vi.advanceTimersByTime(5_000);
		expect([clock.leftMillis, clock.pausedMillis, clock.stopped]).toEqual([1_000, 5_500, undefined]);
		clock.resume();
		vi.advanceTimersByTime(1_000);
		expect(clock.stopped).toBe("deadline");
	});

	test("leaves no timer once the clock is closed, also if it is resumed after that", () => {
		const clock = new Clock(1_000);
		clock.close();
		expect(vi.getTimerCount()).toBe(0);
		clock.pause();
		clock.resume();
		expect(vi.getTimerCount()).toBe(0);
	});

	test("beyond the longest timer of Node does not come at once, and a wait that long does not end at once", async () => {
		const clock = new Clock(2 ** 31);
		expect(await doneAfter(1_000, clock.wait(2 ** 31))).toBe(false);
		expect(clock.stopped).toBeUndefined();
	});
});

describe("the signals of its callers", () => {
	test("stop it, paused or not", () => {
		const controller = new AbortController();
		const clock = new Clock(1_000, new AbortController().signal, undefined, controller.signal);
		clock.pause();
		expect(clock.signal.aborted).toBe(false);
		controller.abort();
		expect([clock.stopped, clock.signal.aborted]).toEqual(["aborted", true]);
		clock.resume();
		expect(vi.getTimerCount()).toBe(0);
	});

	test("stop it from the start if one is already aborted", () => {
		const clock = new Clock(1_000, new AbortController().signal, AbortSignal.abort());
		expect(clock.stopped).toBe("aborted");
	});

	test("are not listened to once the clock is closed", () => {
		const controller = new AbortController();
		const clock = new Clock(1_000, controller.signal);
		clock.close();
		controller.abort();
		expect(clock.stopped).toBeUndefined();
	});

	test("do not change the reason of a clock that has stopped", () => {
		const controller = new AbortController();
		const clock = new Clock(10, controller.signal);
		vi.advanceTimersByTime(10);
		controller.abort();
		expect(clock.stopped).toBe("deadline");
	});
});

describe("a wait", () => {
	test("lasts as long as it says, and leaves nothing behind", async () => {
		const clock = new Clock(60_000);
		const wait = clock.wait(500);
		expect(await doneAfter(499, wait)).toBe(false);
		expect(await doneAfter(1, wait)).toBe(true);
		expect(getEventListeners(clock.signal, "abort")).toEqual([]);
		expect(vi.getTimerCount()).toBe(1);
	});

	test("ends with the clock, and none begins after that", async () => {
		const clock = new Clock(60_000);
		const wait = clock.wait(500);
		clock.cancel();
		clock.close();
		expect(vi.getTimerCount()).toBe(0);
		expect(await doneAfter(0, wait)).toBe(true);
		expect(await doneAfter(0, clock.wait(500))).toBe(true);
		expect(vi.getTimerCount()).toBe(0);
	});
});
