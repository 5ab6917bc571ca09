import type { EndpointName } from "../schemas/wire/endpoints";
import { type CallFacts, DataChainError } from "./errors";

/** One request that was sent, or that the network kept from being sent, and how it ended. */
export interface AttemptInfo {
	readonly operation: EndpointName;
	readonly method: "GET" | "POST";
	/** Below the base URL and without the query. */
	readonly path: string;
	readonly teamName: string;
	/** From 1. */
	readonly attempt: number;
	/** Of the reply, where one came. */
	readonly status: number | undefined;
	/** Name of the error's class; undefined where the attempt succeeded. */
	readonly error: string | undefined;
	readonly durationMillis: number;
}

/** What holds for every call of a scoped client. */
export interface CallScope {
	/** Ends the calls, unless a call brings a signal of its own. A function is asked at each call. */
	readonly signal?: AbortSignal | (() => AbortSignal) | undefined;
	/** Told once for each request. */
	readonly onAttempt?: ((info: AttemptInfo) => void) | undefined;
	/** Told when a call begins to wait for its turn, and when that wait is over. */
	readonly onAdmission?: ((waiting: boolean) => void) | undefined;
}

/** The scopes a client was narrowed by, outermost first: each of them hears of each call. */
export class Scopes {
	constructor(private readonly scopes: readonly CallScope[] = []) {}

	with(scope: CallScope): Scopes {
		return new Scopes([...this.scopes, scope]);
	}

	/** The signals that end a call: its own, or else those of all scopes. */
	signalsFor(own: AbortSignal | undefined): AbortSignal[] {
		if (own) return [own];
		return this.scopes.flatMap(({ signal }) => (typeof signal === "function" ? signal() : (signal ?? [])));
	}

	waiting(waiting: boolean): void {
		for (const scope of this.scopes) scope.onAdmission?.(waiting);
	}

	/** Starts the measurement of one attempt. */
	trace(operation: EndpointName, { method, path, teamName, attempts }: CallFacts): Trace {
		const startedAt = performance.now();
		const end = (status: number | undefined, error: string | undefined) => {
			const durationMillis = performance.now() - startedAt;
			const info = { operation, method, path, teamName, attempt: attempts, status, error, durationMillis };
			for (const scope of this.scopes) scope.onAttempt?.(info);
		};
		return {
			succeeded: (status) => end(status, undefined),
			failed: (status, error) => end(status, error instanceof DataChainError ? error.name : "Error"),
		};
	}
}

export interface Trace {
	succeeded(status: number): void;
	failed(status: number | undefined, error: unknown): void;
}
