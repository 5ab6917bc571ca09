/** Root of everything this client throws on purpose. Nothing here ever holds a token, a request or a reply. */
export abstract class DataChainError extends Error {
	abstract override readonly name: string;
}

/** Connection settings that are missing or unusable. Never holds the token or the text of a bad URL. */
export class ConnectionError extends DataChainError {
	override readonly name = "ConnectionError";

	constructor(
		message: string,
		/** The settings at fault. */
		readonly settings: readonly ("baseUrl" | "token" | "teamName")[],
	) {
		super(message);
	}
}

/** A file that cannot be uploaded, or changed while it was. The service never got a complete copy of it. */
export class UploadError extends DataChainError {
	override readonly name = "UploadError";
	readonly received = false;

	constructor(
		/** The file as the caller named it. */
		readonly file: string,
		/** Reads on from "because". */
		readonly reason: string,
		advice: string,
	) {
		super(`Could not upload ${JSON.stringify(file)}: ${reason}. ${advice}`);
	}
}

/**
 * Whether the server may have done what was asked: `false` is a promise that it did not, `true` says that it
 * answered as if it had, `"unknown"` that the response was lost or does not tell.
 */
export type WasReceived = boolean | "unknown";

/** What is known about a call so far; its errors are made of it. */
export interface CallFacts {
	/** Reads on from "Could not": `update a pipeline schedule (schedule_id 7) in team "ml"`. */
	readonly action: string;
	readonly method: "GET" | "POST";
	/** Below the base URL and without the query, which may hold more than a message should. */
	readonly path: string;
	/** How often the request was sent or tried so far. */
	attempts: number;
	readonly teamName: string;
	/** False for a request about the team as a whole, such as a list. */
	readonly namesObject: boolean;
	/** What earlier attempts of the same call may have done. */
	receivedBefore: WasReceived;
	/** By which the service's own log may know the last attempt; undefined for what is no single request. */
	requestId?: string | undefined;
	/** Where the API should be, for advice if something else is there. */
	readonly baseUrl: string;
}

/** How the one attempt failed. */
export interface FailureFacts extends Answer {
	/** Reads on from a colon and ends without a full stop. */
	readonly reason: string;
	/** A sentence: what to do about it. */
	readonly advice: string;
	readonly received: WasReceived;
	/** Whether another attempt may succeed. */
	readonly transient?: boolean;
}

/** What the service answered, if it did. */
export interface Answer {
	readonly status?: number | undefined;
	/** The service's own words, already cleaned by `cleanServerMessage`. */
	readonly serverMessage?: string | undefined;
	/** How long the service asked to wait, counted from its reply. */
	readonly retryAfterMillis?: number | undefined;
}

/** A call to the service that failed. Decide on the subclass, never on the message. */
export abstract class ApiError extends DataChainError {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly status: number | undefined;
	readonly serverMessage: string | undefined;
	readonly attempts: number;
	readonly received: WasReceived;
	/** True if the same request may succeed a second time. */
	readonly transient: boolean;
	/** How long the service asked to wait, counted from its reply. */
	readonly retryAfterMillis: number | undefined;
	/** By which the service's own log knows the request; undefined if none was sent. */
	readonly requestId: string | undefined;
	/** The message without its advice, for callers that know better what to do next. */
	readonly summary: string;
	/** The message without the service's own words, which may repeat a secret: for what is stored. */
	readonly messageWithoutQuote: string;

	constructor(call: CallFacts, failure: FailureFacts) {
		const summary = describe(call, failure);
		super(`${summary} ${failure.advice}`);
		this.summary = summary;
		this.messageWithoutQuote = `${describe(call, { ...failure, serverMessage: undefined })} ${failure.advice}`;
		this.method = call.method;
		this.path = call.path;
		this.status = failure.status;
		this.serverMessage = failure.serverMessage;
		this.attempts = call.attempts;
		this.requestId = call.attempts > 0 ? call.requestId : undefined;
		this.received = leastCertain(call.receivedBefore, failure.received);
		this.transient = failure.transient ?? false;
		this.retryAfterMillis = failure.retryAfterMillis;
	}
}

/** What to do if the service surely did nothing, or else first: look whether it did. Reading does no harm twice. */
export function unlessDone(
	call: CallFacts,
	received: WasReceived,
	advice: string,
): string {
	if (leastCertain(call.receivedBefore, received) === false) return advice;
	if (call.method === "GET") return "Try again.";
	return CHECK_FIRST;
}

/** What to do after a write that may have been carried out. */
export const CHECK_FIRST =
	"Check whether the service carried out the request before you try again.";

const CHECK_ADDRESS =
	"Check that the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) points to the service, and that no proxy answers in its place.";

/** What to do if something answers that is not this API. */
function addressHint({ baseUrl }: CallFacts): string {
	const { origin, pathname } = new URL(baseUrl);
	const path = pathname.replace(/\/api$/, "");
	if (path === "") return CHECK_ADDRESS;
	return `The path ${path} of the base URL looks wrong: set DATACHAIN_STUDIO_URL or datachain:baseUrl to ${origin} if the service is there.`;
}

/** The less certain of two: a refusal now does not undo what a lost attempt before it may have done. */
export function leastCertain(a: WasReceived, b: WasReceived): WasReceived {
	if (a === true || b === true) return true;
	return a === "unknown" || b === "unknown" ? "unknown" : false;
}

function describe(call: CallFacts, failure: FailureFacts): string {
	const message = failure.serverMessage;
	const says =
		message === undefined
			? ""
			: ` The service says: "${message}"${/[.!?]$/.test(message) ? "" : "."}`;
	const tries = call.attempts > 1 ? ` after ${call.attempts} attempts` : "";
	const request =
		call.attempts > 0 && call.requestId ? `, request ${call.requestId}` : "";
	return `Could not ${call.action}${tries} (${call.method} ${call.path}${request}): ${failure.reason}.${says}`;
}

/** The message without what differs between calls that fail in the same way: how often each was tried, and its request's id. */
export const withoutRequest = (message: string): string =>
	message.replace(/ after \d+ attempts(?= \()|, request [^\s)]+(?=\))/g, "");

/** A field and what is wrong with it; never its value. */
export interface RequestProblem {
	readonly field: string;
	readonly reason: string;
}

/** The request is wrong: found before it was sent (`problems` says where), or refused by the service with 400 or 422. */
export class InvalidRequestError extends ApiError {
	override readonly name = "InvalidRequestError";

	private constructor(
		call: CallFacts,
		failure: FailureFacts,
		readonly problems: readonly RequestProblem[] = [],
	) {
		super(call, failure);
	}

	static unsent(
		call: CallFacts,
		problems: readonly RequestProblem[],
	): InvalidRequestError {
		const reason = problems
			.map(({ field, reason }) => (field === "" ? reason : `${field} ${reason}`))
			.join("; ");
		const advice = "Nothing was sent; correct the request.";
		return new InvalidRequestError(call, { reason, advice, received: false }, problems);
	}

	static refused(call: CallFacts, answer: Answer): InvalidRequestError {
		return new InvalidRequestError(
			call,
			refusal(answer, "the service refused the request", "Correct the request."),
		);
	}
}

/** Of an answer by which the work was surely not begun. */
const refusal = (answer: Answer, reason: string, advice: string): FailureFacts => ({
	...answer,
	reason: `${answer.status}, ${reason}`,
	advice,
	received: false,
});

/** 401: the service does not know the token. */
export class NotAuthenticatedError extends ApiError {
	override readonly name = "NotAuthenticatedError";

	constructor(call: CallFacts, answer: Answer) {
		const advice =
			"Run `pulumi-datachain doctor` to see where the token is set. If it has expired, create a new one on the tokens page of the web UI, or with `datachain auth login`.";
		super(call, refusal(answer, "the service did not accept the token", advice));
	}
}

/** 403: the token is known but may not do this in the team. */
export class NotAuthorizedError extends ApiError {
	override readonly name = "NotAuthorizedError";

	constructor(call: CallFacts, answer: Answer) {
		const advice =
			"Check the team name, or use a token with the needed read or write access to the JOB scope.";
		super(
			call,
			refusal(answer, `the token may not do this in team "${call.teamName}"`, advice),
		);
	}
}

/** 404. Only one that comes `fromService` says anything about the object. */
export class NotFoundError extends ApiError {
	override readonly name = "NotFoundError";
	/**
	 * True for the service's own `{"message"}` reply. A proxy's or a wrong base URL's 404 is false and must
	 * never be read as "the object is gone".
	 */
	readonly fromService: boolean;

	constructor(call: CallFacts, answer: Answer) {
		const fromService = answer.serverMessage !== undefined;
		const isObject = fromService && call.namesObject;
		const advice = isObject ? "Check the id or name and the team." : addressHint(call);
		super(call, refusal(answer, whyNotFound(call, fromService), advice));
		this.fromService = fromService;
	}
}

function whyNotFound(
	{ teamName, namesObject }: CallFacts,
	fromService: boolean,
): string {
	if (!fromService)
		return "but not in the service's own form, so it may come from a proxy or a wrong base URL";
	const lack = namesObject
		? "knows no such object in"
		: "has nothing at this address for";
	return `the service ${lack} team "${teamName}"`;
}

/** 409: the request contradicts what is there. */
export class ConflictError extends ApiError {
	override readonly name = "ConflictError";

	constructor(call: CallFacts, answer: Answer) {
		const advice =
			"Read the object again and repeat the change on its current version.";
		super(
			call,
			refusal(answer, "it conflicts with the current state in the service", advice),
		);
	}
}

/**
 * 429: too many requests, and the service asks for a longer wait than the call may make. Without a status if it
 * asked this of another call of the client, so that this one was not sent.
 */
export class RateLimitedError extends ApiError {
	override readonly name = "RateLimitedError";

	constructor(call: CallFacts, answer: Answer) {
		const { status, retryAfterMillis: millis } = answer;
		super(call, {
			...answer,
			reason: `${status === undefined ? "" : `${status}, `}the service limits the rate of requests`,
			// After a Retry-After of 0 the client has already tried again at once.
			advice: millis
				? `Try again at ${new Date(Date.now() + millis).toISOString()} (in ${Math.ceil(millis / 1000)} s).`
				: "Try again later, or with less parallelism.",
			// A rate limiter answers before the work begins; nothing that is documented says otherwise.
			received: false,
			transient: true,
		});
	}
}

/** 5xx: the service or something before it failed. The work may have been done. */
export class ServerError extends ApiError {
	override readonly name = "ServerError";

	constructor(call: CallFacts, answer: Answer) {
		const { status, retryAfterMillis: millis } = answer;
		super(call, {
			...answer,
			reason: `${status}, the service failed`,
			advice:
				millis === undefined
					? "Try again later; if that does not help, contact the operator of the service."
					: `Try again in ${Math.ceil(millis / 1000)} s, as the service asks.`,
			received: "unknown",
			transient: true,
		});
	}
}

/**
 * The server answered with something that is not this API: HTML, a redirect, broken JSON, wrong types, too much. It is
 * transient if the response was damaged on the way (cut off, broken JSON), so that a second one may be whole.
 */
export class UnexpectedReplyError extends ApiError {
	override readonly name: string = "UnexpectedReplyError";

	constructor(
		call: CallFacts,
		facts: Omit<FailureFacts, "advice"> & { readonly advice?: string },
	) {
		super(call, {
			advice: facts.transient ? CHECK_ADDRESS : addressHint(call),
			...facts,
		});
	}
}

/** The reply is about another object than the one that was asked for. */
export class OtherObjectError extends UnexpectedReplyError {
	override readonly name = "OtherObjectError";

	constructor(call: CallFacts, reason: string) {
		super(call, {
			reason: `200, but the response is about ${reason}`,
			status: 200,
			received: true,
			advice: "The response was ignored. Contact the operator of the service.",
		});
	}
}

/** A reply with `"ok": false`. The documentation shows the flag but not what it means; nothing is assumed done. */
export class RefusedError extends UnexpectedReplyError {
	override readonly name = "RefusedError";

	constructor(call: CallFacts, answer: Answer) {
		super(call, {
			...answer,
			reason: 'the service answered "ok": false',
			advice: "Read the object back to see its current values.",
			received: "unknown",
		});
	}
}

/** The caller's AbortSignal ended the call, its `mayRepeat`, or the client's `close()`. */
export class AbortedError extends ApiError {
	override readonly name = "AbortedError";
	/** As Node's own abort errors carry it. */
	readonly code = "ABORT_ERR";

	constructor(call: CallFacts, received: WasReceived) {
		const advice = unlessDone(call, received, "Nothing was done.");
		super(call, { reason: "it was cancelled", advice, received });
	}
}

/** The service ended the log with a message of its own, or the log cannot be read on. */
export class LogStreamError extends ApiError {
	override readonly name = "LogStreamError";

	constructor(call: CallFacts, reason: string, advice: string, serverMessage?: string) {
		super(call, { reason, advice, received: true, serverMessage });
	}
}

/** The code of a system's error, which unlike its message names no path and no user. */
export const errorCode = (error: unknown, otherwise = "unknown"): string =>
	error instanceof Error && "code" in error && typeof error.code === "string"
		? error.code
		: otherwise;

/** An error of which only the code is read. */
export const codedError = (code: string): Error =>
	Object.assign(new Error(code), { code });

const NOT_THERE = /not found|does ?n[o']t exist|no such/i;

/**
 * Whether the service itself says that an object does not exist; a proxy's 404 says nothing about it. The form of that
 * answer is not documented, so a list must confirm it before a state is dropped.
 */
export const isMissing = (error: unknown): boolean =>
	(error instanceof NotFoundError && error.fromService) ||
	(error instanceof InvalidRequestError && NOT_THERE.test(error.serverMessage ?? ""));
