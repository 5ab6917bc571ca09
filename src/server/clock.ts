import { LONGEST_TIMER } from "../text/duration";
import { parseInstant } from "../text/instant";

/** What the server takes for the time. Schedules, jobs, timestamps, lags and rate limits follow it; slow replies take real time. */
export interface Clock {
	/** True for a clock that moves only when told to. */
	readonly manual: boolean;
	/** Milliseconds since the epoch. */
	now(): number;
	/** Runs something once the clock reaches `time`; the result takes it back. */
	at(time: number, run: () => void): () => void;
	/** Manual clocks only: moves on, and runs everything that falls due on the way, in order. */
	advance(millis: number): void;
	/** Manual clocks only: jumps to an ISO 8601 instant; forwards it runs everything due, backwards nothing. */
	set(iso: string): void;
}

/** The machine's clock, or one that is so far ahead of it. Its timers do not keep a process alive. */
export function systemClock(aheadMillis = 0): Clock {
	const now = (): number => Date.now() + aheadMillis;
	const refuse = (): never => {
		throw new Error(
			"The system clock cannot be moved. Start the server with manualClock() to move the time.",
		);
	};
	return {
		manual: false,
		now,
		at: (time, run) => {
			let timer: NodeJS.Timeout | undefined;
			// A timeout may be too short for the whole wait, or end a little early, so each looks at the clock again.
			const wake = (): void => (now() < time ? wait() : run());
			const wait = (): void => {
				timer = setTimeout(wake, Math.min(time - now(), LONGEST_TIMER)).unref();
			};
			wait();
			return () => clearTimeout(timer);
		},
		advance: refuse,
		set: refuse,
	};
}

/** A clock for tests: it stands still until `advance` or `set` moves it. */
export function manualClock(startIso = "2026-01-01T00:00:00Z"): Clock {
	let now = instantOf(startIso);
	/** The latest first, so that the next one is taken from the end; of those due at the same time, the one set first is next. */
	const timers: { readonly time: number; readonly run: () => void }[] = [];
	const moveTo = (target: number): void => {
		for (
			let next = timers.at(-1);
			next !== undefined && next.time <= target;
			next = timers.at(-1)
		) {
			timers.pop();
			now = Math.max(now, next.time);
			next.run();
		}
		now = target;
	};
	return {
		manual: true,
		now: () => now,
		at: (time, run) => {
			const timer = { time, run };
			const before = timers.findIndex((other) => other.time <= time);
			timers.splice(before < 0 ? timers.length : before, 0, timer);
			return () => {
				const place = timers.indexOf(timer);
				if (place >= 0) timers.splice(place, 1);
			};
		},
		advance: (millis) => {
			if (!Number.isFinite(millis) || millis < 0)
				throw new RangeError("A clock advances by 0 or more milliseconds.");
			moveTo(now + millis);
		},
		set: (iso) => {
			const target = instantOf(iso);
			if (target < now) now = target;
			else moveTo(target);
		},
	};
}

function instantOf(iso: string): number {
	const instant = parseInstant(iso);
	if (instant === undefined)
		throw new RangeError(`"${iso}" is not an ISO 8601 date-time.`);
	return instant;
}
