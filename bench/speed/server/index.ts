import { join } from "node:path";
import { forkChild } from "../child";

export type Question =
	/** A new server with the seeded team, in place of the one before. */
	| { readonly kind: "start"; readonly delayMs: number }
	/** Forgets the requests so far. */
	| { readonly kind: "clear" }
	| { readonly kind: "count" };

export interface ServerAnswer {
	/** What a client needs to find the server. */
	readonly environment: Readonly<Record<string, string>>;
	readonly requests: number;
	readonly maxInFlight: number;
	readonly endpoints: Readonly<Record<string, number>>;
}

export interface BenchServer {
	start(delayMs: number): Promise<ServerAnswer>;
	clear(): Promise<ServerAnswer>;
	count(): Promise<ServerAnswer>;
	end(): void;
}

/** The local server in a process of its own, so that its work is not counted as anyone else's. */
export function benchServer(): BenchServer {
	const child = forkChild<Question, ServerAnswer>(join(__dirname, "child.ts"));
	return {
		start: (delayMs) => child.ask({ kind: "start", delayMs }),
		clear: () => child.ask({ kind: "clear" }),
		count: () => child.ask({ kind: "count" }),
		end: child.end,
	};
}
