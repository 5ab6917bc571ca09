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

/** How long something that nobody we know of has is waited for: another resource's diff may be under way, and give it up. */
export const NEWS_MILLIS = 4_000;

/** How long something that this run gives up is waited for. Longer, and it goes on: names may double up for a moment. */
export const LEAVING_MILLIS = 5_000;

/** What a look finds at once, or with patience for reads that lag behind; undefined where it stays unseen. */
export async function seenSoon<T>(
	{ time, patience }: { readonly time: Time; readonly patience: readonly number[] },
	look: () => Promise<T | undefined>,
): Promise<T | undefined> {
	for (const pause of [0, ...patience]) {
		if (pause > 0) await time.sleep(pause);
		const found = await look();
		if (found !== undefined) return found;
	}
	return undefined;
}
