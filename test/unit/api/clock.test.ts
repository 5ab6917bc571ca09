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
	test("stops the clock when it comes, and tells how far it is until then", () => {
		const clock = new Clock(1_000);
		vi.advanceTimersByTime(600);
		expect([clock.leftMillis, clock.pausedMillis, clock.limitMillis]).toEqual([400, 0, 1_000]);
		vi.advanceTimersByTime(399);
		expect(clock.stopped).toBeUndefined();
		vi.advanceTimersByTime(1);
		expect(clock.stopped).toBe("deadline");
		expect(clock.signal.aborted).toBe(true);
		clock.close();
	});

	test("does not come nearer to a paused clock, which goes on from where it stood", () => {
		const clock = new Clock(1_000, undefined);
		vi.advanceTimersByTime(600);
		clock.pause();
		vi.advanceTimersByTime(5_000);
		expect(clock.stopped).toBeUndefined();
		expect(clock.leftMillis).toBe(400);
		expect(clock.pausedMillis).toBe(5_000);
		clock.resume();
		vi.advanceTimersByTime(300);
		expect([clock.leftMillis, clock.pausedMillis]).toEqual([100, 5_000]);
		clock.pause();
		vi.advanceTimersByTime(1_000);
		expect(clock.pausedMillis).toBe(6_000);
		clock.resume();
		vi.advanceTimersByTime(99);
		expect(clock.stopped).toBeUndefined();
		vi.advanceTimersByTime(1);
		expect(clock.stopped).toBe("deadline");
		clock.close();
	});

	test("goes on when everybody has resumed who had paused it", () => {
		const clock = new Clock(1_000);
		clock.pause();
		vi.advanceTimersByTime(500);
		clock.pause();
		vi.advanceTimersByTime(500);
		clock.resume();
		vi.advanceTimersByTime(5_000);
		expect([clock.leftMillis, clock.pausedMillis]).toEqual([1_000, 6_000]);
		clock.resume();
		vi.advanceTimersByTime(1_000);
		expect(clock.stopped).toBe("deadline");
		clock.close();
	});

	test("is not waited for again where a closed clock is resumed", () => {
		const clock = new Clock(1_000);
		clock.pause();
		clock.close();
		clock.resume();
		expect(vi.getTimerCount()).toBe(0);
	});

	test("is no longer waited for once the clock is closed", () => {
		const clock = new Clock(1_000);
		clock.close();
		expect(vi.getTimerCount()).toBe(0);
		vi.advanceTimersByTime(2_000);
		expect(clock.stopped).toBeUndefined();
	});

	test("beyond the longest timer does not come at once", () => {
		const clock = new Clock(2 ** 31);
		vi.advanceTimersByTime(1_000);
		expect(clock.stopped).toBeUndefined();
		clock.close();
	});
});

describe("the signals of its callers", () => {
	test("end it, paused or not", () => {
		const controllers = [new AbortController(), new AbortController()];
		const clock = new Clock(1_000, controllers[0]?.signal, undefined, controllers[1]?.signal);
		clock.pause();
		expect(clock.signal.aborted).toBe(false);
		controllers[1]?.abort();
		expect(clock.stopped).toBe("aborted");
		expect(clock.signal.aborted).toBe(true);
		clock.resume();
		expect(vi.getTimerCount()).toBe(0);
		clock.close();
	});

	test("end it from the start where one was aborted before", () => {
		const clock = new Clock(1_000, new AbortController().signal, AbortSignal.abort());
		expect(clock.stopped).toBe("aborted");
		clock.close();
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
		clock.close();
	});
});

describe("a wait", () => {
	test("lasts as long as it says, and leaves nothing behind", async () => {
		const clock = new Clock(60_000);
		const wait = clock.wait(500);
		expect(await doneAfter(499, wait)).toBe(false);
		expect(await doneAfter(1, wait)).toBe(true);
		expect(getEventListeners(clock.signal, "abort")).toEqual([]);
		clock.close();
		expect(vi.getTimerCount()).toBe(0);
	});

	test("beyond the longest timer does not end at once", async () => {
		const clock = new Clock(60_000);
		expect(await doneAfter(1_000, clock.wait(2 ** 31))).toBe(false);
		clock.cancel();
		clock.close();
	});

	test("ends with the clock, and none begins after that", async () => {
		const clock = new Clock(60_000);
		const wait = clock.wait(500);
		clock.cancel();
		expect(clock.stopped).toBe("aborted");
		clock.close();
		expect(vi.getTimerCount()).toBe(0);
		expect(await doneAfter(0, wait)).toBe(true);
		expect(await doneAfter(0, clock.wait(500))).toBe(true);
		expect(vi.getTimerCount()).toBe(0);
	});
});
