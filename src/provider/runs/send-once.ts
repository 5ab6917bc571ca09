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

/**
 * What a create request makes. It is sent once, and never again while it may have taken effect: a second one would run
 * everything twice. Where the reply is lost, or gives only a reason (a text) in place of its product, that is looked for:
 * the work may be finished, and shown, a little later than the connection.
 */
export async function makeOnce<T extends object>(
	call: Call,
	send: () => Promise<T | string>,
	find: () => Promise<T | undefined>,
	unclear: (why: string) => Error,
): Promise<T> {
	const made = await send().catch((error: unknown) => {
		if (!(error instanceof ApiError) || error.received === false) throw error;
		return error.message;
	});
	if (typeof made !== "string") return made;
	for (const pause of call.patience) {
		await call.time.sleep(pause);
		const found = await find();
		if (found !== undefined) return found;
	}
	throw unclear(made);
}
