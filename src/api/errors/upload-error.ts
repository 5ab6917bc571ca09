import { DataChainError } from "./datachain-error";

/** A file that cannot be uploaded, or changed while it was. The service never got a complete copy of it. */
export class UploadError extends DataChainError {
	override readonly name = "UploadError";
	readonly received = false;

	constructor(
		/** The file as the caller named it. */
		readonly file: string,
		/** Reads on from "because". */
		readonly reason: string,
		next: string,
	) {
		super(`Could not upload ${JSON.stringify(file)}: ${reason}. ${next}`);
	}
}
