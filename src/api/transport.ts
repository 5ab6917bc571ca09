import type { Readable } from "node:stream";
import type { Dispatcher, Pool } from "undici";
import { type Clock, stopError } from "./clock";
import {
	type ApiError,
	type CallFacts,
	errorCode,
	NetworkError,
	TimeoutError,
	UnexpectedReplyError,
} from "./errors";
import type { Limits } from "./options";
import { proxyFor, tunnel } from "./proxy";

/** How an exchange broke, before anything is known about the call it belongs to. */
type FaultKind = "network" | "timeout" | "aborted" | "too-large" | "broken";

/** Thrown by the transport only; the caller turns it into an ApiError. It holds a code and never undici's error, which may hold bytes of the response. */
export class ExchangeFault extends Error {
	override readonly name = "ExchangeFault";

	constructor(
		readonly kind: FaultKind,
		readonly code: string,
		/** Whether any of the request may have left this machine. */
		readonly sent: boolean,
		/** Set when the response's head had come. */
		readonly status?: number,
	) {
		super(`${kind} (${code})`);
	}
}

export interface Exchange {
	readonly method: "GET" | "POST";
	/** Below the base URL, query included. */
	readonly target: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string | Readable | undefined;
	readonly signal: AbortSignal;
}

export interface RawReply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: Buffer;
}

/** Loaded with the first request: a program without lookups and a deployment without changes make none. */
const undici = () => require("undici") as typeof import("undici");

/** Sends single HTTP requests over kept-alive connections: no retries, no redirects, no interpretation. */
export interface Transport {
	exchange(exchange: Exchange): Promise<RawReply>;
	close(): Promise<void>;
}

/** Makes the transport for one base URL; the token travels in its headers only. */
export function createTransport(baseUrl: string, token: string, limits: Limits): Transport {
	const base = new URL(baseUrl);
	let pool: Pool | undefined;
	const headers = {
		accept: "application/json",
		"user-agent": limits.userAgent,
		authorization: `Bearer ${token}`,
	};
	const send = async ({ method, target, signal, ...exchange }: Exchange) => {
		let sent = false;
		const noteSent = () => {
			sent = true;
		};
		try {
			pool ??= poolTo(base, limits.maxConnections, limits.attemptTimeoutMillis);
			const request = pool.compose(onSending(noteSent)).request({
				method,
				path: `${base.pathname}${target}`,
				headers: { ...headers, ...exchange.headers },
				body: exchange.body ?? null,
				signal,
			});
			return await orAborted(request, signal);
		} catch (error) {
			throw faultOf(error, sent);
		}
	};
	return {
		exchange: async (exchange) => {
			const reply = await send(exchange);
			return {
				status: reply.statusCode,
				headers: reply.headers,
				body: await readBody(reply, limits.maxReplyBytes),
			};
		},
		// A close that waits for running requests could wait for ever; whoever closes the client is done with them.
		close: async () => pool?.destroy(),
	};
}

const poolTo = (url: URL, connections: number, timeout: number): Pool =>
	new (undici().Pool)(url.origin, {
		connections,
		connect: connectorTo(url, timeout),
		headersTimeout: timeout,
		bodyTimeout: timeout,
	});

/** Directly, or through the proxy that the environment names. */
function connectorTo(url: URL, timeout: number): Pool.Options["connect"] {
	const proxy = proxyFor(url);
	if (proxy === undefined) return { timeout };
	return (_, done) => {
		tunnel(proxy, url, timeout).then(
			(socket) => done(null, socket),
			(error: Error) => done(error, null),
		);
	};
}

/** Only undici knows when a queued request really goes out, and that decides whether it may be repeated. */
const onSending =
	(note: () => void): Dispatcher.DispatcherComposeInterceptor =>
	(dispatch) =>
	(options, handler) =>
		dispatch(options, {
			onRequestStart(controller, context) {
				note();
				handler.onRequestStart?.(controller, context);
			},
			onResponseStart: (...args) => handler.onResponseStart?.(...args),
			onResponseData: (...args) => handler.onResponseData?.(...args),
			onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
			onResponseError: (...args) => handler.onResponseError?.(...args),
		});

/** undici rejects an aborted request only when its turn comes; a caller who gave up must not wait for that. */
async function orAborted<T>(request: Promise<T>, signal: AbortSignal): Promise<T> {
	let onAbort = () => {};
	const aborted = new Promise<never>((_, reject) => {
		onAbort = () => reject(new DOMException("aborted", "AbortError"));
		if (signal.aborted) onAbort();
		else signal.addEventListener("abort", onAbort, { once: true });
	});
	try {
		return await Promise.race([request, aborted]);
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}

async function readBody(reply: Dispatcher.ResponseData<unknown>, limit: number): Promise<Buffer> {
	const parts: Buffer[] = [];
	try {
		for await (const bytes of bounded(reply.body, limit, reply.statusCode)) parts.push(bytes);
	} catch (error) {
		if (error instanceof ExchangeFault) throw error;
		const { kind, code } = faultOf(error, true);
		// The head told the outcome; a cut-off explanation must not turn a refusal into a mystery.
		if (reply.statusCode >= 400 && kind !== "aborted") return Buffer.alloc(0);
		throw new ExchangeFault(kind === "network" ? "broken" : kind, code, true, reply.statusCode);
	}
	return Buffer.concat(parts);
}

/** The body as it comes, as long as it is no longer than that. */
export async function* bounded(
	body: AsyncIterable<Buffer>,
	limit: number,
	status?: number,
): AsyncGenerator<Buffer> {
	let size = 0;
	for await (const bytes of body) {
		size += bytes.length;
		if (size > limit) throw new ExchangeFault("too-large", `over ${limit} bytes`, true, status);
		yield bytes;
	}
}

function faultOf(error: unknown, sent: boolean): ExchangeFault {
	const code = errorCode(error, error instanceof Error ? error.name : "UNKNOWN");
	return new ExchangeFault(kindOf(error, code), code, sent);
}

function kindOf(error: unknown, code: string): FaultKind {
	if (/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/.test(code)) return "timeout";
	if (code === "UND_ERR_HEADERS_OVERFLOW") return "too-large";
	// By the version of undici, a response that is not HTTP has a code, or only a name.
	if (/^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$)/.test(code)) return "broken";
	return error instanceof Error && error.name === "AbortError" ? "aborted" : "network";
}

/** The error that a broken exchange stands for, once it is known which call it belonged to. */
export function faultError(fault: ExchangeFault, call: CallFacts, clock: Clock, limits: Limits): ApiError {
	const received = fault.status !== undefined ? true : fault.sent ? "unknown" : false;
	if (clock.stopped) return stopError(call, clock, received);
	switch (fault.kind) {
		case "timeout":
			// The code does not decide, because ETIMEDOUT is also that of an established connection that died.
			return new TimeoutError(call, fault.sent ? "reply" : "connect", received, limits.attemptTimeoutMillis);
		case "too-large":
			return new UnexpectedReplyError(call, {
				why: `the response is larger than the limit of ${limits.maxReplyBytes} bytes`,
				next: "Narrow the request. Programs that use the client themselves can raise its maxReplyBytes.",
				status: fault.status,
				received,
			});
		case "broken": {
			const why = `the response is broken or cut off (${fault.code})`;
			return new UnexpectedReplyError(call, { why, status: fault.status, received, transient: true });
		}
		default:
			return new NetworkError(call, fault.code, received);
	}
}

export interface Download {
	readonly url: URL;
	readonly timeoutMillis: number;
	readonly signal: AbortSignal;
}

/**
 * Reads a file the service points to, which may lie anywhere: without the token, without following redirects, on
 * a connection of its own. Throws an ExchangeFault, with the status if the answer is not 200.
 */
export async function* download({ url, timeoutMillis, signal }: Download): AsyncGenerator<Buffer> {
	let pool: Pool | undefined;
	try {
		pool = poolTo(url, 1, timeoutMillis);
		const reply = await pool.request({ method: "GET", path: `${url.pathname}${url.search}`, signal });
		if (reply.statusCode !== 200) throw new ExchangeFault("broken", "not 200", true, reply.statusCode);
		yield* reply.body;
	} catch (error) {
		throw error instanceof ExchangeFault ? error : faultOf(error, true);
	} finally {
		await pool?.destroy();
	}
}
