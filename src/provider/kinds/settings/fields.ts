import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { settingsShape } from "../schemas/pipeline";
import { isPausedPipeline } from "../schemas/pipeline-status";
import { objectName, oneOf, teamName } from "../schemas/primitives";
import { requirementLines, requirementsText, settingsArgsShape } from "../schemas/settings-args";
import type { Pipeline } from "../schemas/wire/pipeline";
import {
	checkStorage,
	clientConfig,
	compactJson,
	differingParameters,
	liveConfig,
	REPEATED_KIND,
	renderStorage,
	type StorageConfig,
	storageVariable,
} from "../storage/rules";
import type { Call } from "./context";
import { isUnknown, type Problem, type Props, without } from "./handler";
import { containsForeign, FOREIGN_VALUE, isForeign, withoutForeignCredentials } from "./secrets";
import { type Field, isKept, type Table } from "./table";

// ── The environment ─────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Two inputs share one thing on the service: the pipeline's environment. `environment` declares all of it;
 * `storage` alone declares only the variables that carry the storage configs, and leaves the others as they are.
 */
type Variables = Readonly<Record<string, string>>;
/** Variables as the service shows them: a value of other users may be null. */
export type LiveVariables = Readonly<Record<string, string | null>>;

export const liveVariables = (pipeline: Pipeline): LiveVariables => pipeline.environment_variables ?? {};

/** By kind, and not as a list, because the engine encrypts a list as a whole and could not name what differs in it. */
const storageConfigs = (props: Props): readonly StorageConfig[] =>
	Object.entries(isUnknown(props.storage) ? {} : ((props.storage ?? {}) as Props)).map(
		([kind, parameters]) => ({ kind, parameters: parameters ?? {} }) as StorageConfig,
	);

/** The declared storage configs, each with the name of its variable. */
const storageVariables = (props: Props): readonly { config: StorageConfig; name: string }[] =>
	storageConfigs(props).flatMap((config) => {
		const name = storageVariable(config.kind);
		return name === undefined ? [] : [{ config, name }];
	});

export const storageNames = (props: Props): string[] => storageVariables(props).map(({ name }) => name);

/** The variables to send: our own, and those of other users, which are written back unchanged. */
export interface EnvironmentToSend {
	readonly own: Variables;
	readonly foreign: LiveVariables;
}

/** The declared variables with their values. A placeholder stands for the live value, which is then foreign. */
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

/** The live environment as it may stand in the state: our own values, and a placeholder for each foreign one. */
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

/** The live parameters of the declared storage configs, with a placeholder for each foreign value. */
export function liveStorage(pipeline: Pipeline, declared: Props): Props {
	const placeholders = { added: FOREIGN_VALUE, changed: FOREIGN_VALUE };
	const variables = liveVariables(pipeline);
	return Object.fromEntries(
		storageConfigs(declared).map((config) => {
			const name = storageVariable(config.kind);
			if (name === undefined) return [config.kind, config.parameters];
			return [config.kind, liveConfig(config, variables[name] ?? undefined, placeholders).parameters];
		}),
	);
}

/** A placeholder also stands for a variable that is gone, or that another pipeline does not have. */
function sameEnvironment(a: unknown, b: unknown): boolean {
	const [live, declared] = [Object(a) as Props, Object(b) as Props];
	const absent = Object.keys(declared).filter(
		(name) => containsForeign(declared[name]) && !Object.hasOwn(live, name),
	);
	return isDeepStrictEqual(live, without(declared, absent));
}

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
export function differingStorage(pipeline: Pipeline, declared: Props): string[] {
	return storageVariables(declared).flatMap(({ config, name }) => {
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

// ── The fields ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** A setting: a field that other users may have set before, and that `onDestroy` may put back. */
interface Setting extends Field<Pipeline> {
	readonly same: (a: unknown, b: unknown) => boolean;
	/** The value with its credentials, to be put back by `onDestroy: "restore"`; kept only as a secret. */
	readonly raw?: (pipeline: Pipeline) => unknown;
	readonly cleared: unknown;
	/** The live value as a program would declare it, if that is another form than the one it is read in. */
	readonly declare?: (value: unknown) => unknown;
}

const linesOf = (value: unknown) => requirementLines(value as string | readonly string[] | undefined);
const emptyIsUnset = <T extends object>(value: T) => (Object.keys(value).length > 0 ? value : undefined);

/** A value that the service shows as it was sent. Unset and the cleared value mean the same. */
const plain = (key: keyof typeof settingsArgsShape, wire: string, cleared: unknown): Setting => {
	const raw = (pipeline: Pipeline) => (pipeline[wire] === "" ? undefined : (pipeline[wire] ?? undefined));
	return {
		schema: settingsArgsShape[key],
		wire,
		change: "update",
		optional: true,
		read: raw,
		raw,
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
	read: (pipeline: Pipeline, declared: Props) => {
		const text = pipeline[key] || undefined;
		if (containsForeign(declared[key])) return declared[key];
		return text === undefined || same(text, declared[key]) ? text : withoutForeignCredentials(text);
	},
	raw: (pipeline) => pipeline[key] || undefined,
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
		read: (p, declared) => emptyIsUnset(liveEnvironment(p, declared)),
		same: sameEnvironment,
		cleared: {},
		hidden: true,
	},
	storage: {
		// Checked by the rules of each kind, in checkStorageConfigs.
		schema: z.unknown().optional(),
		change: "update",
		optional: true,
		read: (p, declared) => emptyIsUnset(liveStorage(p, declared)),
		same: sameStorage,
		cleared: {},
		hidden: true,
	},
	files: unreadable("files", fileId(), "must be a list of files"),
	credentialsNames: unreadable("credentials_names", objectName, "must be a list of names"),
	paused: {
		schema: z.boolean("must be true or false").optional(),
		change: "update",
		optional: true,
		read: isPausedPipeline,
		raw: isPausedPipeline,
		shown: ({ status }) => typeof status === "string",
		same: isDeepStrictEqual,
		cleared: undefined,
	},
};

/** Inputs of the PipelineSettings resource, one row each. Another pipeline or team is another object. */
export const SETTINGS_FIELDS: Table<Pipeline> = {
	pipelineName: { schema: objectName, change: "replace" },
	...SETTINGS,
	teamName: { schema: teamName, change: "replace" },
	adopt: { schema: z.boolean("must be true or false").optional(), change: "none" },
	/** What happens to the pipeline's settings when Pulumi stops managing them. */
	onDestroy: {
		schema: oneOf("keep", "restore", "reset"),
		change: "update",
	},
};

export const declaredSettings = (props: Props): string[] =>
	Object.keys(SETTINGS).filter((key) => props[key] !== undefined);

/** Declared, but never shown by the service. */
export const uncheckedSettings = (props: Props): string[] =>
	declaredSettings(props).filter((key) => SETTINGS[key]?.read === undefined);

/**
 * The settings that have a value on the service, as inputs; `hidden` names those that may hold secrets of other users.
 * Whether a pipeline is paused is not among them: it is not managed unless declared.
 */
export function shownSettings(live: Pipeline): { found: Props; hidden: readonly string[] } {
	const found: Record<string, unknown> = {};
	const hidden: string[] = [];
	for (const [key, { read, same, cleared, declare }] of Object.entries(SETTINGS)) {
		const value = key === "paused" ? undefined : read?.(live, {});
		if (value === undefined || same(value, cleared)) continue;
		if (containsForeign(value)) hidden.push(key);
		else found[key] = declare ? declare(value) : value;
	}
	return { found, hidden };
}

/** Why a request cannot carry the live value of a setting, by the schema of the request itself; undefined if it can. */
export function unsendable(key: string, value: unknown): string | undefined {
	const { wire = "", write } = SETTINGS[key] ?? {};
	const shape: Readonly<Record<string, z.ZodType | undefined>> = settingsShape;
	return shape[wire]?.safeParse(write ? write(value, {}) : value).error?.issues[0]?.message;
}

/** Ids are numbers or opaque words; `./prepare.py` is a file that was never uploaded. */
function fileId(): z.ZodType {
	const message = "must be the id of a file, as JobFile gives it";
	return z
		.string(message)
		.regex(/\S/, message)
		.refine((id) => !/[\\/]|\.\w{1,5}$/.test(id), {
			error: "is a path, not a file id. Declare a JobFile whose source is this path, and give its id",
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
		return [problem("must be given by kind: s3, gs, az, hf or file, each with its parameters.")];
	}
	const problems = Object.entries(storage as Props).flatMap(([key, parameters]) => {
		const [kind = key, again] = key.split(REPEATED_KIND);
		if (again !== undefined) {
			return [problem("is given twice. A pipeline has one config for each kind of storage.", `.${kind}`)];
		}
		// With `ignoreChanges` a foreign value of any type comes back as a placeholder.
		const findings = checkStorage({ kind, parameters }, (value) => isUnknown(value) || isForeign(value));
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
	return { field: "storage", reason: `storage${where}${parameter && `.${parameter}`} ${reason}` };
}
