import type { Pipeline } from "../../schemas/pipeline";
import {
	clientConfig,
	compactJson,
	differingParameters,
	liveConfig,
	renderStorage,
	type StorageConfig,
	storageVariable,
} from "../../schemas/storage";
import type { Props } from "../handler";

/**
 * Two inputs share one thing on the service: the pipeline's environment. `environment` declares all of it;
 * `storage` alone declares only the variables that carry the storage configs, and leaves the others as they are.
 */
export type Variables = Readonly<Record<string, string>>;

/** Stands in the state for a value that was set elsewhere: it may be secret, and is not ours to keep. */
const FOREIGN_VALUE = "(set outside Pulumi)";
const MARKS = { added: FOREIGN_VALUE, changed: FOREIGN_VALUE };

export const liveVariables = (pipeline: Pipeline): Variables => pipeline.environment_variables ?? {};

/** By kind, and not as a list, because the engine encrypts a list as a whole and could not name what differs in it. */
export const storageConfigs = (props: Props): readonly StorageConfig[] =>
	Object.entries((props.storage ?? {}) as Props).map(
		([kind, parameters]) => ({ kind, parameters }) as StorageConfig,
	);

/** Names of the variables that the declared storage configs use. */
export function storageNames(props: Props): string[] {
	return storageConfigs(props).flatMap(({ kind }) => storageVariable(kind) ?? []);
}

/** The whole environment to send. */
export function desiredEnvironment(declared: Props, olds: Props, live: Variables): Variables {
	const base =
		declared.environment === undefined
			? without(live, storageNames(olds))
			: ownVariables(declared.environment as Variables, live);
	return { ...base, ...storageVariables(declared, live) };
}

/**
 * With `ignoreChanges` the engine declares what a refresh has put into the state, placeholders included. They stand
 * for "whatever is there", and must never be sent as values.
 */
function ownVariables(declared: Variables, live: Variables): Variables {
	return Object.fromEntries(
		Object.entries(declared).flatMap(([name, value]) => {
			if (value !== FOREIGN_VALUE) return [[name, value]];
			return live[name] === undefined ? [] : [[name, live[name]]];
		}),
	);
}

function storageVariables(declared: Props, live: Variables): Variables {
	return Object.fromEntries(
		storageConfigs(declared).flatMap((config) => {
			const variable = renderStorage(config);
			if (variable === undefined) return [];
			const value = holdsPlaceholder(config.parameters) ? live[variable.name] : variable.value;
			return value === undefined ? [] : [[variable.name, value]];
		}),
	);
}

const holdsPlaceholder = (value: unknown): boolean =>
	typeof value === "object" && value !== null
		? Object.values(value).some(holdsPlaceholder)
		: value === FOREIGN_VALUE;

export function without(variables: Variables, names: readonly string[]): Variables {
	return Object.fromEntries(Object.entries(variables).filter(([name]) => !names.includes(name)));
}

/** What is not ours by the state: `environment` makes all variables ours, `storage` those of its configs. */
export function foreignVariables(pipeline: Pipeline, olds: Props): Variables {
	return olds.environment === undefined ? without(liveVariables(pipeline), storageNames(olds)) : {};
}

/** What the service shows under `environment`, as it may stand in the state: values of ours, and names of others. */
export function liveEnvironment(pipeline: Pipeline, declared: Props): Variables {
	const known = (declared.environment ?? {}) as Variables;
	const live = without(liveVariables(pipeline), storageNames(declared));
	return Object.fromEntries(
		Object.entries(live).map(([name, value]) => [
			name,
			Object.hasOwn(known, name) && known[name] !== FOREIGN_VALUE ? value : FOREIGN_VALUE,
		]),
	);
}

/** What the service shows of the declared storage configs, parameter by parameter, without any value that is not ours. */
export function liveStorage(pipeline: Pipeline, declared: Props): Props {
	const variables = liveVariables(pipeline);
	return Object.fromEntries(
		storageConfigs(declared).map((config) => {
			const name = storageVariable(config.kind);
			return [
				config.kind,
				name === undefined ? config.parameters : liveConfig(config, variables[name], MARKS).parameters,
			];
		}),
	);
}

/** Storage configs mean the same when each storage gets the same dictionary; their order means nothing. */
export function sameStorage(a: unknown, b: unknown): boolean {
	const meaning = (value: unknown) =>
		storageConfigs({ storage: value })
			.map((config) => `${config.kind} ${compactJson(clientConfig(config))}`)
			.sort()
			.join("\n");
	return meaning(a) === meaning(b);
}

/** Parameters that differ, by name: `s3.endpoint_url`. */
export function differingStorage(pipeline: Pipeline, declared: Props): string[] {
	return storageConfigs(declared).flatMap((config) => {
		const name = storageVariable(config.kind);
		if (name === undefined) return [];
		return differingParameters(config, liveVariables(pipeline)[name]).map((wire) => `${config.kind}.${wire}`);
	});
}
