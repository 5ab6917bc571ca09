import {
	type ConnectionSources,
	type LogSources,
	resolveConnection,
	resolveRequestLog,
	resolveWriteLimit,
} from "../api";
import type { Props } from "../provider/handler";
import { isUnknown } from "../provider/shared/unknown";
import { isDefaultProviderName } from "../schemas/kinds";

/** Arguments of a `Provider`, and the keys of the `datachain` config namespace. */
export const PROVIDER_FIELDS = ["baseUrl", "token", "teamName", "maxConcurrentWrites", "log"] as const;

/** Whether it is one of the engine's own keys, which travel with a provider's arguments. */
const isEngineKey = (key: string): boolean =>
	key.startsWith("__") || key === "version" || key === "pluginDownloadURL";

/** What is wrong with the arguments, without a value: the token may be among them. */
export function checkProviderArgs(args: Props): string[] {
	return Object.entries(args).flatMap(([key, value]) => {
		if (isEngineKey(key) || value === undefined || value === null || isUnknown(value)) return [];
		const problem = problemOf(key, value);
		return problem === undefined ? [] : [`${key}: ${problem}`];
	});
}

/** Settings that pass, so that each can be judged alone. */
const FINE = { baseUrl: "https://studio.example.com", token: "token", teamName: "team" };

function problemOf(key: string, value: unknown): string | undefined {
	if (!PROVIDER_FIELDS.some((field) => field === key))
		return `the datachain provider has no such setting. It knows ${PROVIDER_FIELDS.join(", ")}.`;
	if (typeof value !== "string" && typeof value !== "number") return "must be a text.";
	// An empty text is "not set" in the config as in the environment.
	if (String(value).trim() === "") return undefined;
	try {
		if (key === "maxConcurrentWrites") resolveWriteLimit({ env: {}, config: () => String(value) });
		else if (key === "log") resolveRequestLog({ env: {}, config: () => String(value) });
		else resolveConnection({ env: {}, explicit: { ...FINE, [key]: String(value) } });
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : "cannot be used.";
	}
}

const textOf = (args: Props, key: string): string | undefined => {
	const value = args[key];
	return value === undefined || value === null || isUnknown(value) ? undefined : String(value);
};

/**
 * Where the connection comes from. What a program gives to a `Provider` of its own wins over the environment; what the
 * engine's default provider takes from the config does not, as in the dynamic host.
 */
export function connectionSources(args: Props, isDefault: boolean): ConnectionSources {
	const given = (key: string) => textOf(args, key);
	if (isDefault) return { config: given };
	return { explicit: { baseUrl: given("baseUrl"), token: given("token"), teamName: given("teamName") } };
}

export function writeLimit(args: Props, isDefault: boolean): number | undefined {
	const config = () => textOf(args, "maxConcurrentWrites");
	const own = isDefault ? undefined : resolveWriteLimit({ env: {}, config });
	return own ?? resolveWriteLimit({ config });
}

/** Where it is said whether requests are logged; as everywhere, what a `Provider` of the program's own says wins. */
export function logSources(args: Props, isDefault: boolean): LogSources {
	const own = textOf(args, "log");
	const wins = !isDefault && own !== undefined && own.trim() !== "";
	return { config: () => own, ...(wins && { env: {} }) };
}

/** Without a name, which only a start by hand can cause, nobody's program made it. */
export const isDefaultProvider = (name: string): boolean => name === "" || isDefaultProviderName(name);

/** True where the arguments differ; no change of them ever replaces a provider, and with it all its resources. */
export const differsInArgs = (olds: Props, news: Props): boolean =>
	PROVIDER_FIELDS.some((key) => textOf(olds, key) !== textOf(news, key));
