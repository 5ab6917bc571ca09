import {
	type Answer,
	ApiError,
	type CallFacts,
	type FailureFacts,
	unlessDone,
	type WasReceived,
} from "./errors";

/** What ran out: one attempt's time, the whole call's, its maximum wait in the queue, or (408) the server's own. */
export type TimeoutKind = "connect" | "reply" | "deadline" | "queue" | "server";

/** No complete reply in time. */
export class TimeoutError extends ApiError {
	override readonly name = "TimeoutError";

	constructor(
		call: CallFacts,
		readonly kind: TimeoutKind,
		received: WasReceived,
		limitMillis: number,
		answer: Answer = {},
	) {
		const option = kind === "deadline" ? "deadlineMillis" : "attemptTimeoutMillis";
		const raise = `Programs that use the client themselves can raise its ${option}.`;
		super(call, {
			...answer,
			reason: TIMEOUT_REASONS[kind](`${limitMillis / 1000} s`),
			advice:
				AFTER_TIMEOUT[kind] ??
				`${unlessDone(call, received, "Nothing was sent; check the network.")} ${raise}`,
			received,
			transient: kind !== "deadline" && kind !== "queue",
		});
	}
}

const TIMEOUT_REASONS: Readonly<Record<TimeoutKind, (limit: string) => string>> = {
	connect: (limit) => `no connection within ${limit}, the limit of one attempt`,
	reply: (limit) => `the service was silent for ${limit}, the limit of one attempt`,
	deadline: (limit) =>
		`it was not done within ${limit}, the deadline of the whole call`,
	queue: (limit) =>
		`its turn did not come within ${limit}, the limit of waiting for other writes and for the service's rate limit`,
	server: () =>
		"408, the service waited too long for the request and ended it by a limit of its own",
};

/** For the kinds where neither the limit of one attempt nor that of the call ran out. */
const AFTER_TIMEOUT: Partial<Record<TimeoutKind, string>> = {
	queue: "Try again later, or with fewer writes at once.",
	server: "Try again; no limit of this client ran out.",
};

/** No reply because of the network: refused, unresolved, reset, or TLS that does not agree. */
export class NetworkError extends ApiError {
	override readonly name = "NetworkError";

	constructor(
		call: CallFacts,
		/** The system's code, `ECONNREFUSED` for instance. */
		readonly code: string,
		received: WasReceived,
	) {
		const reason = `${NETWORK_REASONS[code] ?? "the network failed"} (${code})`;
		const advice = unlessDone(call, received, CHECK_NETWORK);
		super(call, {
			received,
			...(ownCause(code) ?? { reason, advice, transient: true }),
		});
	}
}

const CHECK_NETWORK =
	"Check the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) and the network.";

const NETWORK_REASONS: Readonly<Record<string, string>> = {
	ECONNREFUSED: "nothing listens at the base URL's address",
	ENOTFOUND: "the base URL's host name is not known",
	EAI_AGAIN: "the DNS server does not answer",
	EHOSTUNREACH: "there is no route to the host",
	ENETUNREACH: "the network is not reachable",
	ECONNRESET: "the connection was cut before a response came",
	EPIPE: "the connection was cut while the request was sent",
	UND_ERR_SOCKET: "the connection was cut before a response came",
};

const CERTIFICATE =
	/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|EPROTO/;

/** Codes with advice of their own. Most of them meet the same answer again. */
function ownCause(
	code: string,
): Pick<FailureFacts, "reason" | "advice" | "transient"> | undefined {
	if (CERTIFICATE.test(code)) {
		const advice =
			"Check the base URL and the certificate, or NODE_EXTRA_CA_CERTS for your own authority.";
		return {
			reason: `the server's certificate or TLS is not acceptable (${code})`,
			advice,
		};
	}
	if (code === "PROXY_URL") {
		const advice =
			"Write it as http://host:port, or name the service's host in NO_PROXY to go without.";
		return {
			reason: "HTTPS_PROXY or ALL_PROXY is not an http:// or https:// URL",
			advice,
		};
	}
	if (!code.startsWith("PROXY_")) return undefined;
	return {
		reason: `the proxy that HTTPS_PROXY or ALL_PROXY names does not let the request through (${code})`,
		advice:
			"Check that variable and the account in it, or name the service's host in NO_PROXY to go without.",
		// A proxy that refuses what it was asked refuses it again.
		transient: !code.startsWith("PROXY_4"),
	};
}
