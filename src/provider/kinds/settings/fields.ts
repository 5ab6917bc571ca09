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
import { checkStorage, REPEATED_KIND, STORAGE_KINDS } from "../../../storage/rules";
import {
	containsForeign,
	isForeign,
	withoutForeignCredentials,
} from "../../model/foreign-values";
import { isUnknown, type Problem, type Props } from "../../model/props";
import { type Field, isKept, type Table } from "../../model/table";
import type { Call } from "../../run/context";
import {
	liveEnvironment,
	liveStorage,
	liveVariables,
	sameEnvironment,
	sameStorage,
	storageVariables,
} from "./variables";

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
