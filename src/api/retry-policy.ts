import type { Retry } from "../schemas/endpoints";
import {
	type ApiError,
	NetworkError,
	RateLimitedError,
	ServerError,
	TimeoutError,
	UnexpectedReplyError,
} from "./errors";
import type { RetryInfo } from "./options";

const BASE_MILLIS = 200;
const CAP_MILLIS = 8_000;

/** Whether the failed call may be sent again, by what the endpoint says of itself and never by its verb. */
export function mayRetry(retry: Retry, error: ApiError): boolean {
	if (retry === "never") return false;
	if (retry === "unreceived") return surelyNotDone(error);
	return maySucceedLater(error);
}

/** Failures before the work began: a limiter, or a connection that never came about. */
function surelyNotDone(error: ApiError): boolean {
	if (error instanceof RateLimitedError) return error.received === false;
	if (error instanceof NetworkError) return error.received === false && error.transient;
	return error instanceof TimeoutError && error.kind === "connect" && error.received === false;
}

function maySucceedLater(error: ApiError): boolean {
	if (error instanceof NetworkError) return error.transient;
	if (error instanceof TimeoutError) return error.kind !== "deadline" && error.kind !== "admission";
	if (error instanceof UnexpectedReplyError) return error.broken;
	return error instanceof RateLimitedError || error instanceof ServerError;
}

/**
 * Full jitter: anything between nothing and a ceiling that doubles, so that clients that failed together do not
 * come back together.
 */
export function backoffMillis(attempt: number, random: () => number): number {
	const ceiling = Math.min(CAP_MILLIS, BASE_MILLIS * 2 ** Math.min(attempt - 1, 30));
	return Math.floor(random() * ceiling);
}

/** How long the service asked to wait, where it did. */
export function askedDelay(error: ApiError): number | undefined {
	return error instanceof RateLimitedError || error instanceof ServerError
		? error.retryAfterMillis
		: undefined;
}

export const retryInfo = (error: ApiError, attempt: number, delayMillis: number): RetryInfo => {
	const { method, path, name: because } = error;
	return { method, path, attempt, delayMillis, because };
};
