import { AbortedError, ApiError, RateLimitedError } from "../../api";
import type { Call } from "../context";

const TRIES = 6;
const PAUSE_MILLIS = 1_000;
/** A limiter that asks for more than this is told to the user instead. */
const LONGEST_PAUSE_MILLIS = 30_000;

/**
 * Sends a request that must never be repeated once the service may have got it. Only a limiter's refusal, which comes
 * before any work, is waited out.
 */
export async function sendOnce<T>(call: Call, send: () => Promise<T>): Promise<T> {
	for (let attempt = 1; ; attempt += 1) {
		try {
			return await send();
		} catch (error) {
			const pause = error instanceof RateLimitedError ? (error.retryAfterMillis ?? PAUSE_MILLIS) : undefined;
			if (pause === undefined || pause > LONGEST_PAUSE_MILLIS || attempt === TRIES) throw error;
			await call.time.sleep(pause);
		}
	}
}

/** For the looks that follow: whatever keeps it from being read may pass; the patience is what ends. */
export function failureIsUndefined(error: unknown): undefined {
	if (error instanceof ApiError && !(error instanceof AbortedError)) return undefined;
	throw error;
}
