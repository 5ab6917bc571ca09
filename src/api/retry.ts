import { endpoints } from "../schemas/endpoints";
import type { Call } from "./call";
import { ApiError, RateLimitedError, type WasReceived } from "./errors";
import { worseOf } from "./errors/api-error";
import type { Lanes } from "./lanes";
import type { Limits } from "./options";
import { askedDelay, backoffMillis, mayRetry, retryInfo } from "./retry-policy";

const EARNED_PER_SUCCESS = 0.1;

/**
 * Bounds the retries of all calls of one client together. It starts full; each retry takes one, each
 * success gives a tenth back. While the service is dead, a thousand calls therefore send about a thousand
 * requests and not five thousand; with one failure in ten or fewer the budget never runs out. What the service sends
 * away as "too many requests" takes nothing: the queue in `admission.ts` bounds that.
 */
export class RetryBudget {
	private left: number;

	constructor(private readonly capacity: number) {
		this.left = capacity;
	}

	/** Takes one retry; false where none is left. */
	take(): boolean {
		if (this.left < 1) return false;
		this.left -= 1;
		return true;
	}

	succeeded(): void {
		this.left = Math.min(this.capacity, this.left + EARNED_PER_SUCCESS);
	}
}

export interface RetrySettings {
	readonly limits: Limits;
	readonly budget: RetryBudget;
	readonly lanes: Lanes;
}

/** Sends until an attempt succeeds or no other may follow. `send` is told the attempt, from 1, and what those before it may have done. */
export async function retried<T>(
	call: Call,
	settings: RetrySettings,
	send: (attempt: number, before: WasReceived) => Promise<T>,
): Promise<T> {
	const { limits, budget } = settings;
	let before: WasReceived = false;
	let failures = 0;
	for (let attempt = 1; ; attempt += 1) {
		try {
			const reply = await send(attempt, before);
			budget.succeeded();
			return reply;
		} catch (error) {
			if (!(error instanceof ApiError) || limits.maxAttempts === 1) throw error;
			if (!mayRetry(endpoints[call.operation].retry, error)) throw error;
			if (call.extras.repeatable?.() === false) throw error;
			before = worseOf(before, error.received);
			const limited = error instanceof RateLimitedError;
			if (!limited) failures += 1;
			const delayMillis = limited
				? settings.lanes.delayFor(call)
				: pauseAfter(failures, error, call, settings);
			if (delayMillis === undefined) throw error;
			limits.onRetry(retryInfo(error, attempt, Math.ceil(delayMillis)));
			// The queue makes a call wait that was sent away: it waits for everybody's turn and not for its own failure.
			if (!limited) await call.clock.wait(delayMillis);
		}
	}
}

/** How long to wait after a failure of the call's own; undefined where there may be no other attempt. */
function pauseAfter(
	failures: number,
	error: ApiError,
	{ clock }: Call,
	{ limits, budget }: RetrySettings,
): number | undefined {
	if (failures >= limits.maxAttempts) return undefined;
	const jitter = backoffMillis(failures, limits.random);
	const asked = askedDelay(error);
	// Jitter on top of what the service asked, or everyone it sent away would return in the same moment.
	const delayMillis = asked === undefined ? jitter : asked + Math.floor(jitter / 4);
	return (asked ?? delayMillis) < clock.leftMillis && budget.take() ? delayMillis : undefined;
}
