import { ApiError, beforeAgain, type CallFacts, type WasReceived, worseOf } from "./api-error";

const CERTIFICATE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|EPROTO/;
const CLOSED = /^UND_ERR_(DESTROYED|CLOSED)$/;
const PROXY_SETTING = "PROXY_URL";
const PROXY = /^PROXY_/;
/** A proxy that refuses what it was asked refuses it again. */
const PROXY_REFUSAL = /^PROXY_4/;

/** No reply because of the network: refused, unresolved, reset, or TLS that does not agree. */
export class NetworkError extends ApiError {
	override readonly name = "NetworkError";
	/** False where another attempt meets the same answer: a certificate that is not trusted, a client that is closed. */
	readonly transient: boolean;

	constructor(
		call: CallFacts,
		/** The system's code, `ECONNREFUSED` for instance. */
		readonly code: string,
		received: WasReceived,
	) {
		super(call, {
			why: reasonFor(code),
			next: nextFor(code, call, worseOf(call.receivedBefore, received)),
			received,
		});
		const lasting = [CERTIFICATE, CLOSED, PROXY_REFUSAL].some((codes) => codes.test(code));
		this.transient = !lasting && code !== PROXY_SETTING;
	}
}

const REASONS: Readonly<Record<string, string>> = {
	ECONNREFUSED: "nothing listens at the base URL's address",
	ENOTFOUND: "the base URL's host name is not known",
	EAI_AGAIN: "the name service does not answer",
	EHOSTUNREACH: "there is no route to the host",
	ENETUNREACH: "the network is not reachable",
	ECONNRESET: "the connection was cut before a reply came",
	EPIPE: "the connection was cut while the request was sent",
	UND_ERR_SOCKET: "the connection was cut before a reply came",
};

function reasonFor(code: string): string {
	if (CERTIFICATE.test(code)) return `the server's certificate or TLS is not acceptable (${code})`;
	if (CLOSED.test(code)) return "the client was closed";
	if (code === PROXY_SETTING) return "HTTPS_PROXY or ALL_PROXY is no http:// or https:// URL";
	if (PROXY.test(code))
		return `the proxy that HTTPS_PROXY or ALL_PROXY names does not let the request through (${code})`;
	return `${REASONS[code] ?? "the network failed"} (${code})`;
}

function nextFor(code: string, call: CallFacts, received: WasReceived): string {
	if (CERTIFICATE.test(code))
		return "Check the base URL and the certificate, or NODE_EXTRA_CA_CERTS for your own authority.";
	if (CLOSED.test(code)) return "Close the client after its last call.";
	if (code === PROXY_SETTING)
		return "Write it as http://host:port, or name the service's host in NO_PROXY to go without.";
	if (PROXY.test(code))
		return "Check that variable and the account in it, or name the service's host in NO_PROXY to go without.";
	if (received === false)
		return "Check the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) and the network.";
	return beforeAgain(call);
}
