import type { EndpointName } from "../schemas/wire/endpoints";
import type { Clock } from "./clock";
import type { AttemptInfo } from "./request-log";

/** Per call. */
export interface CallOptions {
	/** Ends the call at once, also while it waits between attempts; so do the signals of its scopes. */
	readonly signal?: AbortSignal | undefined;
	/** Time for the whole call, retries included, but not what it waits for its turn. Default: the client's. */
	readonly deadlineMillis?: number | undefined;
	/** True for a call that may take longer than the time of its scopes; their signals still end it. */
	readonly untimed?: boolean | undefined;
	/**
	 * Asked before the request is sent again, in its turn; false ends the call. A create that was refused as "too many
	 * requests" may have been done all the same, and only its caller can tell.
	 */
	readonly mayRepeat?: (() => Promise<boolean>) | undefined;
	/** Told at once when an attempt has failed and the request will be sent again. */
	readonly onRetry?: (() => void) | undefined;
}

/** What holds for every call of a scoped client. */
export interface CallScope {
	/** Ends the calls. A function is asked at each call. */
	readonly signal?: AbortSignal | (() => AbortSignal) | undefined;
	/**
	 * The time that the calls share; asked for at each call. It stands still while one of them waits for its turn, and
	 * while the service's rate limit keeps any call of the client waiting.
	 */
	readonly clock?: (() => Clock) | undefined;
	/** For whom the calls are made, as people name it. */
	readonly resource?: string | undefined;
	/** Texts that the service may know and may not repeat in a message; asked for only if there is a message. */
	readonly secrets?: (() => readonly string[]) | undefined;
	/** Told once for each request. */
	readonly onAttempt?: ((info: AttemptInfo) => void) | undefined;
	/** Told of each element of a list that was left out of it. */
	readonly onUnreadable?: ((info: UnreadableInfo) => void) | undefined;
}

/** Told before each retry. */
export interface RetryInfo {
	readonly method: string;
	readonly path: string;
	/** The attempt that failed, from 1. */
	readonly attempt: number;
	readonly delayMillis: number;
	/** Name of the error's class. */
	readonly because: string;
}

/** An element of a list that does not have the documented form, and was left out. */
export interface UnreadableInfo {
	readonly operation: EndpointName;
	readonly teamName: string;
	/** Its name or id if it has one, else its position in the response; fit to print. */
	readonly which: string;
	/** Its `id` or `pipeline_id` as the service sent it, if that is a whole number or a text. */
	readonly id?: number | string | undefined;
	/** Its `schedule_name` or `name` as the service sent it: an element that cannot be read has its name all the same. */
	readonly name?: string | undefined;
	/** Names fields and types, never values. */
	readonly why: string;
}

/** What people are told of it. */
export const leftOut = ({ operation, which: element, why }: UnreadableInfo): string =>
	`The response to ${operation} has an element that was left out because it cannot be read: ${element}, ${why}.`;

export interface ClientOptions {
	/**
	 * Time for a whole call, retries and the waits between them included. It stands still while the call waits for
	 * its turn, see `maxWaitMillis`. Default 60000; an upload gets a second more per MiB.
	 */
	readonly deadlineMillis?: number | undefined;
	/**
	 * How long a call may wait for its turn altogether: for a place among the concurrent writes, or for the moment
	 * that the service announced with "too many requests". Default 600000.
	 */
	readonly maxWaitMillis?: number | undefined;
	/** How long one attempt may wait to connect, for the response's head, and between parts of its body. Default 20000. */
	readonly attemptTimeoutMillis?: number | undefined;
	/** Longest reply read. Default 32 MiB. */
	readonly maxReplyBytes?: number | undefined;
	/** Connections kept to the service, never fewer than `maxConcurrentWrites` if that is given. Default 16. */
	readonly maxConnections?: number | undefined;
	/** Writes under way at once; the service's "too many requests" lowers it for a while. Default 16, or `maxConnections` if that is less. */
	readonly maxConcurrentWrites?: number | undefined;
	/**
	 * Attempts per call, the first included. "Too many requests" does not count, except that 1 means that nothing is
	 * sent a second time. Default 5.
	 */
	readonly maxAttempts?: number | undefined;
	/** Retries all calls of this client may make together before successes earn more. Default 10. */
	readonly retryBudget?: number | undefined;
	/** Source of jitter, 0 to below 1. For tests. */
	readonly random?: (() => number) | undefined;
	/** Default `pulumi-datachain`. */
	readonly userAgent?: string | undefined;
	readonly onRetry?: ((info: RetryInfo) => void) | undefined;
	/** Told of each element of a list that was left out of it. */
	readonly onUnreadable?: ((info: UnreadableInfo) => void) | undefined;
	/** Told of each request. Default: what `DATACHAIN_LOG` asks for. */
	readonly log?: ((info: AttemptInfo) => void) | undefined;
}

/** The options with their defaults filled in. */
export type Limits = {
	readonly [Name in Exclude<keyof ClientOptions, "log" | "onUnreadable">]: NonNullable<
		ClientOptions[Name]
	>;
};

export function limitsOf(options: ClientOptions): Limits {
	return {
		deadlineMillis: positive("deadlineMillis", options.deadlineMillis ?? 60_000),
		maxWaitMillis: positive("maxWaitMillis", options.maxWaitMillis ?? 600_000),
		attemptTimeoutMillis: positive(
			"attemptTimeoutMillis",
			options.attemptTimeoutMillis ?? 20_000,
		),
		maxReplyBytes: positive("maxReplyBytes", options.maxReplyBytes ?? 32 * 1024 * 1024),
		...concurrencyOf(options),
		maxAttempts: positive("maxAttempts", options.maxAttempts ?? 5),
		retryBudget: options.retryBudget ?? 10,
		random: options.random ?? Math.random,
		userAgent: headerText("userAgent", options.userAgent ?? "pulumi-datachain"),
		onRetry: options.onRetry ?? (() => {}),
	};
}

const USUAL_CONCURRENCY = 16;

/** A write that was let through must find a connection, or it would wait again in the pool's own queue. */
function concurrencyOf(
	options: ClientOptions,
): Pick<Limits, "maxConnections" | "maxConcurrentWrites"> {
	const connections = positive(
		"maxConnections",
		options.maxConnections ?? USUAL_CONCURRENCY,
	);
	const defaultWrites = Math.min(USUAL_CONCURRENCY, connections);
	const maxConcurrentWrites = positive(
		"maxConcurrentWrites",
		options.maxConcurrentWrites ?? defaultWrites,
	);
	return {
		maxConnections: Math.max(connections, maxConcurrentWrites),
		maxConcurrentWrites,
	};
}

/** Node's timers and undici both read 0, NaN or Infinity as "for ever" or "at once". */
export function positive(name: string, value: number): number {
	if (Number.isFinite(value) && value >= 1) return Math.floor(value);
	throw new RangeError(`The client option ${name} must be a number of at least 1.`);
}

function headerText(name: string, text: string): string {
	if (/^[\x20-\x7e]+$/.test(text)) return text;
	throw new RangeError(`The client option ${name} must be printable ASCII.`);
}

/** A checked request, its fields sorted to where they travel. It stands apart from the check, so that programs do not load its types. */
export interface PreparedRequest {
	readonly path: string;
	/** With the leading `?`, or empty. */
	readonly query: string;
	readonly body: Readonly<Record<string, unknown>> | undefined;
	readonly fields: Readonly<Record<string, unknown>>;
}
