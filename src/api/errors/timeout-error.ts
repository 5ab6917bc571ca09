import { ApiError, beforeAgain, type CallFacts, type WasReceived, worseOf } from "./api-error";

/** What ran out: one attempt's time, the whole call's, its patience in the queue, or (408) the server's own. */
export type TimeoutKind = "connect" | "reply" | "deadline" | "admission" | "server";

/** No complete reply in time. */
export class TimeoutError extends ApiError {
	override readonly name = "TimeoutError";

	constructor(
		call: CallFacts,
		readonly kind: TimeoutKind,
		received: WasReceived,
		limitMillis: number,
		serverMessage?: string,
	) {
		super(call, {
			why: REASONS[kind](`${limitMillis / 1000} s`),
			next: nextFor(kind, call, worseOf(call.receivedBefore, received)),
			received,
			status: kind === "server" ? 408 : undefined,
			serverMessage,
		});
	}
}

const REASONS: Readonly<Record<TimeoutKind, (limit: string) => string>> = {
	connect: (limit) => `no connection within ${limit}, the limit of one attempt`,
	reply: (limit) => `the service was silent for ${limit}, the limit of one attempt`,
	deadline: (limit) => `it was not done within ${limit}, the deadline of the whole call`,
	admission: (limit) =>
		`its turn did not come within ${limit}, the limit of waiting for other writes and for the service's rate limit`,
	server: () => "408, the service waited too long for the request and ended it by a limit of its own",
};

function nextFor(kind: TimeoutKind, call: CallFacts, received: WasReceived): string {
	if (kind === "server") return "Try again; no limit of this client ran out.";
	if (kind === "admission") return "Try again later, or with fewer writes at once.";
	const limit = kind === "deadline" ? "deadlineMillis" : "attemptTimeoutMillis";
	const raise = `Programs that use the client themselves can raise its ${limit}.`;
	if (received === false) return `Nothing was sent; check the network. ${raise}`;
	return `${beforeAgain(call)} ${raise}`;
}
