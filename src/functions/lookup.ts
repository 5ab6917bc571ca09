import type { ConnectionSettings, DataChainClient } from "../api";
import type { LookupOptions } from "./connection";
import { checkOptions } from "./keys";
import { api, place } from "./place";

/** Loaded with the first lookup: most programs have none. */
export const results = () => require("./results") as typeof import("./results");

/** Long enough for one program to ask the same thing many times, short enough to stay true. */
const KEPT_MILLIS = 5_000;

const clients = new Map<string, DataChainClient>();
const replies = new Map<string, Promise<unknown>>();

function clientOf(settings: ConnectionSettings): DataChainClient {
	const { createClient, leftOut } = api();
	return createClient(settings, {
		log: place().log(),
		onUnreadable: (info) => place().warn(leftOut(info)),
	});
}

/**
 * Asks the service once for all callers that want the same within a few seconds. A thousand lookups in one program
 * cost one request.
 */
export async function lookUp<T>(
	lookup: string,
	options: LookupOptions | undefined,
	what: string,
	ask: (client: DataChainClient) => Promise<T>,
): Promise<T> {
	checkOptions(lookup, options);
	const { connection: explicit } = options ?? {};
	const settings = api().resolveConnection({ explicit, config: (key) => place().config(key) });
	const connectionKey = JSON.stringify(settings);
	const key = `${connectionKey} ${what}`;
	const known = replies.get(key);
	if (known !== undefined) return known as Promise<T>;
	const client = clients.get(connectionKey) ?? clientOf(settings);
	clients.set(connectionKey, client);
	const reply = ask(client);
	replies.set(key, reply);
	const forget = () => replies.delete(key);
	// The timer must not keep the program alive.
	reply.then(() => setTimeout(forget, KEPT_MILLIS).unref(), forget);
	return reply;
}
