import { setTimeout as delay } from "node:timers/promises";
import type * as pulumi from "@pulumi/pulumi";
import type { ConnectionSettings, DataChainClient } from "../client";
import { PLUGIN_PACKAGE } from "../schemas/kinds";
import { refuseOutputText } from "../text/output-text";
import { didYouMean } from "../text/suggest";
import { someOf } from "../text/wording";
import {
	type Connection,
	clientModule,
	type LookupOptions,
	type LookupOutputOptions,
	lookupHost,
	sdk,
} from "./place";

/** How the arguments of a lookup look in its `…Output` form. */
export type InputsOf<Args> = {
	[Key in keyof Args]: pulumi.Input<pulumi.Unwrap<Args[Key]> | Args[Key]>;
};

/** The keys of a lookup's arguments; the compiler asks for every one of them. */
export type KeysOf<Args> = Readonly<Record<keyof Args, true>>;

const OPTIONS: KeysOf<LookupOptions> = { connection: true };
const OUTPUT_OPTIONS: KeysOf<LookupOutputOptions> = {
	connection: true,
	provider: true,
};
const CONNECTION: KeysOf<Connection> = { baseUrl: true, token: true, teamName: true };

/** The arguments as given, none if there are none. A misspelled filter would otherwise match everything. */
export function checkedArgs<Args extends object>(
	lookup: string,
	keys: KeysOf<Args>,
	args: Args | null | undefined,
): Partial<Args> {
	if (args === undefined || args === null) return {};
	if (typeof args !== "object")
		throw new TypeError(
			`${lookup} takes an object of filters, not a ${typeof args}. It knows ${Object.keys(keys).join(", ")}.`,
		);
	const hint = Object.keys(args).some((key) => key in CONNECTION && !(key in keys))
		? " The team and the service are not filters: set them in the connection option of the lookup, or use a provider."
		: "";
	refuseOthers(lookup, keys, args, hint);
	refuseOutputText(lookup, args);
	return args;
}

function checkOptions(
	lookup: string,
	options: LookupOutputOptions | null | undefined,
	keys: object = OPTIONS,
): void {
	if (options === undefined || options === null) return;
	refuseOthers(`The second argument of ${lookup}`, keys, options);
	const connection: unknown = Reflect.get(options, "connection");
	if (typeof connection === "object" && connection !== null)
		refuseOthers(`The connection of ${lookup}`, CONNECTION, connection);
	refuseOutputText(lookup, connection, "connection");
}

function refuseOthers(where: string, keys: object, given: object, hint = ""): void {
	const others = Object.keys(given).filter((key) => !Object.hasOwn(keys, key));
	if (others.length === 0) return;
	const keyNames = Object.keys(keys);
	const named = others.map((key) => JSON.stringify(key)).join(", ");
	const meant = others.map((key) => didYouMean(key, keyNames)).join("");
	throw new TypeError(
		`${where} does not know ${named}.${meant} It knows ${keyNames.join(", ")}.${hint}`,
	);
}

/** Loaded with the first lookup: most programs have none. */
export const resultsModule = () => require("./results") as typeof import("./results");

/** Long enough for one program to ask the same thing many times, short enough to stay true. */
const REPLY_CACHE_MILLIS = 5_000;

const clients = new Map<string, DataChainClient>();
const replies = new Map<string, Promise<unknown>>();

/** After a write, earlier replies may be out of date. */
export const clearReplies = (): void => replies.clear();

/** Lookups whose arguments come within this time share one request. */
const BATCH_MILLIS = 50;
let clearing: Promise<void> | undefined;

/**
 * Lookups of created resources must not see replies from before the create. They wait 50 ms together, then all earlier
 * replies are forgotten, so that they share one new request.
 */
function startFreshBatch(): Promise<void> {
	clearing ??= delay(BATCH_MILLIS).then(() => {
		clearing = undefined;
		clearReplies();
	});
	return clearing;
}

/** The service shows nothing that matches. */
class NothingMatches extends Error {}

const isNothing = (error: unknown): boolean =>
	error instanceof NothingMatches ||
	clientModule().isMissing(error) ||
	(error instanceof Error && clientModule().isMissing(error.cause));

/** A lookup after a create: asks again while nothing matches, because the service may not show yet what was created. */
export async function lookUpWithRetry<T>(look: () => Promise<T>): Promise<T> {
	let isFirst = true;
	const tryOnce = async () => {
		if (!isFirst) await startFreshBatch();
		isFirst = false;
		return look();
	};
	const { pollUntil, READ_BACK_DELAYS, realTime } =
		require("../client/read-back") as typeof import("../client/read-back");
	const [last] = await pollUntil(
		{ time: realTime, readBackDelays: READ_BACK_DELAYS },
		// allSettled, because pollUntil has no place for an error.
		() => Promise.allSettled([tryOnce()]),
		([result]) => result.status === "fulfilled" || !isNothing(result.reason),
	);
	if (last.status === "rejected") throw last.reason;
	return last.value;
}

function clientOf(settings: ConnectionSettings): DataChainClient {
	const { createClient, leftOut } = clientModule();
	return createClient(settings, {
		log: lookupHost().log(),
		onUnreadable: (info) => lookupHost().warn(leftOut(info)),
	});
}

/**
 * Asks the service once for all callers that want the same within a few seconds. A thousand lookups in one program
 * cost one request.
 */
export async function lookUp<T>(
	lookup: string,
	options: LookupOptions | undefined,
	request: string,
	ask: (client: DataChainClient) => Promise<T>,
): Promise<T> {
	checkOptions(lookup, options);
	const { connection: explicit } = options ?? {};
	const settings = clientModule().resolveConnection({
		explicit,
		config: (key) => lookupHost().config(key),
	});
	const connectionKey = JSON.stringify(settings);
	const key = `${connectionKey} ${request}`;
	const earlier = replies.get(key);
	if (earlier !== undefined) return earlier as Promise<T>;
	const client = clients.get(connectionKey) ?? clientOf(settings);
	clients.set(connectionKey, client);
	const reply = ask(client);
	replies.set(key, reply);
	const forget = () => {
		if (replies.get(key) === reply) replies.delete(key);
	};
	// The timer must not keep the program alive.
	reply.then(() => setTimeout(forget, REPLY_CACHE_MILLIS).unref(), forget);
	return reply;
}

/** The Output form of a lookup: waits for its arguments and their resources, and is skipped while they are not known. */
export function asOutput<Args extends object, Result>(
	lookup: (args: Args, options?: LookupOptions) => Promise<Result>,
	keys: KeysOf<Args>,
): (
	args?: InputsOf<Args>,
	options?: LookupOutputOptions,
) => pulumi.Output<pulumi.Unwrap<Result>> {
	const name = `${lookup.name}Output`;
	return (args, options) => {
		// The names are known at once, also if the values come later.
		const given = checkedArgs<InputsOf<Args>>(name, keys, args);
		checkOptions(name, options, OUTPUT_OPTIONS);
		const pulumi = sdk();
		if (options?.provider) {
			if (options.connection)
				throw new TypeError(
					`${name} takes a connection or a provider, and not both: a provider has a connection.`,
				);
			const token = `${PLUGIN_PACKAGE}:index:${lookup.name}`;
			return pulumi.runtime.invokeOutput(token, given, { provider: options.provider });
		}
		const asked = pulumi.all([
			pulumi.output(given),
			pulumi.output(options?.connection),
		]);
		return pulumi
			.all([asked, pulumi.output(resourceIds(asked))])
			.apply(async ([[values, connection], ids]) => {
				const look = () =>
					lookup(values as unknown as Args, {
						connection: connection as Connection | undefined,
					});
				try {
					if (ids.length === 0) return await look();
					await startFreshBatch();
					return await lookUpWithRetry(look);
				} catch (error) {
					throw withoutTexts(error, await secretTexts(given));
				}
			}) as pulumi.Output<pulumi.Unwrap<Result>>;
	};
}

/** The arguments that are secrets of the program. */
async function secretTexts(given: object): Promise<string[]> {
	const texts = Object.values(given).map(async (value: unknown) => {
		// The SDK's serializer asks Outputs in these words, which its declarations leave out.
		const output = sdk().output(value) as unknown as SdkOutput;
		return (await output.isSecret) ? [await output.promise()].flat().map(String) : [];
	});
	return (await Promise.all(texts)).flat();
}

interface SdkOutput {
	readonly isSecret: Promise<boolean>;
	promise(): Promise<unknown>;
}

/** The error without these texts: what was asked for is part of its message. */
export function withoutTexts(error: unknown, texts: readonly string[]): unknown {
	if (texts.length === 0) return error;
	if (!(error instanceof Error)) return error;
	const { needlesForName, redact } =
		require("../client/redaction") as typeof import("../client/redaction");
	const needles = texts.flatMap(needlesForName);
	// Pulumi prints every property of an error, such as its cause.
	const redacted = new Error(redact(error.message, needles));
	redacted.stack = redact(String(error.stack), needles);
	return redacted;
}

/**
 * The ids of the resources that a value comes from. At preview, the id of a resource that is still to be created is not
 * known, even if its name is. The SDK does not declare `allResources`; without it, only the value decides.
 */
async function resourceIds(
	value: pulumi.Output<unknown>,
): Promise<pulumi.Output<string>[]> {
	const { allResources } = value as {
		allResources?: () => Promise<Set<pulumi.Resource>>;
	};
	const resources = [...((await allResources?.call(value)) ?? [])];
	return resources.flatMap((resource) =>
		sdk().CustomResource.isInstance(resource) ? [resource.id] : [],
	);
}

/** The only element of `found`, or an error that says what was asked and what there is. */
export function exactlyOne<T>(
	noun: string,
	asked: object,
	matching: readonly T[],
	all: readonly T[],
	describe: (item: T) => string,
	/** The name that was asked for, and those that there are. */
	names: {
		readonly asked: string | undefined;
		readonly all: readonly (string | undefined)[];
	},
): T {
	const [only] = matching;
	if (only !== undefined && matching.length === 1) return only;
	const listed = matching.length > 1 ? matching : all;
	const existing = someOf(listed.map(describe));
	const count =
		matching.length === 0 ? `No ${noun} matches` : `${matching.length} ${noun}s match`;
	const there =
		listed.length === 0
			? `There is no ${noun} at all.`
			: `${matching.length > 1 ? "They are" : "There are"} ${existing}.`;
	const Problem = matching.length === 0 ? NothingMatches : Error;
	const others = names.all.filter((name) => name !== undefined);
	const meant = matching.length === 0 ? didYouMean(names.asked ?? "", others) : "";
	throw new Problem(
		`${count} ${JSON.stringify(asked)}.${meant} ${there} Ask for exactly one of them.`,
	);
}
