/** A request the server answers with an error status and `{"message"}`. Messages never quote secrets or bodies. */
export class Refusal extends Error {
	override readonly name = "Refusal";

	constructor(
		readonly status: number,
		message: string,
		readonly headers: Readonly<Record<string, string>> = {},
	) {
		super(message);
	}
}

export const invalid = (message: string): Refusal => new Refusal(400, message);
export const forbidden = (message: string): Refusal => new Refusal(403, message);
export const notFound = (message: string): Refusal => new Refusal(404, message);
export const conflict = (message: string): Refusal => new Refusal(409, message);
