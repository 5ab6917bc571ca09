import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { PipelineSettingsOnDestroy } from "../../../schemas/enums";
import { looksMasked } from "../../../schemas/environment";
import { isPausedPipeline } from "../../../schemas/pipeline-status";
import { objectName, oneOf, teamName } from "../../../schemas/primitives";
import {
	requirementLines,
	requirementsText,
	settingsArgsShape,
} from "../../../schemas/settings-args";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import {
	checkStorage,
	clientConfig,
	compactJson,
	differingParameters,
	liveConfig,
	REPEATED_KIND,
	renderStorage,
	STORAGE_KINDS,
	type StorageConfig,
	storageVariable,
} from "../../../storage/rules";
import {
	containsForeign,
	FOREIGN_VALUE,
	isForeign,
	withoutForeignCredentials,
	withoutPlaceholders,
} from "../../model/foreign-values";
import { isUnknown, type Problem, type Props } from "../../model/props";
import { type Field, isKept, type Table } from "../../model/table";
import type { Call } from "../../run/context";

// ── Variables ───────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Two inputs share one thing on the service: the pipeline's environment. A resource owns the variables that `environment`
 * and `storage` declare, and no others.
 */
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
const storageVariables = (
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
function liveEnvironment(pipeline: Pipeline, declared: Props): Props {
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

const sameEnvironment = (a: unknown, b: unknown): boolean =>
	isDeepStrictEqual(declaredOnly(a), declaredOnly(b));

/** Storage configs mean the same if each storage gets the same dictionary; their order means nothing. */
function sameStorage(a: unknown, b: unknown): boolean {
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

// ── The fields ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** A setting: a field that other users may have set before. */
interface Setting extends Field<Pipeline> {
	readonly same: (a: unknown, b: unknown) => boolean;
	/** The value as the service has it, with its credentials; never stored. */
	readonly raw?: (pipeline: Pipeline) => unknown;
	/** Stands for "not set": no request unsets a setting. Undefined if nothing does. */
	readonly cleared: unknown;
	/** The live value as a program would declare it, if that is another form than the one it is read in. */
	readonly declare?: (value: unknown) => unknown;
}

const linesOf = (value: unknown) =>
	requirementLines(value as string | readonly string[] | undefined);
const emptyIsUnset = <T extends object>(value: T) =>
	Object.keys(value).length > 0 ? value : undefined;

/** A value that the service shows as it was sent. Unset and the cleared value mean the same. */
const plain = (
	key: keyof typeof settingsArgsShape,
	wire: string,
	cleared: unknown,
): Setting => {
	const raw = (pipeline: Pipeline) =>
		pipeline[wire] === "" ? undefined : (pipeline[wire] ?? undefined);
	return {
		schema: settingsArgsShape[key],
		wire,
		change: "update",
		optional: true,
		fromLive: raw,
		raw,
		isReported: (pipeline) => pipeline[wire] !== undefined,
		same: (a, b) => (a ?? cleared) === (b ?? cleared),
		cleared,
	};
};

/** A text that may have a password in a URL: the user's own is kept as it is, a foreign one becomes a placeholder. */
const sensitive = (
	key: "requirements" | "repository",
	same: (a: unknown, b: unknown) => boolean,
): Setting => ({
	schema: settingsArgsShape[key],
	wire: key,
	change: "update",
	optional: true,
	fromLive: (pipeline: Pipeline, declared: Props) => {
		const text = pipeline[key] || undefined;
		if (containsForeign(declared[key])) return declared[key];
		return text === undefined || same(text, declared[key])
			? text
			: withoutForeignCredentials(text);
	},
	raw: (pipeline) => pipeline[key] || undefined,
	isReported: (pipeline) => pipeline[key] !== undefined && !looksMasked(pipeline[key]),
	same,
	cleared: "",
	hidden: true,
});

/** The service never shows it, so the state keeps the declared value, and drift in it cannot be detected. */
const unreadable = (wire: string, item: z.ZodType, message: string): Setting => ({
	schema: z.array(item, message).optional(),
	wire,
	change: "update",
	optional: true,
	same: (a, b) => isDeepStrictEqual(a ?? [], b ?? []),
	cleared: [],
});

/** The settings, one row each. */
export const SETTINGS: Readonly<Record<string, Setting>> = {
	pythonVersion: plain("pythonVersion", "python_version", ""),
	requirements: {
		...sensitive("requirements", (a, b) => isDeepStrictEqual(linesOf(a), linesOf(b))),
		write: (value) => requirementsText(value as string | readonly string[]),
		declare: linesOf,
	},
	repository: sensitive("repository", (a, b) => (a ?? "") === (b ?? "")),
	workers: {
		...plain("workers", "workers", 1),
		// One worker is the least a job can run with, but 1 may also be meant: it is not the same as unset.
		same: (a, b) => a === b,
	},
	priority: plain("priority", "priority", 5),
	environment: {
		schema: settingsArgsShape.environment,
		change: "update",
		optional: true,
		fromLive: (p, declared) => emptyIsUnset(liveEnvironment(p, declared)),
		isReported: (p) => liveVariables(p) !== undefined,
		same: sameEnvironment,
		cleared: {},
		hidden: true,
	},
	storage: {
		// Checked by the rules of each kind, in checkStorageConfigs.
		schema: z.unknown().optional(),
		change: "update",
		optional: true,
		fromLive: (p, declared) => emptyIsUnset(liveStorage(p, declared)),
		isReported: (p) => liveVariables(p) !== undefined,
		same: sameStorage,
		cleared: {},
		hidden: true,
	},
	files: unreadable("files", fileId(), "must be a list of files"),
	credentialsNames: unreadable(
		"credentials_names",
		objectName,
		"must be a list of names",
	),
	paused: {
		schema: z.boolean("must be true or false").optional(),
		change: "update",
		optional: true,
		fromLive: isPausedPipeline,
		raw: isPausedPipeline,
		isReported: ({ status }) => typeof status === "string",
		same: isDeepStrictEqual,
		cleared: undefined,
	},
};

/** Until version 0.4.0 there was a third value. */
const onDestroySchema = z
	.unknown()
	.refine((value) => value !== "restore", {
		error:
			'"restore" is no longer supported. Use "keep", which leaves the declared settings as they are, or "reset", which removes them',
	})
	.pipe(oneOf(PipelineSettingsOnDestroy));

/** Inputs of the PipelineSettings resource, one row each. Another pipeline or team is another object. */
export const SETTINGS_FIELDS: Table<Pipeline> = {
	pipelineName: { schema: objectName, change: "replace" },
	...SETTINGS,
	teamName: { schema: teamName, change: "replace" },
	adopt: { schema: z.boolean("must be true or false").optional(), change: "none" },
	/** What happens to the declared settings when Pulumi stops managing them. */
	onDestroy: {
		schema: onDestroySchema,
		change: "update",
		default: PipelineSettingsOnDestroy.Keep,
	},
};

export const declaredSettings = (props: Props): string[] =>
	Object.keys(SETTINGS).filter((key) => props[key] !== undefined);

/** Whether the service shows a value of the setting that somebody chose: neither none, nor the one that stands for none. */
export function isSet(key: string, live: Pipeline): boolean {
	const { raw, same, cleared, isReported } = SETTINGS[key] ?? {};
	const value = isReported?.(live) === false ? undefined : raw?.(live);
	return value !== undefined && same?.(value, cleared) === false;
}

/** Declared, but never shown by the service. */
export const uncheckedSettings = (props: Props): string[] =>
	declaredSettings(props).filter((key) => SETTINGS[key]?.fromLive === undefined);

/**
 * The settings that have a value on the service, as inputs; `hidden` names those that may hold secrets of other users.
 * Whether a pipeline is paused is not among them: it is not managed unless declared.
 */
export function shownSettings(live: Pipeline): {
	inputs: Props;
	hidden: readonly string[];
} {
	const inputs: Record<string, unknown> = {};
	const hidden: string[] = [];
	const variables = Object.keys(liveVariables(live) ?? {});
	if (variables.length > 0) hidden.push("environment");
	for (const [key, { fromLive: read, same, cleared, declare }] of Object.entries(
		SETTINGS,
	)) {
		const value = key === "paused" ? undefined : read?.(live, {});
		if (value === undefined || same(value, cleared)) continue;
		if (containsForeign(value)) hidden.push(key);
		else inputs[key] = declare ? declare(value) : value;
	}
	return { inputs: inputs, hidden };
}

/** Ids are numbers or opaque words; `./prepare.py` is a file that was never uploaded. */
function fileId(): z.ZodType {
	const message = "must be the id of a file, as JobFile gives it";
	return z
		.string(message)
		.regex(/\S/, message)
		.refine((id) => !/[\\/]|\.\w{1,5}$/.test(id), {
			error:
				"is a path, not a file id. Declare a JobFile whose source is this path, and give its id",
		});
}

// ── The rules of storage configs ────────────────────────────────────────────────────────────────────────────────────

/** The rules of each storage config, and those between them: one per kind, and no variable declared twice. */
export function checkStorageConfigs(
	call: Call,
	olds: Props,
	inputs: Props,
	owner = `Pipeline "${inputs.pipelineName}"`,
): Problem[] {
	const { storage } = inputs;
	if (storage === undefined || isUnknown(storage)) return [];
	if (Object(storage) !== storage || Array.isArray(storage)) {
		return [
			problem(
				`must be given by kind (${STORAGE_KINDS.join(", ")}), each with its parameters.`,
			),
		];
	}
	const problems = Object.entries(storage as Props).flatMap(([key, parameters]) => {
		const [kind = key, again] = key.split(REPEATED_KIND);
		if (again !== undefined) {
			return [
				problem(
					"is given twice. A pipeline has one config for each kind of storage.",
					`.${kind}`,
				),
			];
		}
		// With `ignoreChanges` a foreign value of any type comes back as a placeholder.
		const findings = checkStorage(
			{ kind, parameters },
			(value) => isUnknown(value) || isForeign(value),
		);
		for (const warning of findings.warnings) call.notice(`${owner}: ${warning}`);
		if (isKept(olds.storage, storage)) return [];
		return findings.problems
			.filter(({ parameter }) => !containsForeign(Object(parameters)[parameter]))
			.map(({ parameter, reason }) => problem(reason, `.${kind}`, parameter));
	});
	return problems.length > 0 ? problems : clashes(inputs);
}

function clashes(inputs: Props): Problem[] {
	const names = Object.keys((inputs.environment ?? {}) as object);
	return storageVariables(inputs)
		.filter(({ name }) => names.includes(name))
		.map(({ config, name }) =>
			problem(
				`writes the variable ${name}, which environment declares too. Remove one of the two.`,
				`.${config.kind}`,
			),
		);
}

function problem(reason: string, where = "", parameter = ""): Problem {
	return {
		field: "storage",
		reason: `storage${where}${parameter && `.${parameter}`} ${reason}`,
	};
}
