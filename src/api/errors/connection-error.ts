import { DataChainError } from "./datachain-error";

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
