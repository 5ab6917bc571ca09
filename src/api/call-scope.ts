import type { EndpointName } from "../schemas/wire/endpoints";
import type { CallFacts } from "./errors/api-error";

/** One request that was sent, or that the network kept from being sent, and how it ended. */
export interface AttemptInfo {
	readonly operation: EndpointName;
	readonly method: "GET" | "POST";
	/** Below the base URL and without the query. */
	readonly path: string;
	readonly teamName: string;
	/** From 1. */
	readonly attempt: number;
	/** Sent with the request, or the service's own where its reply names one. */
	readonly requestId: string;
	/** For whom the request was sent, where a scope says it. */
	readonly resource: string | undefined;
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
	/** For whom the calls are made, as people name it. */
	readonly resource?: string | undefined;
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

	/** Starts the measurement of one attempt; the result is called when it has ended. */
	trace(operation: EndpointName, { method, path, teamName, attempts }: CallFacts) {
		const request = { operation, method, path, teamName, attempt: attempts };
		const startedAt = performance.now();
		const resource = this.scopes.flatMap((scope) => scope.resource ?? []).at(-1);
		return (requestId: string, status: number | undefined, error: string | undefined): void => {
			const durationMillis = performance.now() - startedAt;
			const info: AttemptInfo = { ...request, requestId, resource, status, error, durationMillis };
			for (const scope of this.scopes) tellSafely(scope, info);
		};
	}
}

/** Who only listens cannot change how a request ended: a create that was done must not count as failed. */
function tellSafely(scope: CallScope, info: AttemptInfo): void {
	try {
		scope.onAttempt?.(info);
	} catch (error) {
		process.emitWarning(
			`a listener of requests failed: ${error instanceof Error ? error.message : "unknown"}`,
		);
	}
}
