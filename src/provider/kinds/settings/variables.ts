import { isDeepStrictEqual } from "node:util";
import { looksMasked } from "../../../schemas/environment";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import {
	clientConfig,
	compactJson,
	differingParameters,
	liveConfig,
	renderStorage,
	type StorageConfig,
	storageVariable,
} from "../../../storage/rules";
import {
	containsForeign,
	FOREIGN_VALUE,
	withoutPlaceholders,
} from "../../model/foreign-values";
import { isUnknown, type Props } from "../../model/props";

/**
 * Two inputs share one thing on the service: the pipeline's environment. A resource owns the variables that `environment`
 * and `storage` declare, and no others.
 */
export const VARIABLE_INPUTS = ["environment", "storage"];

type Variables = Readonly<Record<string, string>>;
/** Variables as the service shows them: a value of other users may be null. */
export type LiveVariables = Readonly<Record<string, string | null>>;

/**
 * Undefined if the reply leaves them out, which says nothing of them. A value of null is an empty map. The map inherits
 * nothing: a variable may be called `constructor`.
 */
export const liveVariables = ({
	environment_variables: live,
}: Pipeline): LiveVariables | undefined =>
	live === undefined ? undefined : Object.assign(Object.create(null), live);

/** By kind, and not as a list, because the engine encrypts a list as a whole and could not name what differs in it. */
const storageConfigs = (props: Props): readonly StorageConfig[] =>
	Object.entries(isUnknown(props.storage) ? {} : ((props.storage ?? {}) as Props)).map(
		([kind, parameters]) => ({ kind, parameters: parameters ?? {} }) as StorageConfig,
	);

/** A placeholder stands for a value of other users: version 0.3.0 stored one for each of their variables. */
const declaredOnly = (environment: unknown): Variables =>
	withoutPlaceholders(Object(environment)) as Variables;

/** The declared variables with their values. A storage config with a placeholder in it is not the program's. */
export function declaredVariables(props: Props): Variables {
	const environment = isUnknown(props.environment)
		? {}
		: declaredOnly(props.environment);
	const rendered = storageConfigs(props)
		.filter(({ parameters }) => !containsForeign(parameters))
		.flatMap((config) => renderStorage(config) ?? []);
	return {
		...environment,
		...Object.fromEntries(rendered.map(({ name, value }) => [name, value])),
	};
}

/** The declared storage configs, each with the name of its variable. */
export const storageVariables = (
	props: Props,
): readonly { config: StorageConfig; name: string }[] =>
	storageConfigs(props).flatMap((config) => {
		const name = storageVariable(config.kind);
		return name === undefined ? [] : [{ config, name }];
	});

/** Their names, also of a storage config in which a refresh found a value of other users. */
export const variableNames = (props: Props): readonly string[] => [
	...Object.keys(isUnknown(props.environment) ? {} : declaredOnly(props.environment)),
	...storageVariables(props).map(({ name }) => name),
];

/** Whether the service shows another value. A mask may stand for the declared one. */
const differsLive = (declared: string, live: string | null | undefined): boolean =>
	live !== declared && !looksMasked(live);

/** The live values of the declared variables. */
export function liveEnvironment(pipeline: Pipeline, declared: Props): Props {
	const live = liveVariables(pipeline) ?? {};
	return Object.fromEntries(
		Object.entries(declaredOnly(declared.environment)).flatMap(([name, value]) => {
			if (!differsLive(value, live[name])) return [[name, value]];
			return typeof live[name] === "string" ? [[name, live[name]]] : [];
		}),
	);
}

/** The live parameters of the declared storage configs, with a placeholder for each foreign value. */
export function liveStorage(pipeline: Pipeline, declared: Props): Props {
	const placeholders = { added: FOREIGN_VALUE, changed: FOREIGN_VALUE };
	const variables = liveVariables(pipeline) ?? {};
	return Object.fromEntries(
		storageConfigs(declared).map((config) => {
			const name = storageVariable(config.kind);
			const live = name === undefined ? undefined : variables[name];
			if (name === undefined || looksMasked(live))
				return [config.kind, config.parameters];
			return [
				config.kind,
				liveConfig(config, live ?? undefined, placeholders).parameters,
			];
		}),
	);
}

export const sameEnvironment = (a: unknown, b: unknown): boolean =>
	isDeepStrictEqual(declaredOnly(a), declaredOnly(b));

/** Storage configs mean the same if each storage gets the same dictionary; their order means nothing. */
export function sameStorage(a: unknown, b: unknown): boolean {
	const meaning = (value: unknown) =>
		storageConfigs({ storage: value })
			.map((config) => `${config.kind} ${compactJson(clientConfig(config))}`)
			.sort()
			.join("\n");
	return meaning(a) === meaning(b);
}

/** Parameters that differ, by name: `s3.endpoint_url`. */
function differingStorage(pipeline: Pipeline, declared: Props): string[] {
	return storageVariables(declared).flatMap(({ config, name }) => {
		const live = liveVariables(pipeline)?.[name] ?? undefined;
		if (looksMasked(live)) return [];
		return differingParameters(config, live).map((wire) => `${config.kind}.${wire}`);
	});
}

/** Names of the variables in `environment` that differ. */
function differingEnvironment(pipeline: Pipeline, declared: Props): string[] {
	const live = liveVariables(pipeline) ?? {};
	const ours = Object.entries(declaredOnly(declared.environment));
	return ours
		.filter(([name, value]) => differsLive(value, live[name]))
		.map(([name]) => name);
}

/** The names in `environment` or `storage` that differ. */
export const differingNames = (
	key: string,
	declared: Props,
	live: Pipeline,
): string[] =>
	key === "environment"
		? differingEnvironment(live, declared)
		: differingStorage(live, declared);
