import { ApiError, type CallFacts } from "./api-error";

/** A field and what is wrong with it; never its value. */
export interface RequestProblem {
	readonly field: string;
	readonly reason: string;
}

/** The request is wrong: found before it was sent (`problems` says where), or refused by the service with 400 or 422. */
export class InvalidRequestError extends ApiError {
	override readonly name = "InvalidRequestError";
	readonly problems: readonly RequestProblem[];

	private constructor(
		call: CallFacts,
		why: string,
		problems: readonly RequestProblem[],
		status?: number,
		serverMessage?: string,
	) {
		super(call, {
			why,
			next: problems.length > 0 ? "Nothing was sent; correct the request." : "Correct the request.",
			received: false,
			status,
			serverMessage,
		});
		this.problems = problems;
	}

	static unsent(call: CallFacts, problems: readonly RequestProblem[]): InvalidRequestError {
		const list = problems
			.map(({ field, reason }) => (field === "" ? reason : `${field} ${reason}`))
			.join("; ");
		return new InvalidRequestError(call, list, problems);
	}

	static refused(call: CallFacts, status: number, serverMessage: string | undefined): InvalidRequestError {
		return new InvalidRequestError(
			call,
			`${status}, the service refused the request`,
			[],
			status,
			serverMessage,
		);
	}
}
