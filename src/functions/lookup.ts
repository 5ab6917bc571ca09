import * as pulumi from "@pulumi/pulumi";
import { type ConnectionSettings, createClient, type DataChainClient, resolveConnection } from "../api";

/** Connection settings given in the program. Each wins over the environment variable and the Pulumi config value. */
export interface Connection {
	/** Base URL of the service, with or without `/api`. */
	baseUrl?: string;
	/** Access token; take it from `config.requireSecret(…)`. */
	token?: string;
	/** Team to look in. */
	teamName?: string;
}

/** How the arguments of a lookup look in its `…Output` form. */
export type InputsOf<Args> = { [Key in keyof Args]: pulumi.Input<pulumi.Unwrap<Args[Key]> | Args[Key]> };

export interface LookupOptions {
	connection?: Connection;
}

export interface LookupOutputOptions {
	connection?: { [Key in keyof Connection]: pulumi.Input<Connection[Key]> };
}

/** Long enough for one program to ask the same thing many times, short enough to stay true. */
const KEPT_MILLIS = 5_000;

const clients = new Map<string, DataChainClient>();
const replies = new Map<string, Promise<unknown>>();

function connectionOf(options: LookupOptions | undefined): ConnectionSettings {
	const config = new pulumi.Config("datachain");
	return resolveConnection({ explicit: options?.connection, config: (key) => config.get(key) });
}

/**
 * Asks the service once for all callers that want the same within a few seconds. A thousand lookups in one program
 * cost one request.
 */
export async function lookUp<T>(
	options: LookupOptions | undefined,
	what: string,
	ask: (client: DataChainClient) => Promise<T>,
): Promise<T> {
	const settings = connectionOf(options);
	const connectionKey = JSON.stringify([settings.baseUrl, settings.token, settings.teamName]);
	const key = `${connectionKey} ${what}`;
	const known = replies.get(key);
	if (known !== undefined) return known as Promise<T>;
	const client = clients.get(connectionKey) ?? createClient(settings);
	clients.set(connectionKey, client);
	const reply = ask(client);
	replies.set(key, reply);
	const forget = () => replies.delete(key);
	// The timer must not keep the program alive.
	reply.then(() => setTimeout(forget, KEPT_MILLIS).unref(), forget);
	return reply;
}

/** The Output form of a lookup: waits for its arguments, and is skipped while they are not known. */
export function asOutput<Args, Result>(
	lookup: (args: Args, options?: LookupOptions) => Promise<Result>,
): (args?: InputsOf<Args>, options?: LookupOutputOptions) => pulumi.Output<pulumi.Unwrap<Result>> {
	return (args, options) =>
		pulumi
			.all([pulumi.output(args ?? {}), pulumi.output(options?.connection)])
			.apply(([known, connection]) =>
				lookup(known as unknown as Args, { connection: connection as Connection | undefined }),
			) as pulumi.Output<pulumi.Unwrap<Result>>;
}
