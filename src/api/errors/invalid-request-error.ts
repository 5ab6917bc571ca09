import { ApiError, type CallFacts, type FailureFacts } from "./api-error";

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
		failure: Omit<FailureFacts, "received">,
		readonly problems: readonly RequestProblem[],
	) {
		super(call, { ...failure, received: false });
	}

	static unsent(call: CallFacts, problems: readonly RequestProblem[]): InvalidRequestError {
		const why = problems
			.map(({ field, reason }) => (field === "" ? reason : `${field} ${reason}`))
			.join("; ");
		return new InvalidRequestError(call, { why, next: "Nothing was sent; correct the request." }, problems);
	}

	static refused(call: CallFacts, status: number, serverMessage: string | undefined): InvalidRequestError {
		const why = `${status}, the service refused the request`;
		return new InvalidRequestError(call, { why, next: "Correct the request.", status, serverMessage }, []);
	}
}
