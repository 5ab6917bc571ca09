import { STORAGES, type StorageConfig, type StorageKind, setParameters } from "./kinds";
import { camelName, isPlainObject, wireName } from "./parameter";
import { CLIENT_NAMES } from "./s3";

/** The exact dictionary for `client_config`: wire names, and the `kwargs` of s3 spread beside the rest. */
export function clientConfig(config: StorageConfig): Record<string, unknown> {
	const { kwargs, ...parameters } = setParameters(config.parameters);
	const named = Object.entries(parameters).map(([name, value]) => [
		wireName(name),
		config.kind === "s3" && name === "clientKwargs"
			? withoutRepeated(value, parameters)
			: value,
	]);
	// `kwargs` is the library's name for "all other parameters"; passed as a parameter of that name it crashes.
	return Object.fromEntries([
		...(isPlainObject(kwargs) ? Object.entries(kwargs) : []),
		...named,
	]);
}

/**
 * The documentation lets `key`, `secret`, `token` and `endpoint_url` win over the same in `client_kwargs`. The library
 * itself fails on two different values, so the one that loses is left out.
 */
function withoutRepeated(
	clientKwargs: unknown,
	parameters: Readonly<Record<string, unknown>>,
): unknown {
	if (!isPlainObject(clientKwargs)) return clientKwargs;
	const lost = Object.entries(CLIENT_NAMES).filter(([name]) =>
		Object.hasOwn(parameters, name),
	);
	const names = lost.map(([, inClient]) => inClient);
	return Object.fromEntries(
		Object.entries(clientKwargs).filter(([name]) => !names.includes(name)),
	);
}

/**
 * The environment variable that carries the config into a job: one line of compact JSON with sorted keys, so that
 * the same config always gives the same text. Undefined for a storage that needs none.
 */
export function renderStorage(
	config: StorageConfig,
): { name: string; value: string } | undefined {
	const name = STORAGES[config.kind].variable;
	return name === undefined
		? undefined
		: { name, value: compactJson(clientConfig(config)) };
}

/** JSON that survives env files and shells: within strings only harmless characters stand for themselves. */
export function compactJson(value: unknown): string {
	if (typeof value === "string") return `"${value.replace(UNSAFE, escapeUnit)}"`;
	if (Array.isArray(value))
		return `[${value.map((item) => compactJson(item ?? null)).join(",")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const entries = Object.entries(value).filter(([, item]) => item !== undefined);
	entries.sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${entries.map(([key, item]) => `${compactJson(key)}:${compactJson(item)}`).join(",")}}`;
}

/**
 * Readers of env files cut at ` #`, expand `$NAME`, strip quotes and undo backslash sequences such as `\\`, `\"` and
 * `\n`, each in its own way. None of them touches `\uXXXX`, so it is the only escape used, also for what JSON has a
 * shorter one for.
 */
const UNSAFE = /[^A-Za-z0-9_./:@+=,~*-]/g;

export const escapeUnit = (unit: string): string =>
	`\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/**
 * The dictionary in a variable's value, by wire names; undefined if there is none or it is not a JSON object, which
 * jobs ignore.
 */
export function readStorage(
	kind: StorageKind,
	value = "",
): Record<string, unknown> | undefined {
	if (STORAGES[kind].variable === undefined) return undefined;
	try {
		const parsed: unknown = JSON.parse(value);
		return isPlainObject(parsed) ? parsed : undefined;
	} catch {
		return undefined;
	}
}

// ── What the service has, beside what is declared ──

/**
 * Wire names of the parameters that mean something else in `value` than in the config, those that only one of them
 * has included. Order of keys, white space and escapes make no difference, and a missing or unreadable variable is
 * the same as an empty object, because that is what a job makes of it.
 */
export function differingParameters(
	config: StorageConfig,
	value: string | undefined,
): string[] {
	const declared = clientConfig(config);
	const live = readStorage(config.kind, value) ?? {};
	const names = new Set([...Object.keys(declared), ...Object.keys(live)]);
	const own = (object: Record<string, unknown>, name: string) =>
		Object.hasOwn(object, name) ? compactJson(object[name]) : undefined;
	return [...names].filter((name) => own(declared, name) !== own(live, name)).sort();
}

/** Stand for values that are on the service and not ours: they may be someone's secret. */
interface Placeholders {
	/** In place of a declared parameter that has another value there. */
	readonly changed: string;
	/** In place of a parameter that nobody declared. */
	readonly added: string;
}

/**
 * The config as `value` has it: declared parameters that mean the same stay as they are spelled, missing ones are
 * missing, and the rest are placeholders. Parameters that were given in `kwargs` are looked for there.
 */
export function liveConfig(
	config: StorageConfig,
	value: string | undefined,
	placeholders: Placeholders,
): StorageConfig {
	const live = readStorage(config.kind, value) ?? {};
	const kwargs = isPlainObject(config.parameters.kwargs)
		? { ...config.parameters.kwargs }
		: undefined;
	const parameters: Record<string, unknown> = {
		...config.parameters,
		...(kwargs && { kwargs }),
	};
	for (const wire of differingParameters(config, value)) {
		const name = Object.keys(config.parameters).find(
			(key) => key !== "kwargs" && wireName(key) === wire,
		);
		const spread =
			name === undefined && kwargs !== undefined && Object.hasOwn(kwargs, wire);
		const holder = spread ? kwargs : parameters;
		const key = spread ? wire : (name ?? camelName(wire));
		if (!Object.hasOwn(live, wire)) delete holder[key];
		else
			holder[key] =
				spread || name !== undefined ? placeholders.changed : placeholders.added;
	}
	return { kind: config.kind, parameters };
}
