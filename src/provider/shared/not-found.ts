import { InvalidRequestError, NotFoundError } from "../../api";
import type { Call } from "../context";
import type { Props } from "../handler";

const NOT_THERE = /not found|does ?n[o']t exist|no such/i;

/**
 * Where the service itself says that there is no such thing; a proxy's 404 says nothing of it. How it says so is not
 * documented: whoever drops a state for it lets a list confirm it.
 */
export const isMissing = (error: unknown): boolean =>
	(error instanceof NotFoundError && error.fromService) ||
	(error instanceof InvalidRequestError && NOT_THERE.test(error.serverMessage ?? ""));

export function missingIsUndefined(error: unknown): undefined {
	if (!isMissing(error)) throw error;
	return undefined;
}

/** "Not found" proves nothing when the state was made against another service: dropping it would lose the state. */
export function refuseOtherService(call: Call, known: Props, what: string): void {
	if (typeof known.serviceUrl !== "string" || known.serviceUrl === call.serviceUrl) return;
	throw new Error(
		`${what}, but it was deployed to ${known.serviceUrl} and the connection now points to ${call.serviceUrl}. ` +
			"Set DATACHAIN_STUDIO_URL (or datachain:baseUrl) to the service it was deployed to. Nothing was changed.",
	);
}
