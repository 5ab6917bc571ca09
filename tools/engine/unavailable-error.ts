import { minimumVersion } from "./versions";

export interface Attempt {
	readonly what: string;
	readonly problem: string;
}

/** No engine could be found or made; the message says what was tried and what to install. */
export class EngineUnavailableError extends Error {
	override readonly name = "EngineUnavailableError";

	constructor(readonly attempts: readonly Attempt[]) {
		const tried = attempts.map(({ what, problem }) => `${what} (${problem})`).join("; ");
		super(
			`No Pulumi engine could be found or made. Tried: ${tried}. ` +
				`Install the Pulumi CLI ${minimumVersion} or newer (https://www.pulumi.com/docs/install/) so that ` +
				"`pulumi version` answers, or Go 1.25 or newer (https://go.dev/dl/) to have it built, and run this again.",
		);
	}
}
