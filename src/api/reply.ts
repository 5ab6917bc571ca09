import type { z } from "zod";
import {
	type ApiError,
	ConflictError,
	InvalidRequestError,
	NotAuthenticatedError,
	NotAuthorizedError,
	NotFoundError,
	RateLimitedError,
	RefusedError,
	ServerError,
	TimeoutError,
	UnexpectedReplyError,
} from "./errors";
import type { CallFacts } from "./errors/api-error";
import { cleanServerMessage, type Secrets, withoutToken } from "./redact";
import { parseForm, type Unreadable } from "./reply-form";
import type { RawReply } from "./transport";

export interface ReplyReading<Reply> {
	readonly call: CallFacts;
	readonly schema: z.ZodType<Reply>;
	/** Texts that must not appear in a message even when the service repeats them. */
	readonly secrets: Secrets;
	/** Takes text that is not JSON as it is. */
	readonly allowText: boolean;
	/** Told of each element that was left out of a list. */
	readonly onUnreadable: (element: Unreadable) => void;
}

/** The reply's content, checked; or the error that its status or form stands for. */
export function readReply<Reply>(raw: RawReply, reading: ReplyReading<Reply>): Reply {
	const { call, schema, secrets } = reading;
	if (raw.status < 200 || raw.status >= 300) throw statusError(raw, call, secrets);
	const content = decode(raw, reading);
	if (saysNotOk(content)) throw new RefusedError(call, raw.status, cleanServerMessage(content, secrets));
	const parsed = parseForm(schema, content, reading.onUnreadable);
	if ("reply" in parsed) return parsed.reply;
	throw new UnexpectedReplyError(call, {
		why: `${raw.status}, but the reply does not have the documented form: ${parsed.problem}`,
		next: "The service may be newer than this package: look for an update, and report it if there is none.",
		status: raw.status,
		received: true,
	});
}

/** The error that a status outside 2xx stands for. */
export function statusError(raw: RawReply, call: CallFacts, secrets: Secrets): ApiError {
	const { status } = raw;
	if (status >= 300 && status < 400) {
		return new UnexpectedReplyError(call, {
			why: `${status}, a redirect, which is never followed because it would carry the token elsewhere`,
			next: "Set the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) to the final address, https included.",
			status,
			received: false,
		});
	}
	const message = cleanServerMessage(parseJson(textOf(raw.body)), secrets);
	const after = retryAfterMillis(headerOf(raw, "retry-after"), Date.now());
	if (status === 400 || status === 422) return InvalidRequestError.refused(call, status, message);
	if (status === 401) return new NotAuthenticatedError(call, status, message);
	if (status === 403) return new NotAuthorizedError(call, status, message);
	if (status === 404) return new NotFoundError(call, status, message, message !== undefined);
	if (status === 408) return new TimeoutError(call, "server", "unknown", 0, message);
	if (status === 409) return new ConflictError(call, status, message);
	if (status === 429) return new RateLimitedError(call, status, message, after);
	if (status >= 500) return new ServerError(call, status, message, after);
	return new UnexpectedReplyError(call, {
		why: `${status}, which this API does not use`,
		status,
		// 413 and its kin are refusals; what an unknown class of status means, nobody can say.
		received: status >= 400 ? false : "unknown",
		serverMessage: message,
	});
}

/** Reads Retry-After, seconds or an HTTP date, as milliseconds from now; undefined where it is neither. */
export function retryAfterMillis(header: string | undefined, now: number): number | undefined {
	const text = header?.trim() ?? "";
	if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
	// Date.parse also takes bare numbers and other strange things; HTTP dates start with a weekday.
	if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
	const at = Date.parse(text);
	return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function decode(raw: RawReply, { call, allowText, secrets }: ReplyReading<unknown>): unknown {
	const type = (headerOf(raw, "content-type") ?? "").toLowerCase();
	const wrong = (why: string, broken: boolean) =>
		new UnexpectedReplyError(call, {
			why: `${raw.status}, but ${why}`,
			status: raw.status,
			received: true,
			broken,
		});
	const encoding = headerOf(raw, "content-encoding") ?? "identity";
	if (encoding !== "identity") throw wrong("the reply is compressed, which was not asked for", false);
	if (type.includes("html")) throw wrong("the reply is a web page and not JSON", false);
	const sent = textOf(raw.body);
	if (sent === undefined) throw wrong("the reply is not UTF-8", true);
	const text = withoutToken(sent, secrets);
	const content = parseJson(text);
	if (content !== undefined) return content;
	const claimsJson = type === "" || type.includes("json");
	if (allowText && !claimsJson) return text;
	throw wrong(claimsJson ? "the JSON is broken or cut off" : "the reply is not JSON", claimsJson);
}

function textOf(body: Buffer): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(body);
	} catch {
		return undefined;
	}
}

/** JSON has no undefined, so that stands for "not JSON". The parser's own error quotes the text and is dropped. */
export function parseJson(text: string | undefined): unknown {
	try {
		return text === undefined ? undefined : JSON.parse(text);
	} catch {
		return undefined;
	}
}

function saysNotOk(content: unknown): boolean {
	return typeof content === "object" && content !== null && "ok" in content && content.ok === false;
}

function headerOf(raw: RawReply, name: string): string | undefined {
	const value = raw.headers[name];
	return Array.isArray(value) ? value[0] : value;
}
