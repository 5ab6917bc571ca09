import type { ConnectionSources, UnreadableInfo } from "../api";
import { createContext, type ProviderContext } from "../provider/context";

export interface CountedContext {
	readonly context: ProviderContext;
	/** Requests sent so far, repetitions included. */
	requests(): number;
	/** Elements that lists had so far and that could not be read. */
	unreadable(): readonly UnreadableInfo[];
	close(): Promise<void>;
}

/** The context the provider works with, counting what it asks of the service and noting what it cannot read. */
export function countedContext(sources: ConnectionSources): CountedContext {
	let count = 0;
	const unreadable: UnreadableInfo[] = [];
	const context = createContext(sources, () => {}, {
		onAttempt: () => {
			count++;
		},
		onUnreadable: (info) => unreadable.push(info),
	});
	return {
		context,
		requests: () => count,
		unreadable: () => [...unreadable],
		close: () => context.client.close(),
	};
}
