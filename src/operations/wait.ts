import { once } from "node:events";
import {
	ApiError,
	type CallOptions,
	NotAuthenticatedError,
	NotAuthorizedError,
} from "../client";
import { describeMillis, parseDuration } from "../text/duration";
import type { OperationContext } from "./context";

const DEFAULT_TIMEOUT = "1h";

export const timeoutOf = (timeout: string | number | undefined): number =>
	parseDuration(timeout ?? DEFAULT_TIMEOUT) ?? 0;

/** Pauses between looks at what is under way; the last one repeats. */
const PAUSES = [500, 1_000, 2_000, 3_000, 5_000] as const;
/** How long the service may fail to answer before a wait is given up. */
const SILENCE_MILLIS = 120_000;

/** A wait lasts as long as its own timeout, so its requests are not ended with the operation's minute. */
export const unhurried = (): CallOptions => ({ untimed: true });

/** A job or a pipeline that is waited for. */
interface Awaited<T> {
	/** `Job "a" (id 7) in team "ml"`. */
	describe(now: T): string;
	look(): Promise<T | undefined>;
	isEnded(now: T): boolean;
	/** Why one that has ended is no success; undefined if it is one. */
	problem(last: T): Promise<string | undefined>;
	/** Resolves when a look is likely to see the end. */
	readonly hint?: Promise<void> | undefined;
}

export interface Waited<T> {
	readonly latest: T;
	/** Why the wait ended without success; undefined if it succeeded. */
	readonly problem: string | undefined;
	/** True if the time was up; a wait may also end by an interrupt, or because the service does not answer. */
	readonly timedOut: boolean;
}

/** Looks until it has ended, and judges how; says why if the waiting ended first. */
export async function waitFor<
	T extends { readonly status?: string | null | undefined },
>(
	{ time, interrupt }: Pick<OperationContext, "time" | "interrupt">,
	first: T,
	timeoutMillis: number,
	{ describe, look, isEnded, problem, hint }: Awaited<T>,
): Promise<Waited<T>> {
	const deadline = time.now() + timeoutMillis;
	let [latest, seenAt, isSeen, hinted] = [first, time.now(), false, false];
	const soon = hint?.then(() => {
		hinted = true;
	});
	const gaveUp = (why: string, timedOut = false) => ({
		latest,
		problem: `${describe(latest)} is ${latest.status}, and ${why} It was not stopped.`,
		timedOut,
	});
	for (let round = 0; ; round += 1) {
		const failure = await look().then(
			(seen) => {
				if (seen === undefined) return "the service does not show it.";
				[latest, seenAt, isSeen] = [seen, time.now(), true];
				return undefined;
			},
			(error: unknown) => {
				if (!(error instanceof ApiError)) throw error;
				if (
					error instanceof NotAuthenticatedError ||
					error instanceof NotAuthorizedError
				)
					seenAt = -Infinity;
				return error.message;
			},
		);
		if (isSeen && isEnded(latest))
			return { latest, problem: await problem(latest), timedOut: false };
		if (failure !== undefined && time.now() - seenAt > SILENCE_MILLIS)
			return gaveUp(failure);
		if (interrupt.aborted) return gaveUp("the deployment was interrupted.");
		const left = deadline - time.now();
		if (left <= 0) {
			return gaveUp(
				`it did not end within ${describeMillis(timeoutMillis)}, which is its timeout.`,
				true,
			);
		}
		const woken = new AbortController();
		const length = Math.min(left, PAUSES[Math.min(round, PAUSES.length - 1)] ?? 0);
		// It listens for this pause only: a signal that outlives the wait must not collect listeners.
		const interrupted = once(interrupt, "abort", { signal: woken.signal }).catch(
			() => undefined,
		);
		const pause = time.sleep(length, woken.signal);
		// The log tells the end sooner than the next look, but only once.
		await Promise.race([
			pause,
			interrupted,
			...(soon === undefined || hinted ? [] : [soon]),
		]);
		woken.abort();
	}
}
