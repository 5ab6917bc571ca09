import { urlCredentials, withoutUrlCredentials } from "../text/credentials";
import { viewsOf } from "./escapes";

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
export function cleanServerMessage(
	reply: unknown,
	secrets: Secrets,
): string | undefined {
	// The form of an error is not documented. The service's own client reads `message`; frameworks of its kind say `detail`.
	const { message, detail } = Object(reply);
	const said =
		[message, detail].find((one) => typeof one === "string") ?? messagesIn(detail);
	const text = said?.trim() ? said : undefined;
	if (text === undefined) return undefined;
	// Secrets first: what masks the rest of a URL could cut one in half.
	return printable(withoutUrlCredentials(redact(text, secrets.all())), LONGEST_MESSAGE);
}

/** The texts of a list of problems, `[{"msg"}]`, as frameworks of its kind answer a request that they could not read. */
function messagesIn(detail: unknown): string | undefined {
	if (!Array.isArray(detail)) return undefined;
	return detail
		.flatMap((each) => (typeof each?.msg === "string" ? [each.msg] : []))
		.join("; ");
}

/**
 * A reply's text without the token. No reply has a reason to hold it, and what is in a reply's fields may be quoted
 * in a message or kept in a state later, far from here. Only the whole token: a value that begins like it is data.
 */
export const withoutToken = (text: string, { token }: Secrets): string =>
	replaced(
		text,
		token.flatMap((needle) => [
			...occurrences(text, { ...needle, enough: needle.text.length }),
		]),
	);

/** Fields that hold the user's own code, or URLs that may have a password in them. */
const PRIVATE_FIELDS = ["query", "repository", "requirements", "body"];

/**
 * The secrets of a request: the token, each environment value long enough to matter, and private fields; `more` are those
 * that earlier requests have sent.
 */
export function secretsOf(
	token: string,
	request: Readonly<Record<string, unknown>>,
	sentEarlier: () => readonly string[] = () => [],
): Secrets {
	const tokenNeedles = needlesForToken(token);
	const sentBefore = () =>
		[...new Set(sentEarlier().flatMap(partsOf))].flatMap(needlesFor);
	return {
		token: tokenNeedles,
		all: () => [...tokenNeedles, ...requestNeedles(request), ...sentBefore()],
	};
}

function requestNeedles(request: Readonly<Record<string, unknown>>): Needle[] {
	const { environment } = request;
	const lines = typeof environment === "string" ? environment.split("\n") : [];
	const variables = lines.map((line) => line.slice(line.indexOf("=") + 1).trim());
	const texts = ["environment", ...PRIVATE_FIELDS]
		.map((field) => request[field])
		.filter((text) => typeof text === "string");
	const credentials = texts
		.flatMap(urlCredentials)
		.flatMap((text) => [text, percentDecoded(text)]);
	const values = [...variables.flatMap(partsOf), ...credentials];
	return [
		...texts.flatMap(needlesForText),
		...[...new Set(values)].flatMap(needlesFor),
	];
}

/** A value, and the parts of it that a service which has read it may quote. */
function partsOf(value: string): string[] {
	if (value.startsWith("{"))
		return [
			value,
			...textsInJson(value).flatMap((text) => [text, ...partsWithoutEscapes(text)]),
		];
	return [value, ...partsWithoutEscapes(value)];
}

/** Storage configs travel as JSON, escaped more than needed. */
function textsInJson(value: string): string[] {
	const texts: string[] = [];
	try {
		JSON.parse(
			value,
			(_, item: unknown) => void (typeof item === "string" && texts.push(item)),
		);
	} catch {
		// Not JSON: the value itself is all there is to redact.
	}
	return texts;
}

/** The parts of a value that look the same however a service escapes it. */
const partsWithoutEscapes = (value: string): string[] =>
	value.match(/[ !#$%(-.0-;=?-[\]-~]{8,}/g) ?? [];

/** The account or password that is meant if a URL has it percent-encoded; a lone percent sign is one. */
export function percentDecoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** ` (schedule_name "nightly", schedule_id 7)`, or nothing if the request names no object. */
export function objectLabel(request: Readonly<Record<string, unknown>>): string {
	const named = NAMING_FIELDS.flatMap((field) => {
		const value = request[field];
		if (typeof value === "number") return [`${field} ${value}`];
		return typeof value === "string" && value !== ""
			? [`${field} "${printable(value, 100)}"`]
			: [];
	});
	return named.length === 0 ? "" : ` (${named.join(", ")})`;
}

export function printable(text: string, longest: number): string {
	const clean = text
		.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ")
		.trim();
	return clean.length > longest
		? `${clean.slice(0, longest).replace(/\p{Cs}/u, "")}…`
		: clean;
}

/** A text to be redacted. */
export interface Needle {
	readonly text: string;
	/** How much of its beginning is enough: a service may cut off what it quotes. */
	readonly enough: number;
	/** Redacted only as a whole word: inside another one it is as likely to be an ordinary part of that. */
	readonly wholeWord: boolean;
}

/** Shorter ones are found in ordinary words. */
const SHORTEST_ANYWHERE = 8;
/** Shorter ones are ordinary words. */
const SHORTEST = 4;
/** As much of a longer text is its own; its first word is not. */
const ENOUGH_OF_TEXT = 64;

/** A secret, and what it becomes in base64. */
export const needlesFor = (secret: string): Needle[] =>
	formsOf(secret, SHORTEST_ANYWHERE);

/** A longer text, of which single words may be repeated. */
export const needlesForText = (text: string): Needle[] => formsOf(text, ENOUGH_OF_TEXT);

function formsOf(text: string, enough: number): Needle[] {
	if (text.length < SHORTEST) return [];
	return [text, ...base64Forms(text)].map((form) => needle(form, enough));
}

/** Messages cut a long name; shorter ones are quoted whole. */
const ENOUGH_OF_NAME = 48;

/** A name, as a whole because names begin alike; a short one in its quotes, because without them it could be any word. */
export function needlesForName(name: string): Needle[] {
	const text = name.length < SHORTEST ? JSON.stringify(name) : name;
	return [{ text, enough: Math.min(text.length, ENOUGH_OF_NAME), wholeWord: true }];
}

/** The token, which is a secret however short, in the forms in which it can stand in a reply. */
function needlesForToken(token: string): Needle[] {
	const escaped = [
		token,
		JSON.stringify(token).slice(1, -1),
		encodeURIComponent(token),
	];
	const whole = escaped.map((text) => needle(text, SHORTEST_ANYWHERE));
	return [...whole, ...needlesFor(token)];
}

const needle = (text: string, enough: number): Needle => ({
	text,
	enough: Math.min(enough, text.length),
	wholeWord: text.length < SHORTEST_ANYWHERE,
});

/**
 * Alone, which is also how it begins something longer, and behind one or two bytes of its group of three. What stands
 * after it may change the last character; a beginning is enough to be found.
 */
function base64Forms(secret: string): string[] {
	const bytes = Buffer.from(secret);
	const alone = bytes.toString("base64");
	const behind = (before: number) =>
		Buffer.concat([Buffer.alloc(before), bytes])
			.toString("base64")
			.slice(before + 1);
	const forms = [alone, behind(1), behind(2)].map((form) => form.replaceAll("=", ""));
	const urlSafe = forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
	return [...new Set([...forms, ...urlSafe])];
}

/** What stands in the place of a secret. */
export const REDACTED = "[redacted]";

/** Where a message is longer, its rest is not shown. */
const LONGEST_READ = 256 * 1024;
/** As much of its end could be the beginning of a secret that is too short to be known as one. */
const UNSURE = 1024;

type Span = readonly [start: number, end: number];

/** The text without the needles, however it escapes them. */
export function redact(
	text: string,
	needles: readonly Needle[],
	longest = LONGEST_READ,
): string {
	if (needles.length === 0) return text;
	const read = text.slice(0, longest);
	const spans: Span[] = text.length > longest ? [[longest - UNSURE, longest]] : [];
	for (const view of viewsOf(read)) {
		for (const { text: secret, ...needle } of needles) {
			for (const [start, end] of occurrences(view.text, {
				...needle,
				text: view.spellSecret(secret),
			})) {
				spans.push([view.starts[start] ?? 0, view.starts[end] ?? read.length]);
			}
		}
	}
	return replaced(read, spans);
}

function* occurrences(text: string, needle: Needle): Generator<Span, void, undefined> {
	const head = needle.text.slice(0, needle.enough);
	for (let start = text.indexOf(head); start >= 0; ) {
		let length = head.length;
		while (length < needle.text.length && text[start + length] === needle.text[length])
			length += 1;
		const end = start + length;
		if (!needle.wholeWord || isWholeWord(text, start, end)) yield [start, end];
		start = text.indexOf(head, end);
	}
}

/** A secret may itself start or end with a sign; that is an end of the word in any case. */
function isWholeWord(text: string, start: number, end: number): boolean {
	const joined = (a: string, b: string) => WORD.test(a) && WORD.test(b);
	return (
		!joined(text.charAt(start - 1), text.charAt(start)) &&
		!joined(text.charAt(end - 1), text.charAt(end))
	);
}

const WORD = /[\p{L}\p{N}_]/u;

/** Spans are found first and replaced together, so that of two secrets that overlap nothing is left. */
function replaced(text: string, spans: readonly Span[]): string {
	let [result, done, shownFrom] = ["", 0, -1];
	for (const [start, end] of [...spans].sort(([a], [b]) => a - b)) {
		if (start > shownFrom) result += text.slice(done, start) + REDACTED;
		done = Math.max(done, end);
		shownFrom = done;
	}
	return result + text.slice(done);
}

/** The same error with a redacted message; its trace repeats the message. */
export function withRedacted(
	error: unknown,
	redacted: (text: string) => string,
): unknown {
	if (error instanceof Error) {
		error.stack = redacted(String(error.stack));
		error.message = redacted(error.message);
	}
	return error;
}

type Variables = Readonly<Record<string, string | null>> | null | undefined;

/** Takes out of a text the values of these variables and the credentials in URLs. */
export function redactor(
	variables: Variables,
	longest?: number,
): (text: string) => string {
	const needles = Object.values(variables ?? {}).flatMap((value) =>
		value ? needlesFor(value) : [],
	);
	return (text) => withoutUrlCredentials(redact(text, needles, longest));
}

/** The same for a text that comes in pieces: a value may begin in one and end in the next. */
export class PiecesRedactor {
	private readonly values: readonly string[];
	private readonly redact: (text: string) => string;
	private held = "";

	constructor(variables: Variables) {
		const values = Object.values(variables ?? {}).filter((value) => value !== null);
		this.values = values.filter(({ length }) => length >= SHORTEST);
		// A log is shown whole, and the client bounds its pieces.
		this.redact = redactor(variables, Number.POSITIVE_INFINITY);
	}

	/** As much as can be shown by now; the end of the piece is held back if a value may begin there. */
	take(piece: string): string {
		const text = this.held + piece;
		const begun = Math.max(
			0,
			...this.values.map((value) => prefixLengthAtEnd(text, value)),
		);
		const end = this.shownEnd(text, text.length - begun);
		this.held = text.slice(end);
		return this.redact(text.slice(0, end));
	}

	/** Never within a value that is there as a whole: its own end may look like its beginning. */
	private shownEnd(text: string, end: number): number {
		for (const value of this.values) {
			const start = text.slice(0, end + value.length - 1).lastIndexOf(value);
			if (start >= 0 && start + value.length > end) return this.shownEnd(text, start);
		}
		return end;
	}

	/** What is still held back, when no more pieces come. */
	end(): string {
		return this.redact(this.held);
	}
}

/** How many characters at the end of the text are the beginning of the value, and not all of it. */
function prefixLengthAtEnd(text: string, value: string): number {
	let length = Math.min(text.length, value.length - 1);
	while (!text.endsWith(value.slice(0, length))) length -= 1;
	return length;
}
