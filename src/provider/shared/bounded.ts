import { AbortedError, type DataChainClient } from "../../api";
import type { ProviderContext } from "../context";

/** The engine hands providers neither a timeout nor a cancel, so each operation ends itself. */
const OPERATION_MILLIS = 60_000;

/** Runs one operation with a client that gives up when the operation's time is over, whatever it was waiting for. */
export async function withinTime<T>(
	context: ProviderContext,
	work: (context: ProviderContext) => Promise<T>,
	limitMillis = OPERATION_MILLIS,
): Promise<T> {
	const endsAt = performance.now() + limitMillis;
	let signal: AbortSignal | undefined;
	// Made with the first call: most operations are answered from lists, and a timer for each would outlive it.
	const timer = (): AbortSignal => {
		signal ??= AbortSignal.timeout(Math.max(0, Math.ceil(endsAt - performance.now())));
		return signal;
	};
	try {
		return await work({ ...context, client: bound(context.client, timer) });
	} catch (error) {
		if (!(error instanceof AbortedError) || signal?.aborted !== true) throw error;
		throw new Error(
			`Gave up after ${limitMillis / 1000} seconds. ${error.message} Check that the service answers, then run "pulumi up" again.`,
		);
	}
}

/** Uploads are left out: how long a file takes depends on its size, and the client bounds them by it. */
function bound(client: DataChainClient, timer: () => AbortSignal): DataChainClient {
	return {
		...client,
		get clusters() {
			return boundCalls(client.clusters, timer());
		},
		get schedules() {
			return boundCalls(client.schedules, timer());
		},
		get pipelines() {
			return boundCalls(client.pipelines, timer());
		},
	};
}

type Call = (input: never, options?: { signal?: AbortSignal }) => unknown;

function boundCalls<Calls extends Record<string, Call>>(calls: Calls, signal: AbortSignal): Calls {
	const entries = Object.entries(calls).map(([name, call]) => {
		const bounded: Call = (input, options) => call(input, { signal, ...options });
		return [name, bounded];
	});
	return Object.fromEntries(entries) as Calls;
}
