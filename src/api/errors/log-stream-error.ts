import { ApiError, type CallFacts } from "./api-error";

/** The service ended the log with a message of its own, or the log cannot be read on. */
export class LogStreamError extends ApiError {
	override readonly name = "LogStreamError";

	constructor(call: CallFacts, why: string, next: string, serverMessage?: string) {
		super(call, { why, next, received: true, serverMessage });
	}
}
