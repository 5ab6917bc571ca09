import type { EndpointName } from "../schemas/wire/endpoints";
import type { AttemptInfo } from "./call-scope";

/** Per call. */
export interface CallOptions {
	/** Ends the call at once, also while it waits between attempts. */
	readonly signal?: AbortSignal | undefined;
	/** Time for the whole call, retries included, but not what it waits for its turn. Default: the client's. */
	readonly deadlineMillis?: number | undefined;
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
	/** Its name or id where it has one, else its position in the reply. */
	readonly which: string;
	/** Names fields and types, never values. */
	readonly why: string;
}

/** What people are told of it. */
export const leftOut = ({ operation, which, why }: UnreadableInfo): string =>
	`The reply to ${operation} has an element that was left out because it cannot be read: ${which}, ${why}.`;

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
	/** How long one attempt may wait to connect, for the reply's head, and between parts of its body. Default 20000. */
	readonly attemptTimeoutMillis?: number | undefined;
	/** Longest reply read. Default 32 MiB. */
	readonly maxReplyBytes?: number | undefined;
	/** Connections kept to the service, never fewer than `maxConcurrentWrites` where that is given. Default 16. */
	readonly maxConnections?: number | undefined;
	/** Writes under way at once; the service's "too many requests" lowers it for a while. Default 16, or `maxConnections` where that is less. */
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
	/** Folder that uploaded files must lie in, symlinks resolved. Default: any file. */
	readonly uploadRoot?: string | undefined;
	readonly onRetry?: ((info: RetryInfo) => void) | undefined;
	/** Told of each element of a list that was left out of it. */
	readonly onUnreadable?: ((info: UnreadableInfo) => void) | undefined;
	/** Told of each request. Default: what `DATACHAIN_LOG` asks for. */
	readonly log?: ((info: AttemptInfo) => void) | undefined;
}

/** The options with their defaults filled in. */
export type Limits = {
	readonly [Name in Exclude<keyof ClientOptions, "uploadRoot" | "log">]: NonNullable<ClientOptions[Name]>;
};

export function limitsOf(options: ClientOptions): Limits {
	return {
		deadlineMillis: positive("deadlineMillis", options.deadlineMillis ?? 60_000),
		maxWaitMillis: positive("maxWaitMillis", options.maxWaitMillis ?? 600_000),
		attemptTimeoutMillis: positive("attemptTimeoutMillis", options.attemptTimeoutMillis ?? 20_000),
		maxReplyBytes: positive("maxReplyBytes", options.maxReplyBytes ?? 32 * 1024 * 1024),
		...concurrencyOf(options),
		maxAttempts: positive("maxAttempts", options.maxAttempts ?? 5),
		retryBudget: options.retryBudget ?? 10,
		random: options.random ?? Math.random,
		userAgent: headerText("userAgent", options.userAgent ?? "pulumi-datachain"),
		onRetry: options.onRetry ?? (() => {}),
		onUnreadable: options.onUnreadable ?? (() => {}),
	};
}

const USUAL_CONCURRENCY = 16;

/** A write that was let through must find a connection, or it would wait again in the pool's own queue. */
function concurrencyOf(options: ClientOptions): Pick<Limits, "maxConnections" | "maxConcurrentWrites"> {
	const connections = positive("maxConnections", options.maxConnections ?? USUAL_CONCURRENCY);
	const usualWrites = Math.min(USUAL_CONCURRENCY, connections);
	const maxConcurrentWrites = positive("maxConcurrentWrites", options.maxConcurrentWrites ?? usualWrites);
	return { maxConnections: Math.max(connections, maxConcurrentWrites), maxConcurrentWrites };
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
