import "../short-lived-process";
import {
	type ConnectionSources,
	resolveConnection,
	resolveRequestLog,
	resolveWriteLimit,
	wantsTraces,
} from "../../../client";
import { realTime } from "../../../client/read-back";
import { clearReplies, lookUpWithRetry, withoutTexts } from "../../../lookups/lookup";
import { setLookupHost } from "../../../lookups/place";
import { lookupNamed } from "../../../lookups/table";
import { isDefaultProviderName } from "../../../schemas/kinds";
import { outputTexts } from "../../../text/output-text";
import { didYouMean } from "../../../text/suggest";
import { compact, isUnknown, type Props, secretValue } from "../../model/props";
import { textsIn } from "../../model/secrets";
import { adoptsEqual, createContext, type ProviderContext } from "../../run/context";
import { YOUNG_MILLIS } from "../../run/outcome";
import { engineAddress } from "../../run/shared-owners";
import { ResourceHost } from "./resource-host";
import { reveal } from "./values";

export { unconfigured } from "../hosting";
export type { ResourceDiff, Which } from "./resource-host";
export { conceal, reveal } from "./values";

/** One configured provider: a process of its own serves it. The connection is resolved when a call first needs it. */
export class ConfiguredProvider {
	private context: ProviderContext | undefined;
	private lastWrite = Number.NEGATIVE_INFINITY;

	constructor(
		private readonly args: Props,
		private readonly isDefault: boolean,
		private readonly tell: (line: string, urn?: string) => void,
		/** Fires when the deployment shall end: a wait for a job or a pipeline ends then, and what it waits for runs on. */
		private readonly interrupt: AbortSignal,
	) {
		setLookupHost({
			config: () => undefined,
			secret: asSecret,
			log: () => this.log,
			warn: tell,
		});
	}

	get resources(): ResourceHost {
		this.context ??= createContext(this.sources, this.tell, {
			maxConcurrentWrites: resolveWriteLimit(
				settingSources(this.args, this.isDefault, "maxConcurrentWrites"),
			),
			log: this.log,
			interrupt: this.interrupt,
			engine: engineAddress(),
			adoptEqual: adoptsEqual(this.sources),
		});
		return new ResourceHost(this.context);
	}

	/** Runs an operation that may write; lookups after it see what it did. */
	async write<T>(work: (resources: ResourceHost) => Promise<T>): Promise<T> {
		try {
			return await work(this.resources);
		} finally {
			clearReplies();
			this.lastWrite = realTime.now();
		}
	}

	get wantsTraces(): boolean {
		return wantsTraces(settingSources(this.args, this.isDefault, "log"));
	}

	/** A lookup by its public name. */
	async look(name: string, tagged: Props): Promise<Props> {
		const lookup = lookupNamed(name);
		if (lookup === undefined)
			throw new Error(`The datachain provider has no function "${name}".`);
		const connection = resolveConnection(this.sources);
		const { props, secrets } = reveal(tagged);
		const ask = () => lookup(props, { connection });
		// The engine does not say whether the arguments come from a resource that was just created.
		const asked =
			realTime.now() - this.lastWrite < YOUNG_MILLIS ? lookUpWithRetry(ask) : ask();
		const result = await asked.catch((error: unknown) => {
			throw withoutTexts(
				error,
				secrets.flatMap(([key = ""]) => textsIn(props[key])),
			);
		});
		return compact({ ...result });
	}

	/** The engine shows nothing of what a plugin prints, so that lines without a file go the way of notices. */
	private get log() {
		const write = (line: string) => this.tell(line.trimEnd());
		return resolveRequestLog({
			...settingSources(this.args, this.isDefault, "log"),
			write,
		});
	}

	private get sources() {
		return connectionSources(this.args, this.isDefault);
	}
}

/** A secret of a lookup travels with Pulumi's own tag, because the SDK's Outputs do not exist here. */
const asSecret = <T>(value: T) => secretValue(value) as never;

/** Arguments of a `Provider`, and the keys of the `datachain` config namespace. */
export const PROVIDER_FIELDS = [
	"baseUrl",
	"token",
	"teamName",
	"maxConcurrentWrites",
	"log",
] as const;

/** Whether it is one of the engine's own keys, which travel with a provider's arguments. */
const isEngineKey = (key: string): boolean =>
	key.startsWith("__") || key === "version" || key === "pluginDownloadURL";

/** What is wrong with the arguments, without a value: the token may be among them. */
export function checkProviderArgs(args: Props): string[] {
	return Object.entries(args).flatMap(([key, value]) => {
		if (isEngineKey(key) || value === undefined || value === null || isUnknown(value))
			return [];
		const [inText] = outputTexts(value, key);
		const problem = inText?.reason ?? problemOf(key, value);
		return problem === undefined ? [] : [`${key}: ${problem}`];
	});
}

/** Settings that pass, so that each can be judged alone. */
const FINE = {
	baseUrl: "https://studio.example.com",
	token: "token",
	teamName: "team",
};

function problemOf(key: string, value: unknown): string | undefined {
	if (!PROVIDER_FIELDS.some((field) => field === key))
		return `the datachain provider has no such setting.${didYouMean(key, PROVIDER_FIELDS)} It knows ${PROVIDER_FIELDS.join(", ")}.`;
	if (typeof value !== "string" && typeof value !== "number")
		return "must be a string.";
	// An empty text is "not set" in the config as in the environment.
	if (String(value).trim() === "") return undefined;
	try {
		if (key === "maxConcurrentWrites")
			resolveWriteLimit({ env: {}, config: () => String(value) });
		else if (key === "log") resolveRequestLog({ env: {}, config: () => String(value) });
		else resolveConnection({ env: {}, explicit: { ...FINE, [key]: String(value) } });
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : "cannot be used.";
	}
}

const textOf = (args: Props, key: string): string | undefined => {
	const value = args[key];
	return value === undefined || value === null || isUnknown(value)
		? undefined
		: String(value);
};

/**
 * Where the connection comes from. What a program gives to a `Provider` of its own wins over the environment; what the
 * engine's default provider takes from the config does not, as in the dynamic host.
 */
function connectionSources(args: Props, isDefault: boolean): ConnectionSources {
	const given = (key: string) => textOf(args, key);
	if (isDefault) return { config: given };
	return {
		explicit: {
			baseUrl: given("baseUrl"),
			token: given("token"),
			teamName: given("teamName"),
		},
	};
}

/** The same for a setting beside the connection. */
function settingSources(
	args: Props,
	isDefault: boolean,
	key: "log" | "maxConcurrentWrites",
) {
	const own = textOf(args, key);
	const wins = !isDefault && own !== undefined && own.trim() !== "";
	return { config: () => own, ...(wins && { env: {} }) };
}

/** A provider has no name only if somebody started the plugin by hand; then no program made it. */
export const isDefaultProvider = (name: string): boolean =>
	name === "" || isDefaultProviderName(name);

/** True if the arguments differ. No change replaces the provider, because that would replace all its resources. */
export const differsInArgs = (olds: Props, news: Props): boolean =>
	PROVIDER_FIELDS.some((key) => textOf(olds, key) !== textOf(news, key));
