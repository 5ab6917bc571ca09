import { z } from "zod";
import { isPausedPipeline } from "../../schemas/pipeline-status";
import { objectName, teamName } from "../../schemas/primitives";
import { requirementLines, requirementsText, settingsArgsShape } from "../../schemas/settings-args";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Props } from "../handler";
import { containsForeign, withoutForeignCredentials } from "../shared/foreign";
import { deepEqual, type Field, type Table } from "../shared/table";
import { liveEnvironment, liveStorage, sameStorage } from "./environment";

/** A setting: a field that others may have set before, and that `onDestroy` may put back. */
interface Setting extends Field<Pipeline> {
	/** The value with whatever it holds, to be put back by `onDestroy: "restore"`; kept only as a secret. */
	readonly raw?: (pipeline: Pipeline) => unknown;
	readonly cleared: unknown;
	/** The service's value as a program would declare it, where that is another form than the one it is read in. */
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

/** A text that may have a password in a URL: the user's own is kept as it is, anybody else's only marked. */
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
		// A mark stands for whatever is there.
		if (containsForeign(declared[key])) return declared[key];
		return text === undefined || same(text, declared[key]) ? text : withoutForeignCredentials(text);
	},
	raw: (pipeline) => pipeline[key] || undefined,
	same,
	cleared: "",
	hidden: true,
});

/** What the service never shows is kept from the state, and drift in it cannot be found. */
const unreadable = (wire: string, item: z.ZodType, message: string): Setting => ({
	schema: z.array(item, message).optional(),
	wire,
	change: "update",
	optional: true,
	same: (a, b) => deepEqual(a ?? [], b ?? []),
	cleared: [],
});

/** The settings, one row each. */
export const SETTINGS: Readonly<Record<string, Setting>> = {
	pythonVersion: plain("pythonVersion", "python_version", ""),
	requirements: {
		...sensitive("requirements", (a, b) => deepEqual(linesOf(a), linesOf(b))),
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
		same: (a, b) => deepEqual(a ?? {}, b ?? {}),
		cleared: {},
		hidden: true,
	},
	storage: {
		// Checked by the rules of each kind, in check-storage.ts.
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
		schema: z.enum(["keep", "restore", "reset"], { error: 'must be "keep", "restore" or "reset"' }),
		change: "update",
	},
};

export const declaredSettings = (props: Props): string[] =>
	Object.keys(SETTINGS).filter((key) => props[key] !== undefined);

/**
 * The settings that have a value on the service, as inputs; `hidden` names those that may hold somebody's secrets. Whether
 * a pipeline is paused is not among them: it is not managed unless declared.
 */
export function shownSettings(live: Pipeline): { found: Props; hidden: readonly string[] } {
	const shown = Object.entries(SETTINGS).flatMap(([key, { read, same, cleared, declare }]) => {
		const value = key === "paused" ? undefined : read?.(live, {});
		if (value === undefined || same?.(value, cleared)) return [];
		return [{ key, value: declare ? declare(value) : value }];
	});
	const isHidden = ({ value }: { value: unknown }) => containsForeign(value);
	return {
		found: Object.fromEntries(shown.filter((row) => !isHidden(row)).map(({ key, value }) => [key, value])),
		hidden: shown.filter(isHidden).map(({ key }) => key),
	};
}

/** Declared, but never shown by the service. */
export const uncheckedSettings = (props: Props): string[] =>
	declaredSettings(props).filter((key) => SETTINGS[key]?.read === undefined);

/** Ids are numbers or opaque words; `./prepare.py` is a file that was never uploaded. */
function fileId(): z.ZodType {
	const message = "must be file ids, as JobFile gives them";
	return z
		.string(message)
		.min(1, message)
		.refine((id) => !/[\\/]|\.\w{1,5}$/.test(id), {
			error:
				'is a path, not a file id. Upload it first: files: [new datachain.JobFile("script", { source: "./prepare.py" })]',
		});
}
