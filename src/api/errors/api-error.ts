import { DataChainError } from "./datachain-error";

/**
 * Whether the server may have done what was asked: `false` is a promise that it did not, `true` says that it
 * answered as if it had, `"unknown"` that the reply was lost or does not tell.
 */
export type WasReceived = boolean | "unknown";

/** What is known about a call when it fails. */
export interface CallFacts {
	/** Reads on from "Could not": `update a pipeline schedule (schedule_id 7) in team "ml"`. */
	readonly what: string;
	readonly method: "GET" | "POST";
	/** Below the base URL and without the query, which may hold more than a message should. */
	readonly path: string;
	/** How often the request was sent or tried; 0 where it was refused before that. */
	readonly attempts: number;
	readonly teamName: string;
	/** False for a request about the team as a whole, such as a list. */
	readonly namesObject?: boolean | undefined;
	/** What earlier attempts of the same call may have done. */
	readonly receivedBefore: WasReceived;
	/** By which the service's own log may know the request; undefined for what is no single request. */
	readonly requestId?: string | undefined;
	/** Where the API should be, for advice where something else is there. */
	readonly baseUrl?: string | undefined;
}

/** How the one attempt failed. */
export interface FailureFacts {
	/** Reads on from a colon and ends without a full stop. */
	readonly why: string;
	/** A sentence: what to do about it. */
	readonly next: string;
	readonly received: WasReceived;
	readonly status?: number | undefined;
	/** The service's own words, already cleaned by `cleanServerMessage`. */
	readonly serverMessage?: string | undefined;
}

/** A call to the service that failed. Decide on the subclass, never on the message. */
export abstract class ApiError extends DataChainError {
	readonly method: "GET" | "POST";
	readonly path: string;
	readonly status: number | undefined;
	readonly serverMessage: string | undefined;
	readonly attempts: number;
	readonly received: WasReceived;
	/** By which the service's own log knows the request; undefined where none was sent. */
	readonly requestId: string | undefined;

	constructor(call: CallFacts, failure: FailureFacts) {
		super(describe(call, failure));
		this.method = call.method;
		this.path = call.path;
		this.status = failure.status;
		this.serverMessage = failure.serverMessage;
		this.attempts = call.attempts;
		this.requestId = call.attempts > 0 ? call.requestId : undefined;
		this.received = worseOf(call.receivedBefore, failure.received);
	}
}

/** What to do first where the service may have done what was asked; reading does no harm twice. */
export const beforeAgain = ({ method }: CallFacts): string =>
	method === "GET" ? "Try again." : "Look whether the service did the work before you try again.";

export const CHECK_ADDRESS =
	"Check that the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) is that of the service, and that no proxy answers for it.";

/** What to do where something answers that is not this API. */
export function addressHint({ baseUrl }: CallFacts): string {
	const url = baseUrl === undefined ? undefined : new URL(baseUrl);
	const path = url?.pathname.replace(/\/api$/, "") ?? "";
	if (url === undefined || path === "") return CHECK_ADDRESS;
	return `The path ${path} of the base URL looks wrong: set DATACHAIN_STUDIO_URL or datachain:baseUrl to ${url.origin} if the service is there.`;
}

/** The less certain of two: a refusal now does not undo what a lost attempt before it may have done. */
export function worseOf(a: WasReceived, b: WasReceived): WasReceived {
	if (a === true || b === true) return true;
	return a === "unknown" || b === "unknown" ? "unknown" : false;
}

function describe(call: CallFacts, failure: FailureFacts): string {
	const message = failure.serverMessage;
	const says =
		message === undefined ? "" : ` The service says: "${message}"${/[.!?]$/.test(message) ? "" : "."}`;
	const tries = call.attempts > 1 ? ` after ${call.attempts} attempts` : "";
	const request = call.attempts > 0 && call.requestId ? `, request ${call.requestId}` : "";
	return `Could not ${call.what}${tries} (${call.method} ${call.path}${request}): ${failure.why}.${says} ${failure.next}`;
}
