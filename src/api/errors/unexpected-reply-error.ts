import { addressHint, CHECK_ADDRESS } from "./address-hint";
import { ApiError, type CallFacts, type WasReceived } from "./api-error";

export interface UnexpectedReplyFacts {
	readonly why: string;
	readonly next?: string;
	readonly status?: number | undefined;
	readonly received: WasReceived;
	/** True where the reply was damaged on the way (cut off, broken JSON) and a second one may be whole. */
	readonly broken?: boolean;
	readonly serverMessage?: string | undefined;
}

/** The server answered with something that is not this API: HTML, a redirect, broken JSON, wrong types, too much. */
export class UnexpectedReplyError extends ApiError {
	override readonly name: string = "UnexpectedReplyError";
	readonly broken: boolean;

	constructor(call: CallFacts, facts: UnexpectedReplyFacts) {
		super(call, {
			why: facts.why,
			next: facts.next ?? (facts.broken ? CHECK_ADDRESS : addressHint(call)),
			received: facts.received,
			status: facts.status,
			serverMessage: facts.serverMessage,
		});
		this.broken = facts.broken ?? false;
	}
}
