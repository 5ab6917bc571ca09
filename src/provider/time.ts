import { setTimeout as sleep } from "node:timers/promises";

/** The clock that waits and ages go by; tests move one of their own. */
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
 * Pauses between looks at the service after a write, until it shows what was written: twenty seconds in all. The
 * longest replica lag that is planned for is fifteen, and a whole operation may take sixty.
 */
export const PATIENCE: readonly number[] = [100, 250, 500, 1000, 1500, 2000, 3000, 4000, 4000, 4000];

/** Something made less than this ago may be missing from a read that lags behind. */
export const YOUNG_MILLIS = 60_000;
