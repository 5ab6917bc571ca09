import { ApiError, type CallFacts } from "./api-error";

/** 401: the service does not know the token. */
export class NotAuthenticatedError extends ApiError {
	override readonly name = "NotAuthenticatedError";

	constructor(call: CallFacts, status: number, serverMessage: string | undefined) {
		super(call, {
			why: `${status}, the service did not accept the token`,
			next: "Check DATACHAIN_STUDIO_TOKEN or datachain:token; make a new token on the tokens page of the web UI if it has expired.",
			received: false,
			status,
			serverMessage,
		});
	}
}
