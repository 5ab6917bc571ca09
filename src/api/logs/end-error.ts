import { type ApiError, LogStreamError, NetworkError, TimeoutError, UnexpectedReplyError } from "../errors";
import type { CallFacts } from "../errors/api-error";
import type { Secrets } from "../redact";
import { statusError } from "../reply";
import type { ReadEnd } from "./log-reader";

const TOO_BIG = 1009;
const POLICY = 1008;

/** The error that the end of a connection stands for, should it be the last. */
export function endError(end: ReadEnd, call: CallFacts, secrets: Secrets): ApiError {
	switch (end.kind) {
		case "refused":
			return statusError(end, call, secrets);
		case "closed":
			if (end.code === TOO_BIG) return tooBig(call);
			if (end.code === POLICY) return notPermitted(call);
			return new NetworkError(call, `WebSocket close ${end.code}`, "unknown");
		case "failed":
			if (end.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") return tooBig(call);
			return new NetworkError(call, end.code, "unknown");
		case "blob-failed":
			return new NetworkError(call, `stored log: ${end.code}`, "unknown");
		case "broken-frame":
			return new UnexpectedReplyError(call, {
				why: "a part of the log does not have the documented form",
				received: true,
				broken: true,
			});
		case "silent":
			return new TimeoutError(call, "reply", "unknown", end.millis);
		case "stopped":
			return new NetworkError(call, "closed here", "unknown");
	}
}

const tooBig = (call: CallFacts) =>
	new LogStreamError(call, "a part of the log is larger than 2 MiB", "Read the log in the web UI.");

const notPermitted = (call: CallFacts) =>
	new LogStreamError(call, "the service closed the log as not permitted", "Check the token and the team.");
