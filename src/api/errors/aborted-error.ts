import { ApiError, type CallFacts, type WasReceived } from "./api-error";

/** The caller's AbortSignal ended the call. */
export class AbortedError extends ApiError {
	override readonly name = "AbortedError";
	/** As Node's own abort errors carry it. */
	readonly code = "ABORT_ERR";

	constructor(call: CallFacts, received: WasReceived) {
		super(call, {
			why: "it was cancelled",
			next:
				received === false
					? "Nothing was done."
					: "Look whether the service did the work before you try again.",
			received,
		});
	}
}
