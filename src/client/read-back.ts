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
export const READ_BACK_DELAYS: readonly number[] = [
	100, 250, 500, 1000, 1500, 2000, 3000, 4000, 4000, 4000,
];

interface ReadBack {
	readonly time: Time;
	readonly readBackDelays: readonly number[];
}

/** Looks until the result is as expected, or the last delay is over. Answers the last result. */
export async function pollUntil<T>(
	{ time, readBackDelays }: ReadBack,
	look: () => Promise<T>,
	isDone: (latest: T) => boolean,
): Promise<T> {
	let latest = await look();
	for (const delay of readBackDelays) {
		if (isDone(latest)) break;
		await time.sleep(delay);
		latest = await look();
	}
	return latest;
}

/** What the looks find; undefined if the service never shows it. */
export const pollUntilDefined = <T>(
	call: ReadBack,
	look: () => Promise<T | undefined>,
): Promise<T | undefined> => pollUntil(call, look, (value) => value !== undefined);

/** Below it a first look costs nothing. */
const NO_LAG_MILLIS = 100;
/** How much of the lag the next write expects if a first look was late enough: a service that recovers is soon believed. */
const RECOVERY = 0.9;
/** Writes that ended together must not look together. */
const JITTER = 0.1;

interface ObservedLag {
	readonly seen: number;
	readonly missed: number | undefined;
	readonly waited: number;
}

/**
 * How long after a write the service's reads show it, by kind of object, as the last writes found it. With two seconds of lag a
 * look at once and those that follow it soon would all be in vain.
 */
export class ReadBackLags {
	private readonly lags = new Map<string, number>();

	constructor(private readonly random: () => number = Math.random) {}

	of(kind: string): number {
		return this.lags.get(kind) ?? 0;
	}

	/**
	 * A look showed the write after `seen`. The look before did not after `missed`; without one, the first look came after a wait of
	 * `waited`, from which writes side by side all conclude the same.
	 */
	note(kind: string, { seen, missed, waited }: ObservedLag): void {
		const expected = missed === undefined ? waited * RECOVERY : (missed + seen) / 2;
		this.lags.set(kind, expected < NO_LAG_MILLIS ? 0 : expected);
	}

	withJitter(millis: number): number {
		return millis * (1 + this.random() * JITTER);
	}
}

interface AfterWrite extends ReadBack {
	readonly lags: ReadBackLags;
}

/** The same after a write of ours: the first look comes when the service needed so long for the last write of the kind. */
export async function pollAfterWrite<T>(
	{ time, readBackDelays, lags }: AfterWrite,
	kind: string,
	look: () => Promise<T>,
	isDone: (value: T) => boolean,
): Promise<T> {
	let left = readBackDelays.reduce((sum, delay) => sum + delay, 0);
	const pause = async (millis: number) => {
		const wait = Math.min(left, lags.withJitter(millis));
		left -= wait;
		await time.sleep(wait);
	};
	const startedAt = time.now();
	let missed: number | undefined;
	let readAt = 0;
	const readNow = () => {
		readAt = time.now() - startedAt;
		return look();
	};
	const waited = lags.of(kind);
	if (waited > 0) await pause(waited);
	let result = await readNow();
	for (const delay of readBackDelays) {
		if (isDone(result) || left <= 0) break;
		missed = readAt;
		await pause(delay);
		result = await readNow();
	}
	if (isDone(result)) lags.note(kind, { seen: readAt, missed, waited });
	return result;
}

/** What the looks after a write find; undefined if the service never shows it. */
export const pollUntilDefinedAfterWrite = <T>(
	call: AfterWrite,
	kind: string,
	look: () => Promise<T | undefined>,
): Promise<T | undefined> =>
	pollAfterWrite(call, kind, look, (value) => value !== undefined);
