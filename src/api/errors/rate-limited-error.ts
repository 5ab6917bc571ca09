import { ApiError, type CallFacts } from "./api-error";

/**
 * 429: too many requests, and the service asks for a longer wait than the call may make. Without a status where it
 * asked this of another call of the client, so that this one was not sent.
 */
export class RateLimitedError extends ApiError {
	override readonly name = "RateLimitedError";
	/** How long the service asked to wait, counted from its reply. */
	readonly retryAfterMillis: number | undefined;

	constructor(
		call: CallFacts,
		status: number | undefined,
		serverMessage: string | undefined,
		retryAfterMillis: number | undefined,
	) {
		super(call, {
			why: `${status === undefined ? "" : `${status}, `}the service limits the rate of requests`,
			next:
				retryAfterMillis === undefined
					? "Try again later, or with less parallelism."
					: `Try again at ${new Date(Date.now() + retryAfterMillis).toISOString()} (in ${Math.ceil(retryAfterMillis / 1000)} s).`,
			// A limiter answers before the work is begun; the facts say nothing else.
			received: false,
			status,
			serverMessage,
		});
		this.retryAfterMillis = retryAfterMillis;
	}
}
