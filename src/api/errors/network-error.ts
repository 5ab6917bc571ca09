import { ApiError, beforeAgain, type CallFacts, type WasReceived, worseOf } from "./api-error";

/** No reply because of the network: refused, unresolved, reset, or TLS that does not agree. */
export class NetworkError extends ApiError {
	override readonly name = "NetworkError";
	/** The system's code, `ECONNREFUSED` for instance. */
	readonly code: string;
	/** False where another attempt meets the same answer: a certificate that is not trusted, a client that is closed. */
	readonly transient: boolean;

	constructor(call: CallFacts, code: string, received: WasReceived) {
		super(call, {
			why: reasonFor(code),
			next: nextFor(code, call, worseOf(call.receivedBefore, received)),
			received,
		});
		this.code = code;
		this.transient =
			!isCertificateCode(code) && !isClosed(code) && !isProxySetting(code) && !code.startsWith("PROXY_4");
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
	if (isCertificateCode(code)) return `the server's certificate or TLS is not acceptable (${code})`;
	if (isClosed(code)) return "the client was closed";
	if (isProxySetting(code)) return "HTTPS_PROXY or ALL_PROXY is no http:// or https:// URL";
	if (isProxy(code))
		return `the proxy that HTTPS_PROXY or ALL_PROXY names does not let the request through (${code})`;
	return `${REASONS[code] ?? "the network failed"} (${code})`;
}

function nextFor(code: string, call: CallFacts, received: WasReceived): string {
	if (isCertificateCode(code))
		return "Check the base URL and the certificate, or NODE_EXTRA_CA_CERTS for your own authority.";
	if (isClosed(code)) return "Close the client after its last call.";
	if (isProxySetting(code))
		return "Write it as http://host:port, or name the service's host in NO_PROXY to go without.";
	if (isProxy(code))
		return "Check that variable and the account in it, or name the service's host in NO_PROXY to go without.";
	if (received === false)
		return "Check the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) and the network.";
	return beforeAgain(call);
}

function isCertificateCode(code: string): boolean {
	return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|EPROTO/.test(code);
}

function isProxy(code: string): boolean {
	return code.startsWith("PROXY_");
}

function isProxySetting(code: string): boolean {
	return code === "PROXY_URL";
}

function isClosed(code: string): boolean {
	return code === "UND_ERR_DESTROYED" || code === "UND_ERR_CLOSED";
}
