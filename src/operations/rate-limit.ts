import type { ClientOptions } from "../client";

/** Whoever watches a deployment should know by then why nothing happens. */
const LONG_WAIT_MILLIS = 5_000;
const RATE_LIMITED =
	"The service limits the rate of requests (HTTP 429). The provider waits as long as the service asks for, ten minutes at most, " +
	"and then continues. No action is needed.";

/** Says why nothing happens while the service makes the client wait. */
export const noticeLongWaits =
	(notice: (text: string) => void): NonNullable<ClientOptions["onRetry"]> =>
	({ because, delayMillis }) => {
		if (because === "RateLimitedError" && delayMillis >= LONG_WAIT_MILLIS)
			notice(RATE_LIMITED);
	};
