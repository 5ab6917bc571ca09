/**
 * The one rule for credentials in URLs: `https://user:password@host`, `https://token@host` and `https://host/?token=…`; not
 * the user of `ssh://git@host`, and not the revision in `host/repo@main`. Passwords that should have been percent-encoded and were
 * not are passwords all the same: what stands before the last `@` of the host's part, and where that has none but
 * `user:` with something that is no port, all up to the last `@`.
 */
export const holdsUrlCredentials = (text: string): boolean =>
	!credentialSpans(text).next().done;

/** The text with `***` in place of the credentials in its URLs. */
export function withoutUrlCredentials(text: string): string {
	let [masked, done] = ["", 0];
	for (const { start, end } of credentialSpans(text)) {
		if (start >= done) masked += `${text.slice(done, start)}***`;
		done = Math.max(done, end);
	}
	return masked + text.slice(done);
}

/** The credentials in the text's URLs: each whole, and of a user with a password (`user:password`) also the secret half. */
export function urlCredentials(text: string): string[] {
	return [...credentialSpans(text)].flatMap(({ start, end, isParameter }) => {
		const whole = text.slice(start, end);
		if (isParameter) return [whole];
		const at = whole.indexOf(":");
		const [user, password] =
			at < 0 ? [whole, ""] : [whole.slice(0, at), whole.slice(at + 1)];
		return [...new Set([whole, FILLERS.includes(password) ? user : password])];
	});
}

/** Passwords that stand beside a token in the user's place. */
const FILLERS: readonly string[] = ["", "x-oauth-basic"];

interface Span {
	readonly start: number;
	readonly end: number;
	/** The value of a parameter, and not what stands before the host. */
	readonly isParameter?: boolean;
}

/** In the order of their starts. They may overlap: the value of a parameter may hold a URL with a password. */
function* credentialSpans(text: string): Generator<Span> {
	for (const word of text.matchAll(/\S+/g)) {
		if (!word[0].includes("://")) continue;
		const spans: Span[] = [...userSpans(word[0]), ...parameterSpans(word[0])];
		for (const span of spans.sort((one, other) => one.start - other.start))
			yield { ...span, start: word.index + span.start, end: word.index + span.end };
	}
}

/** By hand and not by an expression: a text made of `://` and `@` must not take longer than others of its length. */
function* userSpans(word: string): Generator<Span> {
	const lastAt = word.lastIndexOf("@");
	let from = 0;
	while (from < lastAt) {
		const scheme = word.indexOf("://", from);
		if (scheme < 0) break;
		const start = scheme + 3;
		const end = credentialsEnd(word, start, lastAt);
		if (end > start && word.slice(start, end) !== "git") yield { start, end };
		from = Math.max(start, end);
	}
}

/** Parameters of a URL whose values are credentials by their names, such as those of a signed address. */
const SECRET_PARAMETER =
	/(?<=[?&])(?:[\w.-]*[-_.])?(?:token|secret|password|passwd|sig|signature|credential|api-?_?key|access-?_?key)=([^&#]+)/dgi;

function* parameterSpans(word: string): Generator<Span> {
	for (const { indices } of word.matchAll(SECRET_PARAMETER)) {
		const [start, end] = indices?.[1] ?? [0, 0];
		yield { start, end, isParameter: true };
	}
}

/** Where the credentials that start here end; the start itself if there are none. */
function credentialsEnd(word: string, start: number, lastAt: number): number {
	let close = start;
	while (close < word.length && !"/?#".includes(word.charAt(close))) close += 1;
	const host = word.slice(start, close);
	const at = host.lastIndexOf("@");
	if (at >= 0) return start + at;
	// Brackets are an IPv6 address, and digits are a port.
	const isHost = /^(\[[^\]]*\]|[^:]*)(:\d*)?$/.test(host);
	return isHost ? start : lastAt;
}

/** Settings whose text can hold the credentials of a URL: `https://user:password@host/…`, `https://token@host/…`. */
export const URL_FIELDS = ["repository", "requirements"] as const;

/** True of a text, or of a list with a text, that must not be stored in plain text. */
export const holdsCredentials = (value: unknown): boolean =>
	Array.isArray(value)
		? value.some(holdsCredentials)
		: typeof value === "string" && holdsUrlCredentials(value);
