import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Dispatcher, Pool } from "undici";
import { type Clock, stopError } from "./clock";
import {
	type ApiError,
	type CallFacts,
	codedError,
	errorCode,
	UnexpectedReplyError,
	type WasReceived,
} from "./errors";
import { NetworkError, TimeoutError } from "./network-errors";
import type { Limits } from "./options";
import { proxyFor, tunnelling } from "./proxy";

export interface Exchange {
	readonly facts: CallFacts;
	/** Ends the exchange when it stops. */
	readonly clock: Clock;
	/** Below the base URL, query included. */
	readonly target: string;
	/** Undefined leaves out one that is sent otherwise. */
	readonly headers: Readonly<Record<string, string | undefined>>;
	readonly body?: string | Readable | undefined;
}

export interface RawReply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: Buffer;
}

/** Loaded with the first request: a program without lookups and a deployment without changes make none. */
const undici = () => require("undici") as typeof import("undici");

/** Sends single HTTP requests over kept-alive connections: no retries, no redirects. Fails with an ApiError. */
export interface Transport {
	exchange(exchange: Exchange): Promise<RawReply>;
	close(): Promise<void>;
}

/** Makes the transport for one base URL; the token travels in its headers only. */
export function createTransport(
	baseUrl: string,
	token: string,
	limits: Limits,
): Transport {
	const base = new URL(baseUrl);
	let pool: Pool | undefined;
	const own = {
		accept: "application/json",
		// Without it a server may compress as it likes.
		"accept-encoding": "identity",
		"user-agent": limits.userAgent,
		authorization: `Bearer ${token}`,
	};
	return {
		exchange: async ({ facts, clock, target, headers, body = null }) => {
			const { signal } = clock;
			let sent = false;
			const noteSent = () => {
				sent = true;
			};
			let head: Omit<RawReply, "body"> | undefined;
			try {
				pool ??= poolTo(base, limits.maxConnections, limits.attemptTimeoutMillis);
				const request = pool.compose(onSending(noteSent)).request({
					method: facts.method,
					path: `${base.pathname}${target}`,
					headers: { ...own, ...headers },
					body,
					signal,
				});
				const reply = await orAborted(request, signal);
				head = { status: reply.statusCode, headers: reply.headers };
				return { ...head, body: await readAll(reply.body, limits.maxReplyBytes) };
			} catch (error) {
				// The head told the outcome; a cut-off explanation must not turn a refusal into a mystery.
				if (head && head.status >= 400 && !clock.stopped)
					return { ...head, body: Buffer.alloc(0) };
				const received = head ? true : sent ? "unknown" : false;
				if (clock.stopped) throw stopError(facts, clock, received);
				throw exchangeError(error, { facts, limits, received, status: head?.status });
			}
		},
		// A close that waits for running requests could wait for ever; whoever closes the client is done with them.
		close: async () => pool?.destroy(),
	};
}

/**
 * How long a connection may be idle and used again. A service closes idle connections, many after two to five seconds. A request
 * that crosses the close is lost without an answer, and a create must not be sent again.
 */
const IDLE_MILLIS = 1_000;

/** Connects directly, or through the proxy that the environment names. */
function poolTo(url: URL, connections: number, timeout: number): Pool {
	const proxy = proxyFor(url);
	const connect = proxy === undefined ? { timeout } : tunnelling(proxy, url, timeout);
	return new (undici().Pool)(url.origin, {
		connections,
		connect,
		headersTimeout: timeout,
		bodyTimeout: timeout,
		keepAliveTimeout: IDLE_MILLIS,
		keepAliveMaxTimeout: IDLE_MILLIS,
	});
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
		else signal.addEventListener("abort", onAbort);
	});
	try {
		return await Promise.race([request, aborted]);
	} finally {
		signal.removeEventListener("abort", onAbort);
	}
}

const TOO_LARGE = "TOO_LARGE";
const TIMEOUTS: readonly string[] = [
	"UND_ERR_CONNECT_TIMEOUT",
	"UND_ERR_HEADERS_TIMEOUT",
	"UND_ERR_BODY_TIMEOUT",
	"ETIMEDOUT",
];

/** The whole body, if it is no longer than that. */
export async function readAll(
	body: AsyncIterable<Buffer>,
	limit: number,
): Promise<Buffer> {
	const parts: Buffer[] = [];
	let size = 0;
	for await (const bytes of body) {
		size += bytes.length;
		if (size > limit) throw codedError(TOO_LARGE);
		parts.push(bytes);
	}
	return Buffer.concat(parts);
}

interface BrokenExchange {
	readonly facts: CallFacts;
	readonly limits: Limits;
	readonly received: WasReceived;
	/** Of the response, if its head has come. */
	readonly status: number | undefined;
}

/** By the code alone: the error of undici may hold bytes of the response. */
function exchangeError(
	error: unknown,
	{ facts, limits, received, status }: BrokenExchange,
): ApiError {
	const code = codeOf(error);
	if (TIMEOUTS.includes(code)) {
		// The code does not decide, because ETIMEDOUT is also that of an established connection that died.
		const kind = received === false ? "connect" : "reply";
		return new TimeoutError(facts, kind, received, limits.attemptTimeoutMillis);
	}
	if (code === TOO_LARGE || code === "UND_ERR_HEADERS_OVERFLOW") {
		return new UnexpectedReplyError(facts, {
			reason: `the response is larger than the limit of ${limits.maxReplyBytes} bytes`,
			advice:
				"Narrow the request. Programs that use the client themselves can raise its maxReplyBytes.",
			status,
			received,
		});
	}
	// By the version of undici, a response that is not HTTP has a code, or only a name.
	if (status !== undefined || /HPE_|HTTPParserError/.test(code)) {
		const why = `the response is broken or cut off (${code})`;
		return new UnexpectedReplyError(facts, {
			reason: why,
			status,
			received,
			transient: true,
		});
	}
	return new NetworkError(facts, code, received);
}

/** Of an error without a code, its name. */
export const codeOf = (error: unknown): string =>
	errorCode(error, error instanceof Error ? error.name : "UNKNOWN");

const MOVED: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Reads a file that is not the service's own and may lie anywhere: without the token, on a connection of its own, over as many
 * redirects as are allowed. Fails with an error that has a code, which is the status if that is not 200.
 */
export async function* download(
	url: URL,
	timeoutMillis: number,
	signal: AbortSignal,
	redirects = 0,
): AsyncGenerator<Buffer> {
	const pool = poolTo(url, 1, timeoutMillis);
	try {
		const path = `${url.pathname}${url.search}`;
		const { statusCode, headers, body } = await pool.request({
			method: "GET",
			path,
			signal,
		});
		const { location, "content-encoding": encoding } = headers;
		if (redirects > 0 && MOVED.includes(statusCode) && typeof location === "string") {
			await body.dump();
			yield* download(new URL(location, url), timeoutMillis, signal, redirects - 1);
			return;
		}
		if (statusCode !== 200) throw codedError(`status ${statusCode}`);
		// Nobody asked for it, but a store of files may have them packed.
		yield* encoding === "gzip" ? pipeline(body, createGunzip(), () => {}) : body;
	} finally {
		await pool.destroy();
	}
}
