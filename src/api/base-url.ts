import { ConnectionError } from "./errors";

/** Where the service's own client looks, too, when nobody says otherwise. */
export const DEFAULT_URL = "https://studio.datachain.ai";

/** True for hosts that are this machine, where plain http is safe. Takes the form `URL.hostname` has. */
export function isLoopback(hostname: string): boolean {
	return (
		hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
	);
}

/**
 * The base URL in the one form used inside: no trailing slash, ending in `/api`. The service's own client takes
 * it without `/api`, the REST document with it; both are accepted. Messages never repeat the text, which may
 * hold a password.
 */
export function normalizeBaseUrl(text: string): string {
	const url = parse(text.trim());
	if (url.username !== "" || url.password !== "") {
		throw refuse("has a user name or password in it", "Remove them; the token is a setting of its own.");
	}
	if (text.includes("?")) throw refuse("has a query", "Remove everything from the ? on.");
	if (text.includes("#")) throw refuse("has a fragment", "Remove everything from the # on.");
	if (url.protocol === "http:" && !isLoopback(url.hostname)) {
		throw refuse(
			`would send the token unencrypted to ${url.host}`,
			"Use https://; plain http is for loopback addresses only.",
		);
	}
	const path = url.pathname.replace(/\/+$/, "");
	return `${url.origin}${path.endsWith("/api") ? path : `${path}/api`}`;
}

const FORM = "Write it as https://studio.example.com, with or without /api.";

function parse(text: string): URL {
	if (!/^https?:\/\/[^/]/i.test(text)) throw refuse("does not start with https://", FORM);
	if (/[\s\\]|\p{Cc}/u.test(text))
		throw refuse("has a space, a backslash or a control character", "Remove it.");
	if (!URL.canParse(text)) throw refuse("is not a URL", FORM);
	return new URL(text);
}

function refuse(why: string, next: string): ConnectionError {
	return new ConnectionError(`The base URL cannot be used: it ${why}. ${next}`, ["baseUrl"]);
}
