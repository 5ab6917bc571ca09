import type { StorageConfig } from "./kinds";
import { camelName, isPlainObject, wireName } from "./parameter";
import { clientConfig, compactJson, readStorage } from "./render";

/**
 * Wire names of the parameters that mean something else in `value` than in the config, those that only one of them
 * has included. Order of keys, white space and escapes make no difference, and a missing or unreadable variable is
 * the same as an empty object, because that is what a job makes of it.
 */
export function differingParameters(config: StorageConfig, value: string | undefined): string[] {
	const declared = clientConfig(config);
	const live = readStorage(config.kind, value) ?? {};
	const names = new Set([...Object.keys(declared), ...Object.keys(live)]);
	const own = (object: Record<string, unknown>, name: string) =>
		Object.hasOwn(object, name) ? compactJson(object[name]) : undefined;
	return [...names].filter((name) => own(declared, name) !== own(live, name)).sort();
}

/** Stand for values that are on the service and not ours: they may be someone's secret. */
export interface ForeignMarks {
	/** In place of a declared parameter that has another value there. */
	readonly changed: string;
	/** In place of a parameter that nobody declared. */
	readonly added: string;
}

/**
 * The config as `value` has it: declared parameters that mean the same stay as they are spelled, missing ones are
 * missing, and the rest is marked. Parameters that were given in `kwargs` are looked for there.
 */
export function liveConfig(
	config: StorageConfig,
	value: string | undefined,
	marks: ForeignMarks,
): StorageConfig {
	const live = readStorage(config.kind, value) ?? {};
	const kwargs = isPlainObject(config.parameters.kwargs) ? { ...config.parameters.kwargs } : undefined;
	const parameters: Record<string, unknown> = { ...config.parameters, ...(kwargs && { kwargs }) };
	for (const wire of differingParameters(config, value)) {
		const name = Object.keys(config.parameters).find((key) => key !== "kwargs" && wireName(key) === wire);
		const spread = name === undefined && kwargs !== undefined && Object.hasOwn(kwargs, wire);
		const holder = spread ? kwargs : parameters;
		const key = spread ? wire : (name ?? camelName(wire));
		if (!Object.hasOwn(live, wire)) delete holder[key];
		else holder[key] = spread || name !== undefined ? marks.changed : marks.added;
	}
	return { kind: config.kind, parameters };
}
