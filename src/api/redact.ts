import { errorReplySchema } from "../schemas/feedback";
import { urlCredentials } from "../schemas/url-credentials";

const LONGEST_MESSAGE = 500;

/** Fields that say which object a message is about, in the order in which they are shown. */
const NAMING_FIELDS = [
	"schedule_name",
	"schedule_id",
	"pipeline_name",
	"name",
	"pipeline_id",
	"query_name",
	"job_id",
];

/** What must not come back in a message. Longest first, or one that contains another would leave its rest behind. */
export interface Secrets {
	readonly token: string;
	/** Taken out where they are repeated in full. */
	readonly texts: readonly string[];
	/** Taken out also where only their beginning is repeated: a service may cut off what it quotes. */
	readonly values: readonly string[];
}

/** Fewer characters than this are as likely to be an ordinary word. */
const SHORTEST_BEGINNING = 8;

const REDACTED = "[redacted]";

/** The service's `{"message"}`, fit to print: secrets out, control characters out, not too long. */
export function cleanServerMessage(reply: unknown, secrets: Secrets): string | undefined {
	const parsed = errorReplySchema.safeParse(reply);
	if (!parsed.success) return undefined;
	let text = parsed.data.message;
	// Before anything is cut, or half a secret could remain.
	for (const secret of secrets.texts) text = text.split(secret).join(REDACTED);
	for (const secret of secrets.values) text = withoutBeginnings(text, secret);
	return printable(text, LONGEST_MESSAGE);
}

/**
 * A reply's text without the token. No reply has a reason to hold it, and what is in a reply's fields may be quoted
 * in a message or kept in a state later, far from here.
 */
export const withoutToken = (text: string, { token }: Secrets): string => text.split(token).join(REDACTED);

function withoutBeginnings(text: string, secret: string): string {
	if (secret.length < SHORTEST_BEGINNING) return text;
	const [first = "", ...rest] = text.split(secret.slice(0, SHORTEST_BEGINNING));
	const following = secret.slice(SHORTEST_BEGINNING);
	return rest.reduce((done, part) => done + REDACTED + part.slice(commonLength(part, following)), first);
}

function commonLength(a: string, b: string): number {
	let length = 0;
	while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
	return length;
}

/** Fields that hold the user's own code, or URLs that may have a password in them. */
const PRIVATE_FIELDS = ["query", "repository", "requirements", "body"];

/**
 * The secrets of a request: the token, each environment value long enough to matter, and private fields; as they
 * are and as JSON would write them.
 */
export function secretsOf(token: string, request: Readonly<Record<string, unknown>>): Secrets {
	const { environment } = request;
	const lines = typeof environment === "string" ? environment.split(/\r?\n/) : [];
	const values = lines
		.map((line) => line.slice(line.indexOf("=") + 1).trim())
		.flatMap((value) => [value, ...textsInJson(value)]);
	const fields = PRIVATE_FIELDS.map((field) => request[field]).filter((text) => typeof text === "string");
	const texts = [environment, ...fields, ...values].filter(
		(text): text is string => typeof text === "string" && text.length >= 4,
	);
	const escaped = texts.map((text) => JSON.stringify(text).slice(1, -1));
	return {
		token,
		texts: longestFirst([token, ...texts, ...escaped]),
		values: longestFirst([token, ...values.flatMap(steadyParts), ...fields.flatMap(urlCredentials)]),
	};
}

/** Storage configs travel as JSON, escaped more than needed; a service that reads them may quote what is in them. */
function textsInJson(value: string): string[] {
	if (!value.startsWith("{")) return [];
	const texts: string[] = [];
	try {
		JSON.parse(value, (_, item: unknown) => void (typeof item === "string" && texts.push(item)));
	} catch {
		// Not JSON: the value itself is all there is to take out.
	}
	return texts;
}

/** The parts of a value that look the same however a service escapes it, once or twice. */
const steadyParts = (value: string): string[] => value.match(/[ !#$%(-.0-;=?-[\]-~]{8,}/g) ?? [];

const longestFirst = (texts: readonly string[]): string[] =>
	[...new Set(texts)].sort((a, b) => b.length - a.length);

/** ` (schedule_name "nightly", schedule_id 7)`, or nothing where the request names no object. */
export function whichObject(request: Readonly<Record<string, unknown>>): string {
	const named = NAMING_FIELDS.flatMap((field) => {
		const value = request[field];
		if (typeof value === "number") return [`${field} ${value}`];
		return typeof value === "string" && value !== "" ? [`${field} "${printable(value, 100)}"`] : [];
	});
	return named.length === 0 ? "" : ` (${named.join(", ")})`;
}

export function printable(text: string, longest: number): string {
	const clean = text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
	return clean.length > longest ? `${clean.slice(0, longest).replace(/\p{Cs}$/u, "")}…` : clean;
}
