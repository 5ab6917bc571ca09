import type { CallClock } from "./call-clock";
import {
	AbortedError,
	type ApiError,
	NetworkError,
	TimeoutError,
	UnexpectedReplyError,
	type WasReceived,
} from "./errors";
import type { CallFacts } from "./errors/api-error";
import type { Limits } from "./options";
import type { ExchangeFault } from "./transport";

/** The error that a broken exchange stands for, once it is known which call it belonged to. */
export function faultError(
	fault: ExchangeFault,
	call: CallFacts,
	clock: CallClock,
	limits: Limits,
): ApiError {
	const received = fault.status !== undefined ? true : fault.sent ? "unknown" : false;
	if (clock.stopped) return stopError(call, clock, received);
	switch (fault.kind) {
		case "connect-timeout":
			// The system also says ETIMEDOUT of an established connection that died.
			return new TimeoutError(call, fault.sent ? "reply" : "connect", received, limits.attemptTimeoutMillis);
		case "reply-timeout":
			return new TimeoutError(call, "reply", received, limits.attemptTimeoutMillis);
		case "too-large":
			return new UnexpectedReplyError(call, {
				why: `the reply is larger than the limit of ${limits.maxReplyBytes} bytes`,
				next: "Narrow the request. Programs that use the client themselves can raise its maxReplyBytes.",
				status: fault.status,
				received,
			});
		case "broken": {
			const why = `the reply is broken or cut off (${fault.code})`;
			return new UnexpectedReplyError(call, { why, status: fault.status, received, broken: true });
		}
		default:
			return new NetworkError(call, fault.code, received);
	}
}

/** The error of a call that its clock ended: cancelled, or out of time. */
export function stopError(call: CallFacts, clock: CallClock, received: WasReceived): ApiError {
	if (clock.stopped === "aborted") return new AbortedError(call, received);
	return new TimeoutError(call, "deadline", received, clock.limitMillis);
}
