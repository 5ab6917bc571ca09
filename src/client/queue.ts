import { endpoints } from "../schemas/endpoints";
import type { EndpointName, Retry } from "../schemas/wire/endpoints";
import { type Clock, stopError } from "./clock";
import { ApiError, type CallFacts, leastCertain, RateLimitedError } from "./errors";
import { backoffCeiling, Limiter, type NoPermit, type Permit } from "./limiter";
import { TimeoutError } from "./network-errors";
import type { CallOptions, Limits, RetryInfo } from "./options";

/** One call on its way through the queue. */
export interface Call<Name extends EndpointName = EndpointName> {
	readonly operation: Name;
	/** Its attempts are counted here. */
	readonly facts: CallFacts;
	readonly clock: Clock;
	/** The clocks of the operations that this call is part of. They stand still while it waits for its turn. */
	readonly operationClocks: readonly Clock[];
	readonly mayRepeat?: CallOptions["mayRepeat"];
	readonly onRetry?: CallOptions["onRetry"];
}

/**
 * The one entrance for all requests of a client: how many run at once, when the service's rate limit lets the next one
 * through, what is sent again after a failure, and what of the waiting counts as a call's time.
 */
export class Queue {
	/** Apart, because a limit on writes must not keep reads waiting. */
	private readonly reads: Limiter;
	private readonly writes: Limiter;
	/**
	 * Bounds the retries of all calls together: a retry takes one, a success gives back a tenth. With the default of 10, a
	 * thousand calls to a dead service send about 1,010 requests, not 5,000. A 429 takes nothing, because the limiter bounds it.
	 */
	private retriesLeft: number;
	/** Times of operations, which stand still while the service's rate limit keeps any call waiting. */
	private readonly operations = new Set<Clock>();
	private limitedCalls = 0;

	constructor(private readonly limits: Limits) {
		// Reads are bounded by the pool of connections, until the service refuses one.
		this.reads = new Limiter(Number.POSITIVE_INFINITY, limits.random);
		this.writes = new Limiter(limits.maxConcurrentWrites, limits.random);
		this.retriesLeft = limits.retryBudget;
	}

	/** Sends, each time in turn, until an attempt succeeds or no other may follow. */
	async send<T>(call: Call, send: () => Promise<T>): Promise<T> {
		const { limits } = this;
		const { facts } = call;
		for (const clock of call.operationClocks) this.watch(clock);
		for (let failures = 0; ; ) {
			try {
				const reply = await this.inTurn(call, send);
				this.retriesLeft = Math.min(
					limits.retryBudget,
					this.retriesLeft + EARNED_PER_SUCCESS,
				);
				return reply;
			} catch (error) {
				// A caller that asks for one attempt handles a 429 itself.
				if (!(error instanceof ApiError) || limits.maxAttempts === 1) throw error;
				if (!isRetryable(endpoints[call.operation].retry, error)) throw error;
				facts.receivedBefore = leastCertain(facts.receivedBefore, error.received);
				const isLimited = error instanceof RateLimitedError;
				if (!isLimited) failures += 1;
				const delayMillis = isLimited
					? this.delayFor(call)
					: this.backoffFor(failures, error, call);
				if (delayMillis === undefined) throw error;
				call.onRetry?.();
				limits.onRetry(retryInfo(error, facts.attempts, Math.ceil(delayMillis)));
				// A rate-limited call waits in the limiter instead, with all other calls.
				if (!isLimited) await call.clock.wait(delayMillis);
			}
		}
	}

	/** Sends when it is the request's turn, and learns from the answer. Waiting does not count against the deadline. */
	async inTurn<T>(call: Call, send: () => Promise<T>): Promise<T> {
		const { clock, facts } = call;
		const permit = await this.permitFor(call);
		if (typeof permit === "string") throw this.denied(permit, call);
		try {
			if (facts.attempts > 0 && !(await this.mayRepeat(call))) clock.cancel();
			if (clock.stopped) throw stopError(facts, clock, false);
			facts.attempts += 1;
			const reply = await send();
			permit.accepted();
			return reply;
		} catch (error) {
			if (error instanceof RateLimitedError) this.refused(call, permit, error);
			else if (error instanceof ApiError && error.status !== undefined)
				permit.accepted();
			throw error;
		} finally {
			permit.release();
		}
	}

	/** The caller's look sends requests with deadlines of their own, so the time of this call stands still. */
	private async mayRepeat({ clock, mayRepeat }: Call): Promise<boolean> {
		if (mayRepeat === undefined) return true;
		clock.pause();
		try {
			return await mayRepeat();
		} finally {
			clock.resume();
		}
	}

	/** How long a rate-limited call waits for its next attempt; undefined if that is longer than it may wait. */
	delayFor(call: Call): number | undefined {
		const delay = this.limiterFor(call).opensInMillis;
		return delay <= this.waitLeftFor(call) ? delay : undefined;
	}

	private limiterFor({ operation }: Call): Limiter {
		return endpoints[operation].access === "write" ? this.writes : this.reads;
	}

	/** What is left of the maximum wait; the clock has stood still for as long as the call has waited. */
	private waitLeftFor({ clock }: Call): number {
		return this.limits.maxWaitMillis - clock.pausedMillis;
	}

	private async permitFor(call: Call): Promise<Permit | NoPermit> {
		const { clock, operationClocks, facts } = call;
		const limiter = this.limiterFor(call);
		const maxWaitMillis = Math.max(0, this.waitLeftFor(call));
		const resume = this.pauseClocks(
			[clock, ...operationClocks],
			limiter.opensInMillis > 0,
		);
		try {
			return await limiter.wait({
				signal: clock.signal,
				maxWaitMillis,
				isRetry: facts.attempts > 0,
			});
		} finally {
			resume();
		}
	}

	/**
	 * Stops the clocks until the result is called. The rate limit stops the clocks of all operations, because one may wait
	 * for another's write, or for a list that both asked for.
	 */
	private pauseClocks(clocks: readonly Clock[], isLimited: boolean): () => void {
		for (const clock of clocks) clock.pause();
		if (isLimited && this.limitedCalls++ === 0)
			for (const clock of this.operations) clock.pause();
		return () => {
			for (const clock of clocks) clock.resume();
			if (isLimited && --this.limitedCalls === 0)
				for (const clock of this.operations) clock.resume();
		};
	}

	private watch(clock: Clock): void {
		if (this.operations.has(clock)) return;
		for (const operation of this.operations)
			if (operation.closed) this.operations.delete(operation);
		this.operations.add(clock);
		if (this.limitedCalls > 0) clock.pause();
	}

	private refused(
		call: Call,
		permit: Permit,
		{ retryAfterMillis }: RateLimitedError,
	): void {
		permit.refused(retryAfterMillis);
		// A service that limits reads most likely limits writes too, and those do harm if they are sent in vain.
		if (retryAfterMillis !== undefined && this.limiterFor(call) === this.reads)
			this.writes.hold(retryAfterMillis);
	}

	/** How long to wait after a failure of the call's own; undefined if there may be no other attempt. */
	private backoffFor(
		failures: number,
		error: ApiError,
		{ clock }: Call,
	): number | undefined {
		if (failures >= this.limits.maxAttempts || this.retriesLeft < 1) return undefined;
		const delayMillis = delayAfter(failures, error, clock, this.limits);
		if (delayMillis !== undefined) this.retriesLeft -= 1;
		return delayMillis;
	}

	private denied(denial: NoPermit, call: Call): ApiError {
		const { facts, clock } = call;
		switch (denial) {
			case "stopped":
				return stopError(facts, clock, false);
			case "announced":
				return new RateLimitedError(facts, {
					retryAfterMillis: this.limiterFor(call).opensInMillis,
				});
			case "waited-too-long":
				return new TimeoutError(facts, "queue", false, this.limits.maxWaitMillis);
		}
	}
}

const EARNED_PER_SUCCESS = 0.1;
const CAP_MILLIS = 8_000;

/**
 * Whether the failed call may be sent again, by what the endpoint says of itself and never by its verb: whenever that may
 * help, or only if the service surely did nothing.
 */
export const isRetryable = (retry: Retry, { transient, received }: ApiError): boolean =>
	transient && (retry === "always" || received === false);

/**
 * Full jitter: anything between nothing and a ceiling that doubles, so that clients that failed together do not
 * come back together.
 */
export function backoffMillis(attempt: number, random: () => number): number {
	return Math.floor(random() * backoffCeiling(attempt, CAP_MILLIS));
}

/** How long to wait after so many failures, the last of which is given; undefined if no time would be left. */
export function delayAfter(
	failures: number,
	{ retryAfterMillis: asked }: ApiError,
	{ leftMillis }: Clock,
	{ random }: Limits,
): number | undefined {
	const jitter = backoffMillis(failures, random);
	// With jitter on top of the Retry-After, or all clients would come back in the same moment.
	const delayMillis = asked === undefined ? jitter : asked + Math.floor(jitter / 4);
	return delayMillis < leftMillis ? delayMillis : undefined;
}

export const retryInfo = (
	error: ApiError,
	attempt: number,
	delayMillis: number,
): RetryInfo => {
	const { method, path, name: because } = error;
	return { method, path, attempt, delayMillis, because };
};
