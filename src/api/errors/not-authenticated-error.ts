import { ApiError, type CallFacts } from "./api-error";

/** 401: the service does not know the token. */
export class NotAuthenticatedError extends ApiError {
	override readonly name = "NotAuthenticatedError";

	constructor(call: CallFacts, status: number, serverMessage: string | undefined) {
		super(call, {
			why: `${status}, the service did not accept the token`,
			next: "`pulumi-datachain doctor` says where it comes from. If it has expired, make a new one on the tokens page of the web UI, or with `datachain auth login`.",
			received: false,
			status,
			serverMessage,
		});
	}
}
