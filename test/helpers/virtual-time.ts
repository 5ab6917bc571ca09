import { join, sep } from "node:path";
import { onTestFinished, vi } from "vitest";

/** Shorter timers are real, and so are those that only stand for "never". */
const [LONG_MILLIS, NEVER_MILLIS] = [2_000, 24 * 3_600_000];
/** So many real milliseconds without anybody looking at a clock or setting one mean that everybody waits. */
const QUIET_MILLIS = 10;

const SERVER = join("src", "server") + sep;

/** Until the test's end, waits of seconds are over as soon as nothing else is left to do; the clock moves on by as much. */
export function skipLongWaits(): { lastOver(): number } {
	const { setTimeout: start, clearTimeout: clear } = globalThis;
	const realNow = performance.now.bind(performance);
	const waits = new Map<unknown, { readonly at: number; readonly run: () => void }>();
	let [skipped, looks, driving, over] = [0, 0, false, false];
	let lastOver = realNow();
	const now = () => {
		looks += 1;
		return realNow() + skipped;
	};

	const quiet = async (): Promise<void> => {
		for (
			let [seen, rounds] = [looks, 0];
			rounds < QUIET_MILLIS;
			rounds = seen === looks ? rounds + 1 : 0
		) {
			seen = looks;
			await new Promise((resolve) => start(resolve, 1));
			await new Promise((resolve) => setImmediate(resolve));
		}
	};
	const drive = async (): Promise<void> => {
		if (driving) return;
		driving = true;
		while (waits.size > 0 && !over) {
			await quiet();
			const [next] = [...waits].sort(([, a], [, b]) => a.at - b.at);
			if (next === undefined || over) continue;
			const [key, { at, run }] = next;
			waits.delete(key);
			skipped += Math.max(0, at - now());
			lastOver = at;
			run();
		}
		driving = false;
	};
	const later = (
		run: (...args: unknown[]) => void,
		millis = 0,
		...args: unknown[]
	): unknown => {
		looks += 1;
		// With arguments they are of the HTTP client; the local server's own patience must not run out before its client's.
		const isLong = args.length === 0 && millis >= LONG_MILLIS && millis <= NEVER_MILLIS;
		const isOurs = isLong && !new Error().stack?.includes(SERVER);
		if (!isOurs) return start(run, millis, ...args);
		const key = { unref: () => key, ref: () => key };
		waits.set(key, { at: now() + millis, run });
		void drive();
		return key;
	};
	const spies = [
		vi.spyOn(performance, "now").mockImplementation(now),
		vi.spyOn(globalThis, "setTimeout").mockImplementation(later as typeof setTimeout),
		vi.spyOn(globalThis, "clearTimeout").mockImplementation((key) => {
			looks += 1;
			if (!waits.delete(key)) clear(key);
		}),
	];
	onTestFinished(() => {
		over = true;
		for (const spy of spies) spy.mockRestore();
	});
	// When the last wait was over, by that clock: a busy machine adds nothing after it.
	return { lastOver: () => lastOver };
}
