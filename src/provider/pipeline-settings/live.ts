import type { Pipeline } from "../../schemas/pipeline";
import { SETTINGS_INPUTS, type SettingsArgs } from "../../schemas/settings-args";
import type { ProviderContext } from "../context";
import type { Props } from "../handler";
import { compact, pick } from "../shared/json";
import { differingStorage, liveVariables, storageNames, without } from "./environment";
import { SETTING_KEYS } from "./keys";

export const declaredKeys = (props: Props): string[] =>
	Object.keys(SETTING_KEYS).filter((key) => props[key] !== undefined);

/** Declared keys whose value on the service means something else. Keys that cannot be read are not compared. */
export function differingKeys(declared: Props, pipeline: Pipeline): string[] {
	return declaredKeys(declared).filter((key) => {
		const setting = SETTING_KEYS[key];
		return setting?.live !== undefined && !setting.same(setting.live(pipeline, declared), declared[key]);
	});
}

/** The keys among `keys` that someone has already given another value. Unset, and the default, are free to take. */
export function takenKeys(declared: Props, pipeline: Pipeline, keys: readonly string[]): string[] {
	return differingKeys(declared, pipeline).filter(
		(key) => keys.includes(key) && isTaken(key, declared, pipeline),
	);
}

function isTaken(key: string, declared: Props, pipeline: Pipeline): boolean {
	const setting = SETTING_KEYS[key];
	// A storage is taken where the service has its variable, whatever is in it.
	if (key === "storage")
		return storageNames(declared).some((name) => liveVariables(pipeline)[name] !== undefined);
	const value = setting?.live?.(pipeline, declared);
	return value !== undefined && (key === "workers" || setting?.same(value, setting.cleared) === false);
}

/** A line for people: values only where they cannot be secret; of environment and storage the names that differ. */
export function describeDifference(key: string, declared: Props, pipeline: Pipeline): string {
	if (key === "environment") return `environment (${differingVariables(declared, pipeline).join(", ")})`;
	if (key === "storage") return `storage (${differingStorage(pipeline, declared).join(", ")})`;
	const setting = SETTING_KEYS[key];
	if (!setting?.showable) return key;
	return `${key} (${JSON.stringify(setting.live?.(pipeline, declared)) ?? "not set"} there, ${JSON.stringify(declared[key])} here)`;
}

function differingVariables(declared: Props, pipeline: Pipeline): string[] {
	const ours = (declared.environment ?? {}) as Props;
	const theirs: Props = without(liveVariables(pipeline), storageNames(declared));
	const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
	return [...names].filter((name) => ours[name] !== theirs[name]).sort();
}

/** The inputs as the service has them now, with exactly the keys the user set and, where nothing differs, the user's spelling. */
export function liveInputs(known: Props, pipeline: Pipeline): Props {
	const inputs: Record<string, unknown> = { ...pick(known, SETTINGS_INPUTS) };
	for (const key of differingKeys(known, pipeline)) {
		const setting = SETTING_KEYS[key];
		inputs[key] = setting?.live?.(pipeline, known) ?? setting?.cleared;
	}
	return compact(inputs);
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

export const settingsArgs = (inputs: Props): SettingsArgs => pick(inputs, SETTINGS_INPUTS) as SettingsArgs;
