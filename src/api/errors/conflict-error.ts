import { ApiError, type CallFacts } from "./api-error";

/** 409: the request contradicts what is there. */
export class ConflictError extends ApiError {
	override readonly name = "ConflictError";

	constructor(call: CallFacts, status: number, serverMessage: string | undefined) {
		super(call, {
			why: `${status}, it contradicts the present state in the service`,
			next: "Read the object again and repeat the change on what is there now.",
			received: false,
			status,
			serverMessage,
		});
	}
}
