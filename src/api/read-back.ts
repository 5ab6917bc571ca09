import { setTimeout as sleep } from "node:timers/promises";

/** The clock of waits and ages; tests have one of their own. */
export interface Time {
	/** Milliseconds since the epoch. */
	now(): number;
	/** The signal ends it early, so that nothing is left behind that keeps a process alive. */
	sleep(millis: number, signal?: AbortSignal): Promise<void>;
}

/** Monotonic: a corrected system clock must not make something look older than it is. */
export const realTime: Time = {
	now: () => performance.timeOrigin + performance.now(),
	sleep: (millis, signal) =>
		sleep(millis, undefined, { signal }).catch((error: unknown) => {
			if (!signal?.aborted) throw error;
		}),
};

/**
 * The delays between reads after a write, until the service shows what was written: 20 seconds in all. The longest
 * replica lag that we plan for is 15 seconds, and a whole operation may take 60.
 */
export const READ_BACK_DELAYS: readonly number[] = [100, 250, 500, 1000, 1500, 2000, 3000, 4000, 4000, 4000];

interface ReadBack {
	readonly time: Time;
	readonly readBackDelays: readonly number[];
}

/** Looks until the result is as expected, or the last delay is over. Answers the last result. */
export async function lookUntil<T>(
	{ time, readBackDelays }: ReadBack,
	look: () => Promise<T>,
	isDone: (found: T) => boolean,
): Promise<T> {
	let found = await look();
	for (const delay of readBackDelays) {
		if (isDone(found)) break;
		await time.sleep(delay);
		found = await look();
	}
	return found;
}

/** What the looks find; undefined if the service never shows it. */
export const seenSoon = <T>(call: ReadBack, look: () => Promise<T | undefined>): Promise<T | undefined> =>
	lookUntil(call, look, (found) => found !== undefined);
