import { ApiError, type CallFacts } from "./api-error";

/** 5xx: the service or something before it failed. The work may have been done. */
export class ServerError extends ApiError {
	override readonly name = "ServerError";
	readonly retryAfterMillis: number | undefined;

	constructor(
		call: CallFacts,
		status: number,
		serverMessage: string | undefined,
		retryAfterMillis: number | undefined,
	) {
		super(call, {
			why: `${status}, the service failed`,
			next:
				retryAfterMillis === undefined
					? "Try again later; if it stays, ask whoever runs the service."
					: `Try again in ${Math.ceil(retryAfterMillis / 1000)} s, as the service asks.`,
			received: "unknown",
			status,
			serverMessage,
		});
		this.retryAfterMillis = retryAfterMillis;
	}
}
