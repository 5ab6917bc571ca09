import { ApiError, addressHint, type CallFacts, CHECK_ADDRESS, type FailureFacts } from "./api-error";

export interface UnexpectedReplyFacts extends Omit<FailureFacts, "next"> {
	readonly next?: string;
	/** True where the reply was damaged on the way (cut off, broken JSON) and a second one may be whole. */
	readonly broken?: boolean;
}

/** The server answered with something that is not this API: HTML, a redirect, broken JSON, wrong types, too much. */
export class UnexpectedReplyError extends ApiError {
	override readonly name: string = "UnexpectedReplyError";
	readonly broken: boolean;

	constructor(call: CallFacts, { broken = false, ...facts }: UnexpectedReplyFacts) {
		super(call, { ...facts, next: facts.next ?? (broken ? CHECK_ADDRESS : addressHint(call)) });
		this.broken = broken;
	}
}

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
