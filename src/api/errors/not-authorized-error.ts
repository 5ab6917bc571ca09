import { ApiError, type CallFacts } from "./api-error";

/** 403: the token is known but may not do this in the team. */
export class NotAuthorizedError extends ApiError {
	override readonly name = "NotAuthorizedError";

	constructor(call: CallFacts, status: number, serverMessage: string | undefined) {
		super(call, {
			why: `${status}, the token may not do this in team "${call.teamName}"`,
			next: "Check the team name, or use a token with the needed read or write access to the JOB scope.",
			received: false,
			status,
			serverMessage,
		});
	}
}
