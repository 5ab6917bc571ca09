import { urlCredentials, withoutUrlCredentials } from "../schemas/url-credentials";
import { type Needle, needlesFor, needlesForText, needlesForToken } from "./redaction/needles";
import { takeOut, takeOutPlain } from "./redaction/take-out";

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

/** What must not come back in a message. */
export interface Secrets {
	readonly token: readonly Needle[];
	/** All of them; made when a message needs them, which few calls do. */
	readonly all: () => readonly Needle[];
}

/** The service's `{"message"}`, fit to print: secrets out, control characters out, not too long. */
export function cleanServerMessage(reply: unknown, secrets: Secrets): string | undefined {
	// The form of an error is not documented. The service's own client reads `message`; frameworks of its kind say `detail`.
	const { message, detail } = Object(reply);
	const text = [message, detail].find((said) => typeof said === "string");
	if (text === undefined) return undefined;
	// Secrets first: what masks the rest of a URL could cut one in half.
	return printable(withoutUrlCredentials(takeOut(text, secrets.all())), LONGEST_MESSAGE);
}

/**
 * A reply's text without the token. No reply has a reason to hold it, and what is in a reply's fields may be quoted
 * in a message or kept in a state later, far from here. Only the whole token: a value that begins like it is data.
 */
export const withoutToken = (text: string, { token }: Secrets): string =>
	takeOutPlain(
		text,
		token.map((needle) => ({ ...needle, enough: needle.text.length })),
	);

/** Fields that hold the user's own code, or URLs that may have a password in them. */
const PRIVATE_FIELDS = ["query", "repository", "requirements", "body"];

/** The secrets of a request: the token, each environment value long enough to matter, and private fields. */
export function secretsOf(token: string, request: Readonly<Record<string, unknown>>): Secrets {
	const tokenNeedles = needlesForToken(token);
	return { token: tokenNeedles, all: () => [...tokenNeedles, ...requestNeedles(request)] };
}

function requestNeedles(request: Readonly<Record<string, unknown>>): Needle[] {
	const { environment } = request;
	const lines = typeof environment === "string" ? environment.split(/\r?\n/) : [];
	const variables = lines.map((line) => line.slice(line.indexOf("=") + 1).trim());
	const texts = ["environment", ...PRIVATE_FIELDS]
		.map((field) => request[field])
		.filter((text) => typeof text === "string");
	const credentials = texts.flatMap(urlCredentials).flatMap((text) => [text, percentDecoded(text)]);
	const values = [...variables.flatMap(partsOf), ...credentials];
	return [...texts.flatMap(needlesForText), ...[...new Set(values)].flatMap(needlesFor)];
}

/** A value, and the parts of it that a service which has read it may quote. */
function partsOf(value: string): string[] {
	if (value.startsWith("{")) return [value, ...textsInJson(value).flatMap((text) => [text, ...steady(text)])];
	return [value, ...steady(value)];
}

/** Storage configs travel as JSON, escaped more than needed. */
function textsInJson(value: string): string[] {
	const texts: string[] = [];
	try {
		JSON.parse(value, (_, item: unknown) => void (typeof item === "string" && texts.push(item)));
	} catch {
		// Not JSON: the value itself is all there is to take out.
	}
	return texts;
}

/** The parts of a value that look the same however a service escapes it. */
const steady = (value: string): string[] => value.match(/[ !#$%(-.0-;=?-[\]-~]{8,}/g) ?? [];

/** The account or password that is meant where a URL has it percent-encoded; a lone percent sign is one. */
export function percentDecoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

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
