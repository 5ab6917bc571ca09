import { ApiError, beforeAgain, type CallFacts, type WasReceived, worseOf } from "./api-error";

/** The caller's AbortSignal ended the call. */
export class AbortedError extends ApiError {
	override readonly name = "AbortedError";
	/** As Node's own abort errors carry it. */
	readonly code = "ABORT_ERR";

	constructor(call: CallFacts, received: WasReceived) {
		super(call, {
			why: "it was cancelled",
			next: worseOf(call.receivedBefore, received) === false ? "Nothing was done." : beforeAgain(call),
			received,
		});
	}
}
