import { ApiError, type CallFacts, type Received } from "./api-error";

/** What ran out: one attempt's time, the whole call's, or (408) the server's own patience. */
export type TimeoutKind = "connect" | "reply" | "deadline" | "server";

/** No complete reply in time. */
export class TimeoutError extends ApiError {
	override readonly name = "TimeoutError";
	readonly kind: TimeoutKind;

	constructor(
		call: CallFacts,
		kind: TimeoutKind,
		received: Received,
		limitMillis: number,
		serverMessage?: string,
	) {
		super(call, {
			why: whyFor(kind, limitMillis),
			next:
				received === false && kind !== "server"
					? "Nothing was sent; check the network, or give the call a longer deadline."
					: "Try again, or give the call a longer deadline.",
			received,
			status: kind === "server" ? 408 : undefined,
			serverMessage,
		});
		this.kind = kind;
	}
}

function whyFor(kind: TimeoutKind, limitMillis: number): string {
	const seconds = `${limitMillis / 1000} s`;
	if (kind === "connect") return `no connection within ${seconds}`;
	if (kind === "reply") return `the service was silent for ${seconds}`;
	if (kind === "deadline") return `it was not done within ${seconds}, the deadline of the whole call`;
	return "408, the service waited too long for the request";
}
