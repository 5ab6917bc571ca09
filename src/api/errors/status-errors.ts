import { ApiError, addressHint, type CallFacts } from "./api-error";

/** Of an answer by which the work was surely not begun. */
const refusal = (status?: number, serverMessage?: string) => ({ received: false, status, serverMessage });

/** 401: the service does not know the token. */
export class NotAuthenticatedError extends ApiError {
	override readonly name = "NotAuthenticatedError";

	constructor(call: CallFacts, status: number, serverMessage: string | undefined) {
		super(call, {
			why: `${status}, the service did not accept the token`,
			next: "`pulumi-datachain doctor` says where it comes from. If it has expired, make a new one on the tokens page of the web UI, or with `datachain auth login`.",
			...refusal(status, serverMessage),
		});
	}
}

/** 403: the token is known but may not do this in the team. */
export class NotAuthorizedError extends ApiError {
	override readonly name = "NotAuthorizedError";

	constructor(call: CallFacts, status: number, serverMessage: string | undefined) {
		super(call, {
			why: `${status}, the token may not do this in team "${call.teamName}"`,
			next: "Check the team name, or use a token with the needed read or write access to the JOB scope.",
			...refusal(status, serverMessage),
		});
	}
}

/** 404. Only one that comes `fromService` says anything about the object. */
export class NotFoundError extends ApiError {
	override readonly name = "NotFoundError";

	constructor(
		call: CallFacts,
		status: number,
		serverMessage: string | undefined,
		/**
		 * True for the service's own `{"message"}` reply. A proxy's or a wrong base URL's 404 is false and must
		 * never be read as "the object is gone".
		 */
		readonly fromService: boolean,
	) {
		super(call, {
			why: whyNotFound(call, status, fromService),
			next: fromService && call.namesObject ? "Check the id or name and the team." : addressHint(call),
			...refusal(status, serverMessage),
		});
	}
}

function whyNotFound({ teamName, namesObject }: CallFacts, status: number, fromService: boolean): string {
	if (!fromService)
		return `${status}, but not in the service's own form, so it may come from a proxy or a wrong base URL`;
	const what = namesObject ? "knows no such object in" : "has nothing at this address for";
	return `${status}, the service ${what} team "${teamName}"`;
}

/** 409: the request contradicts what is there. */
export class ConflictError extends ApiError {
	override readonly name = "ConflictError";

	constructor(call: CallFacts, status: number, serverMessage: string | undefined) {
		super(call, {
			why: `${status}, it contradicts the present state in the service`,
			next: "Read the object again and repeat the change on what is there now.",
			...refusal(status, serverMessage),
		});
	}
}

/**
 * 429: too many requests, and the service asks for a longer wait than the call may make. Without a status where it
 * asked this of another call of the client, so that this one was not sent.
 */
export class RateLimitedError extends ApiError {
	override readonly name = "RateLimitedError";

	constructor(
		call: CallFacts,
		status: number | undefined,
		serverMessage: string | undefined,
		/** How long the service asked to wait, counted from its reply. */
		readonly retryAfterMillis: number | undefined,
	) {
		super(call, {
			why: `${status === undefined ? "" : `${status}, `}the service limits the rate of requests`,
			next:
				retryAfterMillis === undefined
					? "Try again later, or with less parallelism."
					: `Try again at ${new Date(Date.now() + retryAfterMillis).toISOString()} (in ${Math.ceil(retryAfterMillis / 1000)} s).`,
			// A limiter answers before the work is begun; the facts say nothing else.
			...refusal(status, serverMessage),
		});
	}
}

/** 5xx: the service or something before it failed. The work may have been done. */
export class ServerError extends ApiError {
	override readonly name = "ServerError";

	constructor(
		call: CallFacts,
		status: number,
		serverMessage: string | undefined,
		readonly retryAfterMillis: number | undefined,
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
	}
}
