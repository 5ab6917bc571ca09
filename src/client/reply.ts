import { z } from "zod";
import { integerOrStringId } from "../schemas/primitives";
import {
	type ApiError,
	type CallFacts,
	CHECK_FIRST,
	ConflictError,
	InvalidRequestError,
	NotAuthenticatedError,
	NotAuthorizedError,
	NotFoundError,
	RateLimitedError,
	RefusedError,
	ServerError,
	UnexpectedReplyError,
} from "./errors";
import { TimeoutError } from "./network-errors";
import type { UnreadableInfo } from "./options";
import {
	cleanServerMessage,
	printable,
	redact,
	type Secrets,
	withoutToken,
} from "./redaction";
import type { RawReply } from "./transport";

interface ReplyReading<Reply> {
	readonly call: CallFacts;
	readonly schema: z.ZodType<Reply>;
	/** Texts that must not appear in a message even when the service repeats them. */
	readonly secrets: Secrets;
	/** Told of each element that was left out of a list. */
	readonly onUnreadable: (element: Unreadable) => void;
}

/** The reply's content, checked; or the error that its status or form stands for. */
export function readReply<Reply>(raw: RawReply, reading: ReplyReading<Reply>): Reply {
	const { call, schema, secrets } = reading;
	if (raw.status < 200 || raw.status >= 300) throw statusError(raw, call, secrets);
	const content = decode(raw, reading);
	if (Object(content).ok === false) {
		const { status } = raw;
		throw new RefusedError(call, {
			status,
			serverMessage: cleanServerMessage(content, secrets),
		});
	}
	const parsed = parseForm(schema, content, reading.onUnreadable);
	if ("reply" in parsed) return parsed.reply;
	throw new UnexpectedReplyError(call, {
		reason: `${raw.status}, but the response does not have the documented form: ${parsed.problem}`,
		advice:
			"The service may be newer than this package: look for an update, and report it if there is none.",
		status: raw.status,
		received: true,
	});
}

/** The error that a status outside 2xx stands for. */
export function statusError(
	raw: RawReply,
	call: CallFacts,
	secrets: Secrets,
): ApiError {
	const { status } = raw;
	if (status >= 300 && status < 400) return redirected(raw, call, secrets);
	const serverMessage = cleanServerMessage(parseJson(textOf(raw.body)), secrets);
	// A Retry-After that is a date is read by the service's clock, which may be hours off.
	const now = serviceTime(raw) ?? Date.now();
	const answer = {
		status,
		serverMessage,
		retryAfterMillis: retryAfterMillis(headerOf(raw, "retry-after"), now),
	};
	if (status === 400 || status === 422)
		return InvalidRequestError.refused(call, answer);
	if (status === 401) return new NotAuthenticatedError(call, answer);
	if (status === 403) return new NotAuthorizedError(call, answer);
	if (status === 404) return new NotFoundError(call, answer);
	if (status === 408) return new TimeoutError(call, "server", "unknown", 0, answer);
	if (status === 409) return new ConflictError(call, answer);
	if (status === 429) return new RateLimitedError(call, answer);
	if (status >= 500) return new ServerError(call, answer);
	return new UnexpectedReplyError(call, {
		...answer,
		reason: `${status}, which this API does not use`,
		// 413 and its kin are refusals; what an unknown class of status means, nobody can say.
		received: status >= 400 ? false : "unknown",
	});
}

function redirected(raw: RawReply, call: CallFacts, secrets: Secrets): ApiError {
	const { status } = raw;
	const isSlash = isSlashRedirect(raw, call);
	const why = isSlash
		? `${status}, a redirect to the same address with another slash at its end`
		: `${status}, a redirect${targetOf(raw, call, secrets)}, which is never followed because it would carry the token elsewhere`;
	const fix = isSlash
		? "A proxy before the service changes paths: have it pass them on unchanged"
		: "Set the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) to the final address, https included";
	// These two tell a browser to go on with a GET, which many services do after they have carried out the POST.
	const mayBeDone = call.method === "POST" && [302, 303].includes(status);
	return new UnexpectedReplyError(call, {
		...(mayBeDone
			? { reason: `${why}. ${fix}`, advice: CHECK_FIRST }
			: { reason: why, advice: `${fix}.` }),
		status,
		received: mayBeDone ? "unknown" : false,
	});
}

/** Whether it leads to the address that was asked for, but for the slash at its end: no base URL can help. */
function isSlashRedirect(raw: RawReply, { baseUrl, path }: CallFacts): boolean {
	const location = headerOf(raw, "location");
	if (location === "" || !URL.canParse(location, baseUrl)) return false;
	const [base, target] = [new URL(baseUrl), new URL(location, baseUrl)];
	const withoutSlash = (text: string) => text.replace(/\/$/, "");
	return (
		target.origin === base.origin &&
		withoutSlash(target.pathname) === withoutSlash(`${base.pathname}${path}`)
	);
}

/** The host that a redirect leads to, without the rest, which may hold more than a message should. */
function targetOf(raw: RawReply, { baseUrl }: CallFacts, secrets: Secrets): string {
	const location = headerOf(raw, "location");
	if (location === "" || !URL.canParse(location, baseUrl)) return "";
	// A host is shown in lower case, in which a secret would no longer be found.
	if (redact(location, secrets.all()) !== location) return "";
	const { origin } = new URL(location, baseUrl);
	return origin === "null" ? "" : ` to ${origin}`;
}

/** Reads Retry-After, seconds or an HTTP date, as milliseconds from `now`; undefined if it is neither. */
export function retryAfterMillis(header: string, now: number): number | undefined {
	const text = header.trim();
	if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	// Date.parse also takes bare numbers and other strange things; HTTP dates start with a weekday.
	if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
	const at = Date.parse(text);
	return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function decode(
	raw: RawReply,
	{ call, schema, secrets }: ReplyReading<unknown>,
): unknown {
	const type = headerOf(raw, "content-type").toLowerCase();
	const wrong = (why: string, transient: boolean) =>
		new UnexpectedReplyError(call, {
			reason: `${raw.status}, but ${why}`,
			status: raw.status,
			received: true,
			transient,
		});
	const sent = textOf(raw.body);
	const said = sent?.trim();
	// A write without an answer, whatever its type says, was carried out; what it did is read back.
	if (call.method === "POST" && (said === "" || said === "null")) return {};
	if (!["", "identity"].includes(headerOf(raw, "content-encoding")))
		throw wrong("the response is compressed, which was not asked for", false);
	if (type.includes("html"))
		throw wrong("the response is a web page and not JSON", false);
	if (sent === undefined) throw wrong("the response is not UTF-8", true);
	if (said === "") throw wrong("the response is empty", true);
	const text = withoutToken(sent, secrets);
	const content = parseJson(text);
	if (content !== undefined) return content;
	const claimsJson = type.includes("json");
	// Where the form of a response is not documented, it may be plain text.
	if (schema instanceof z.ZodUnknown && !claimsJson) return text;
	throw wrong(
		claimsJson ? "the JSON is broken or cut off" : "the response is not JSON",
		claimsJson,
	);
}

function textOf(body: Buffer): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(body);
	} catch {
		return undefined;
	}
}

/** JSON has no undefined, so that stands for "not JSON". The parser's own error quotes the text and is dropped. */
export function parseJson(text = ""): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** What the service's clock showed, if its response says it. */
export const serviceTime = (raw: RawReply): number | undefined =>
	Date.parse(headerOf(raw, "date")) || undefined;

/** Its first value; empty if there is none. */
const headerOf = ({ headers }: RawReply, name: string): string =>
	[headers[name] ?? ""].flat()[0] ?? "";

/** An element of a list that does not have the documented form. */
export type Unreadable = Omit<UnreadableInfo, "operation" | "teamName">;

/**
 * The content in its documented form, or what is wrong with it. An element of a list that does not have the form is left
 * out and reported. If no element has it, the reply is an error, because an empty list would mean that there are none.
 */
function parseForm<Reply>(
	schema: z.ZodType<Reply>,
	content: unknown,
	onUnreadable: (element: Unreadable) => void,
): { readonly reply: Reply } | { readonly problem: string } {
	const whole = schema.safeParse(content);
	if (whole.success) return { reply: whole.data };
	const problem = problemOf(whole.error);
	if (!(schema instanceof z.ZodArray) || !Array.isArray(content)) return { problem };
	const readable: unknown[] = [];
	const unreadable: Unreadable[] = [];
	for (const [index, element] of content.entries()) {
		const { data, error } = z.safeParse(schema.element, element);
		if (error)
			unreadable.push({ ...identityOf(element, index), why: problemOf(error) });
		else readable.push(data);
	}
	if (readable.length === 0) return { problem };
	for (const one of unreadable) onUnreadable(one);
	return { reply: readable as Reply };
}

const text = z.string().min(1).optional().catch(undefined);
const id = integerOrStringId.optional().catch(undefined);
const namingSchema = z.looseObject({
	name: text,
	schedule_name: text,
	pipeline_id: text,
	id,
});

/** The element's own name and id; it is shown by its name if it has one, because people know that. */
function identityOf(element: unknown, index: number): Omit<Unreadable, "why"> {
	const data = namingSchema.safeParse(element).data ?? {};
	const name = data.schedule_name ?? data.name;
	const nameOrId = name ?? data.pipeline_id ?? data.id;
	const label =
		nameOrId === undefined ? `position ${index + 1}` : printable(String(nameOrId), 100);
	return { which: label, id: data.id ?? data.pipeline_id, name };
}

/** Maps with keys of the users' own making; a message names the map and not the key. */
const OPEN_MAPS = new Set([
	"environment",
	"environment_variables",
	"params",
	"metrics",
]);

function problemOf(error: z.core.$ZodError): string {
	return error.issues
		.slice(0, 3)
		.map(({ path, message }) => {
			const open = path.findIndex((key) => OPEN_MAPS.has(String(key)));
			const field = open < 0 ? path : path.slice(0, open + 1);
			return `${field.length === 0 ? "the response" : field.map(String).join(".")}: ${message}`;
		})
		.join("; ");
}
