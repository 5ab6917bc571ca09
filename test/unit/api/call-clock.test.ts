import { expect, test, vi } from "vitest";
import { CallClock } from "../../../src/api/call-clock";

test("a paused clock does not come nearer to its deadline, and goes on from where it stood", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
	try {
		const clock = new CallClock(1_000, undefined);
		vi.advanceTimersByTime(600);
		clock.pause();
		vi.advanceTimersByTime(5_000);
		expect(clock.stopped).toBeUndefined();
		expect(clock.leftMillis).toBe(400);
		expect(clock.pausedMillis).toBe(5_000);
		clock.resume();
		vi.advanceTimersByTime(399);
		expect(clock.stopped).toBeUndefined();
		vi.advanceTimersByTime(2);
		expect(clock.stopped).toBe("deadline");
		clock.close();
	} finally {
		vi.useRealTimers();
	}
});

test("each of its signals ends it, paused or not", () => {
	const controllers = [new AbortController(), new AbortController()];
	const clock = new CallClock(1_000, controllers[0]?.signal, undefined, controllers[1]?.signal);
	clock.pause();
	controllers[1]?.abort();
	expect(clock.stopped).toBe("aborted");
	expect(clock.signal.aborted).toBe(true);
	clock.resume();
	clock.close();
});
