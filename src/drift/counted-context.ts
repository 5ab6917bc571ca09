import { type ConnectionSources, createClient, type DataChainClient, resolveConnection } from "../api";
import { createContext, type ProviderContext } from "../provider/context";
import { TeamLists } from "../provider/shared/team-lists";

export interface CountedContext {
	readonly context: ProviderContext;
	/** Requests sent so far, repetitions included. */
	requests(): number;
	close(): Promise<void>;
}

/** The context the provider works with, counting what it asks of the service. */
export function countedContext(sources: ConnectionSources): CountedContext {
	let count = 0;
	const tick = () => {
		count++;
	};
	const base = createContext(sources, () => {});
	const client = createClient(resolveConnection(sources), { onRetry: tick });
	const counting: DataChainClient = {
		...client,
		schedules: counted(client.schedules, tick),
		pipelines: counted(client.pipelines, tick),
	};
	return {
		context: { ...base, client: counting, lists: new TeamLists(counting) },
		requests: () => count,
		close: async () => {
			await Promise.all([client.close(), base.client.close()]);
		},
	};
}

function counted<Calls extends object>(calls: Calls, tick: () => void): Calls {
	return new Proxy(calls, {
		get(target, name, receiver) {
			const call: unknown = Reflect.get(target, name, receiver);
			if (typeof call !== "function") return call;
			return (...args: unknown[]) => {
				tick();
				return Reflect.apply(call, target, args);
			};
		},
	});
}
