import { getEventListeners } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Clock } from "../../../src/client/clock";

beforeEach(
	() =>
		void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }),
);
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

test("the deadline is put off until every pause has been resumed, and a later signal does not change why it stopped", () => {
	const controller = new AbortController();
	const clock = new Clock(1_000, controller.signal);
	const times = () => [clock.leftMillis, clock.pausedMillis];
	vi.advanceTimersByTime(600);
	expect(times()).toEqual([400, 0]);
	clock.pause();
	vi.advanceTimersByTime(500);
	clock.pause();
	clock.resume();
	vi.advanceTimersByTime(4_500);
	expect(times()).toEqual([400, 5_000]);
	clock.resume();
	vi.advanceTimersByTime(300);
	clock.pause();
	vi.advanceTimersByTime(1_000);
	clock.resume();
	expect(times()).toEqual([100, 6_000]);
	vi.advanceTimersByTime(99);
	expect(clock.stopped).toBeUndefined();
	vi.advanceTimersByTime(1);
	expect([clock.stopped, clock.signal.aborted]).toEqual(["deadline", true]);
	controller.abort();
	expect(clock.stopped).toBe("deadline");
});

test("a closed clock leaves no timer, also if it is resumed after that", () => {
	const clock = new Clock(1_000);
	clock.close();
	expect(vi.getTimerCount()).toBe(0);
	clock.pause();
	clock.resume();
	expect(vi.getTimerCount()).toBe(0);
});

test("a deadline and a wait beyond the longest timer of Node do not come at once", async () => {
	const clock = new Clock(2 ** 31);
	expect(await doneAfter(1_000, clock.wait(2 ** 31))).toBe(false);
	expect(clock.stopped).toBeUndefined();
});

test("the signals of its callers stop it, paused or not", () => {
	const controller = new AbortController();
	const clock = new Clock(1_000, new AbortController().signal, controller.signal);
	clock.pause();
	expect(clock.signal.aborted).toBe(false);
	controller.abort();
	expect([clock.stopped, clock.signal.aborted]).toEqual(["aborted", true]);
	clock.resume();
	expect(vi.getTimerCount()).toBe(0);
});

test("many clocks may listen to one signal, as the calls of a scope do, without a warning of Node's", () => {
	const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
	const { signal } = new AbortController();
	const clocks = Array.from({ length: 20 }, () => new Clock(1_000, signal));
	for (const clock of clocks) clock.close();
	expect(warn).not.toHaveBeenCalled();
	warn.mockRestore();
});

test("a wait lasts as long as it says, leaves nothing behind, and ends with the clock", async () => {
	const clock = new Clock(60_000);
	const wait = clock.wait(500);
	expect(await doneAfter(499, wait)).toBe(false);
	expect(await doneAfter(1, wait)).toBe(true);
	expect(getEventListeners(clock.signal, "abort")).toEqual([]);
	expect(vi.getTimerCount()).toBe(1);
	const ended = clock.wait(500);
	clock.cancel();
	clock.close();
	expect(vi.getTimerCount()).toBe(0);
	expect(await doneAfter(0, ended)).toBe(true);
	expect(await doneAfter(0, clock.wait(500))).toBe(true);
	expect(vi.getTimerCount()).toBe(0);
});
