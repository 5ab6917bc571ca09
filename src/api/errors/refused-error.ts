import type { CallFacts } from "./api-error";
import { UnexpectedReplyError } from "./unexpected-reply-error";

/** A reply with `"ok": false`. The documentation shows the flag but not what it means; nothing is assumed done. */
export class RefusedError extends UnexpectedReplyError {
	override readonly name = "RefusedError";

	constructor(call: CallFacts, status: number, serverMessage: string | undefined) {
		super(call, {
			why: 'the service answered "ok": false',
			next: "Read the object back to see what holds now.",
			status,
			received: "unknown",
			serverMessage,
		});
	}
}
