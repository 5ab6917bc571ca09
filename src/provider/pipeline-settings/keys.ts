import type { Pipeline } from "../../schemas/pipeline";
import { requirementsText } from "../../schemas/settings-args";
import { withoutUrlCredentials } from "../../schemas/url-credentials";
import type { Props } from "../handler";
import { deepEqual } from "../shared/field-table";
import { liveEnvironment, liveStorage, sameStorage } from "./environment";

/** The settings one by one: where each lives on the wire, when two values mean the same, and what "not set" is. */
export interface SettingKey {
	/** Undefined for `environment` and `storage`, which travel together. */
	readonly wire?: string;
	/**
	 * The value that the service shows, in the form of the input and fit for the state; undefined where nothing is set.
	 * Left out for what the API never returns: that is kept from the state and documented as not checked.
	 */
	readonly live?: (pipeline: Pipeline, declared: Props) => unknown;
	/** The same, with whatever it holds: to be put back by `onDestroy: "restore"`, and kept only as a secret. */
	readonly raw?: (pipeline: Pipeline) => unknown;
	readonly toWire?: (value: unknown) => unknown;
	readonly same: (a: unknown, b: unknown) => boolean;
	/** The service has no request that unsets a value; this one stands for it. */
	readonly cleared: unknown;
	/** Whether a message may show the value. Environment, code and requirements can carry credentials. */
	readonly showable: boolean;
}

const blankIsUnset = (text: string | null | undefined) => text || undefined;
const emptyIsUnset = <T extends object>(value: T) => (Object.keys(value).length > 0 ? value : undefined);

const plain = (wire: string, raw: (p: Pipeline) => unknown, cleared: unknown): SettingKey => ({
	wire,
	live: raw,
	raw,
	same: (a, b) => (a ?? cleared) === (b ?? cleared),
	cleared,
	showable: true,
});

/** A text that may have a password in a URL: the user's own is kept as it is, anybody else's only without it. */
const sensitive = (
	key: string,
	wire: string,
	raw: (p: Pipeline) => string | undefined,
	same: (a: unknown, b: unknown) => boolean,
): SettingKey => ({
	wire,
	live: (pipeline, declared) => {
		const text = raw(pipeline);
		return same(text, declared[key]) ? text : text && withoutUrlCredentials(text);
	},
	raw,
	same,
	cleared: "",
	showable: false,
});

const unreadable = (wire: string): SettingKey => ({
	wire,
	same: (a, b) => deepEqual(a ?? [], b ?? []),
	cleared: [],
	showable: true,
});

export const SETTING_KEYS: Readonly<Record<string, SettingKey>> = {
	pythonVersion: plain("python_version", (p) => blankIsUnset(p.python_version), ""),
	requirements: {
		...sensitive(
			"requirements",
			"requirements",
			(p) => blankIsUnset(p.requirements),
			(a, b) => deepEqual(requirementLines(a), requirementLines(b)),
		),
		toWire: (value) => requirementsText(value as string | string[]),
	},
	repository: sensitive(
		"repository",
		"repository",
		(p) => blankIsUnset(p.repository),
		(a, b) => (a ?? "") === (b ?? ""),
	),
	// Nobody has seen the service's own default; one worker is the least a job can run with, but 1 may also be meant.
	workers: { ...plain("workers", (p) => p.workers ?? undefined, 1), same: (a, b) => a === b },
	priority: plain("priority", (p) => p.priority ?? undefined, 5),
	environment: {
		live: (p, declared) => emptyIsUnset(liveEnvironment(p, declared)),
		same: (a, b) => deepEqual(a ?? {}, b ?? {}),
		cleared: {},
		showable: false,
	},
	storage: {
		live: (p, declared) => emptyIsUnset(liveStorage(p, declared)),
		same: sameStorage,
		cleared: {},
		showable: false,
	},
	files: unreadable("files"),
	credentialsNames: unreadable("credentials_names"),
};

/** Blank lines and white space around a requirement mean nothing; order does, because pip reads options in order. */
function requirementLines(value: unknown): string[] {
	if (value === undefined || value === null) return [];
	return requirementsText(value as string | string[])
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "");
}
