import {
	clientConfig,
	compactJson,
	differingParameters,
	liveConfig,
	renderStorage,
	type StorageConfig,
	storageVariable,
} from "../../schemas/storage";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Props } from "../handler";
import { containsForeign, FOREIGN_VALUE } from "../shared/foreign";
import { without } from "../shared/json";

/**
 * Two inputs share one thing on the service: the pipeline's environment. `environment` declares all of it;
 * `storage` alone declares only the variables that carry the storage configs, and leaves the others as they are.
 */
type Variables = Readonly<Record<string, string>>;
/** Variables as the service shows them: what others set may be null. */
export type LiveVariables = Readonly<Record<string, string | null>>;

const MARKS = { added: FOREIGN_VALUE, changed: FOREIGN_VALUE };

export const liveVariables = (pipeline: Pipeline): LiveVariables => pipeline.environment_variables ?? {};

/** By kind, and not as a list, because the engine encrypts a list as a whole and could not name what differs in it. */
export const storageConfigs = (props: Props): readonly StorageConfig[] =>
	Object.entries((props.storage ?? {}) as Props).map(
		([kind, parameters]) => ({ kind, parameters }) as StorageConfig,
	);

/** Names of the variables that the declared storage configs use. */
export function storageNames(props: Props): string[] {
	return storageConfigs(props).flatMap(({ kind }) => storageVariable(kind) ?? []);
}

/** The variables to send: ours, and those of others, which travel back byte for byte. */
export interface EnvironmentToSend {
	readonly own: Variables;
	readonly foreign: LiveVariables;
}

/** The declared variables with their values. A mark stands for whatever is there, which is then not ours. */
export function declaredEnvironment(declared: Props, live: LiveVariables): EnvironmentToSend {
	const own: Record<string, string> = {};
	const foreign: Record<string, string | null> = {};
	const add = (name: string, value: string, origin: unknown) => {
		if (!containsForeign(origin)) own[name] = value;
		else if (live[name] !== undefined) foreign[name] = live[name];
	};
	for (const [name, value] of Object.entries((declared.environment ?? {}) as Variables))
		add(name, value, value);
	for (const config of storageConfigs(declared)) {
		const variable = renderStorage(config);
		if (variable) add(variable.name, variable.value, config.parameters);
	}
	return { own, foreign };
}

/** What the service shows under `environment`, as it may stand in the state: values of ours, and names of others. */
export function liveEnvironment(pipeline: Pipeline, declared: Props): Variables {
	const known = (declared.environment ?? {}) as Variables;
	const live = without(liveVariables(pipeline), storageNames(declared));
	return Object.fromEntries(
		Object.entries(live).map(([name, value]) => [
			name,
			value !== null && Object.hasOwn(known, name) && !containsForeign(known[name]) ? value : FOREIGN_VALUE,
		]),
	);
}

/** What the service shows of the declared storage configs, parameter by parameter, without any value that is not ours. */
export function liveStorage(pipeline: Pipeline, declared: Props): Props {
	const variables = liveVariables(pipeline);
	return Object.fromEntries(
		storageConfigs(declared).map((config) => {
			const name = storageVariable(config.kind);
			if (name === undefined) return [config.kind, config.parameters];
			return [config.kind, liveConfig(config, variables[name] ?? undefined, MARKS).parameters];
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
		const live = liveVariables(pipeline)[name] ?? undefined;
		return differingParameters(config, live).map((wire) => `${config.kind}.${wire}`);
	});
}

/** Names of the variables that differ, without those of the storage configs. */
export function differingVariables(pipeline: Pipeline, declared: Props): string[] {
	const ours = (declared.environment ?? {}) as Props;
	const theirs: Props = without(liveVariables(pipeline), storageNames(declared));
	const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
	return [...names].filter((name) => ours[name] !== theirs[name] && !containsForeign(ours[name])).sort();
}
