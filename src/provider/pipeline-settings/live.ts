import type { Pipeline } from "../../schemas/pipeline";
import { SETTINGS_INPUTS, type SettingsArgs } from "../../schemas/settings-args";
import type { ProviderContext } from "../context";
import type { Props } from "../handler";
import { compact, pick } from "../shared/json";
import { SETTING_KEYS } from "./keys";

/** Stands in the state for the value of a variable that someone else added: it may be a secret, and is not ours to keep. */
const FOREIGN_VALUE = "(set outside Pulumi)";

export const declaredKeys = (props: Props): string[] =>
	Object.keys(SETTING_KEYS).filter((key) => props[key] !== undefined);

/** Declared keys whose value on the service means something else. Keys that cannot be read are not compared. */
export function differingKeys(declared: Props, pipeline: Pipeline): string[] {
	return declaredKeys(declared).filter((key) => {
		const setting = SETTING_KEYS[key];
		return setting?.live !== undefined && !setting.same(setting.live(pipeline), declared[key]);
	});
}

/** The keys among `keys` that someone has already given another value. Unset, and the default, are free to take. */
export function takenKeys(declared: Props, pipeline: Pipeline, keys: readonly string[]): string[] {
	return differingKeys(declared, pipeline).filter((key) => {
		const setting = SETTING_KEYS[key];
		const value = setting?.live?.(pipeline);
		return (
			keys.includes(key) &&
			value !== undefined &&
			(key === "workers" || !setting?.same(value, setting.cleared))
		);
	});
}

/** A line for people: values only where they cannot be secret, and of the environment the names that differ. */
export function describeDifference(key: string, declared: Props, pipeline: Pipeline): string {
	const live = SETTING_KEYS[key]?.live?.(pipeline);
	if (key === "environment") {
		const names = differingVariables((declared[key] ?? {}) as Props, (live ?? {}) as Props);
		return `environment (${names.join(", ")})`;
	}
	if (!SETTING_KEYS[key]?.showable) return key;
	return `${key} (${JSON.stringify(live) ?? "not set"} there, ${JSON.stringify(declared[key])} here)`;
}

function differingVariables(declared: Props, live: Props): string[] {
	const names = new Set([...Object.keys(declared), ...Object.keys(live)]);
	return [...names].filter((name) => declared[name] !== live[name]).sort();
}

/** The inputs as the service has them now, with exactly the keys the user set and, where nothing differs, the user's spelling. */
export function liveInputs(known: Props, pipeline: Pipeline): Props {
	const inputs: Record<string, unknown> = { ...pick(known, SETTINGS_INPUTS) };
	for (const key of differingKeys(known, pipeline)) {
		const value = SETTING_KEYS[key]?.live?.(pipeline);
		inputs[key] = key === "environment" ? liveEnvironment((known[key] ?? {}) as Props, value) : value;
		inputs[key] ??= SETTING_KEYS[key]?.cleared;
	}
	return compact(inputs);
}

function liveEnvironment(known: Props, live: unknown): Props {
	const entries = Object.entries((live ?? {}) as Props);
	return Object.fromEntries(entries.map(([name, value]) => [name, name in known ? value : FOREIGN_VALUE]));
}

export function settingsOuts(
	context: ProviderContext,
	inputs: Props,
	pipeline: Pipeline,
	extra: { previous: Props; adopted: boolean },
): Props {
	return compact({
		...inputs,
		pipelineId: pipeline.pipeline_id,
		uncheckedKeys: declaredKeys(inputs).filter((key) => SETTING_KEYS[key]?.live === undefined),
		// Encrypted as a whole by the resource class: it holds values that others had set.
		previous: JSON.stringify(extra.previous),
		adopted: extra.adopted,
		serviceUrl: context.serviceUrl,
	});
}

/** What is there now under the given keys, for `onDestroy: "restore"`. Null stands for "not set". */
export function snapshot(pipeline: Pipeline, keys: readonly string[]): Props {
	const readable = keys.filter((key) => SETTING_KEYS[key]?.live !== undefined);
	return Object.fromEntries(readable.map((key) => [key, SETTING_KEYS[key]?.live?.(pipeline) ?? null]));
}

export const settingsArgs = (inputs: Props): SettingsArgs => pick(inputs, SETTINGS_INPUTS) as SettingsArgs;
