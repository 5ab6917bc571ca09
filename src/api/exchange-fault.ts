/** How an exchange broke, before anything is known about the call it belongs to. */
export type FaultKind = "network" | "connect-timeout" | "reply-timeout" | "aborted" | "too-large" | "broken";

/** Thrown by the transport only; the caller turns it into an ApiError. It holds a code and never undici's error, which may hold bytes of the reply. */
export class ExchangeFault extends Error {
	override readonly name = "ExchangeFault";

	constructor(
		readonly kind: FaultKind,
		readonly code: string,
		/** Whether any of the request may have left this machine. */
		readonly sent: boolean,
		/** Set when the reply's head had come. */
		readonly status?: number,
	) {
		super(`${kind} (${code})`);
	}
}
