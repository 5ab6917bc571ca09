/** Per call. */
export interface CallOptions {
	/** Ends the call at once, also while it waits between attempts. */
	readonly signal?: AbortSignal | undefined;
	/** Time for the whole call, retries included. Default: the client's. */
	readonly deadlineMillis?: number | undefined;
}

/** Told before each repetition. */
export interface RetryInfo {
	readonly method: string;
	readonly path: string;
	/** The attempt that failed, from 1. */
	readonly attempt: number;
	readonly delayMillis: number;
	/** Name of the error's class. */
	readonly because: string;
}

export interface ClientOptions {
	/** Time for a whole call, retries and waits included. Default 60000; an upload gets a second more per MiB. */
	readonly deadlineMillis?: number | undefined;
	/** How long one attempt may wait to connect, for the reply's head, and between parts of its body. Default 20000. */
	readonly attemptTimeoutMillis?: number | undefined;
	/** Longest reply read. Default 32 MiB. */
	readonly maxReplyBytes?: number | undefined;
	/** Connections kept to the service. Default 16. */
	readonly maxConnections?: number | undefined;
	/** Writes under way at once; the service's "too many requests" lowers it for a while. Default 16. */
	readonly maxConcurrentWrites?: number | undefined;
	/** Attempts per call, the first included. Default 5. */
	readonly maxAttempts?: number | undefined;
	/** Repetitions all calls of this client may make together before successes earn more. Default 10. */
	readonly retryBudget?: number | undefined;
	/** Source of jitter, 0 to below 1. For tests. */
	readonly random?: (() => number) | undefined;
	/** Default `pulumi-datachain`. */
	readonly userAgent?: string | undefined;
	/** Folder that uploaded files must lie in, symlinks resolved. Default: any file. */
	readonly uploadRoot?: string | undefined;
	readonly onRetry?: ((info: RetryInfo) => void) | undefined;
}

/** The options with their defaults filled in. */
export interface Limits {
	readonly deadlineMillis: number;
	readonly attemptTimeoutMillis: number;
	readonly maxReplyBytes: number;
	readonly maxConnections: number;
	readonly maxConcurrentWrites: number;
	readonly maxAttempts: number;
	readonly retryBudget: number;
	readonly random: () => number;
	readonly userAgent: string;
	readonly onRetry: (info: RetryInfo) => void;
}

export function limitsOf(options: ClientOptions): Limits {
	return {
		deadlineMillis: positive("deadlineMillis", options.deadlineMillis ?? 60_000),
		attemptTimeoutMillis: positive("attemptTimeoutMillis", options.attemptTimeoutMillis ?? 20_000),
		maxReplyBytes: positive("maxReplyBytes", options.maxReplyBytes ?? 32 * 1024 * 1024),
		maxConnections: positive("maxConnections", options.maxConnections ?? 16),
		maxConcurrentWrites: positive("maxConcurrentWrites", options.maxConcurrentWrites ?? 16),
		maxAttempts: positive("maxAttempts", options.maxAttempts ?? 5),
		retryBudget: options.retryBudget ?? 10,
		random: options.random ?? Math.random,
		userAgent: headerText("userAgent", options.userAgent ?? "pulumi-datachain"),
		onRetry: options.onRetry ?? (() => {}),
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
