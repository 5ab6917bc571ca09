import { renderEnvironment } from "../../schemas/environment";
import type { Pipeline } from "../../schemas/pipeline";
import { requirementsText } from "../../schemas/settings-args";
import { deepEqual } from "../shared/field-table";

/**
 * The settings one by one: where each lives on the wire, when two values mean the same, and what "not set" is.
 * The service has no request that unsets a value, so `cleared` is what stands for it.
 */
export interface SettingKey {
	readonly wire: string;
	/** The value that `pipeline/status` shows, in the form of the input; undefined where nothing is set. */
	readonly live?: (pipeline: Pipeline) => unknown;
	readonly toWire: (value: unknown) => unknown;
	readonly same: (a: unknown, b: unknown) => boolean;
	readonly cleared: unknown;
	/** Whether a message may show the value. Environment, code and requirements can carry credentials. */
	readonly showable: boolean;
}

const asIs = (value: unknown) => value;
const blankIsUnset = (text: string | null | undefined) => text || undefined;

const plain = (
	wire: string,
	live: (p: Pipeline) => unknown,
	cleared: unknown,
	showable = true,
): SettingKey => ({
	wire,
	live,
	toWire: asIs,
	same: (a, b) => (a ?? cleared) === (b ?? cleared),
	cleared,
	showable,
});

/** Sent, but never returned by the API: kept from the state and documented as not checked. */
const unreadable = (wire: string): SettingKey => ({
	wire,
	toWire: asIs,
	same: (a, b) => deepEqual(a ?? [], b ?? []),
	cleared: [],
	showable: true,
});

export const SETTING_KEYS: Readonly<Record<string, SettingKey>> = {
	pythonVersion: plain("python_version", (p) => blankIsUnset(p.python_version), ""),
	requirements: {
		wire: "requirements",
		live: (p) => blankIsUnset(p.requirements),
		toWire: (value) => requirementsText(value as string | string[]),
		same: (a, b) => deepEqual(requirementLines(a), requirementLines(b)),
		cleared: "",
		showable: false,
	},
	repository: plain("repository", (p) => blankIsUnset(p.repository), "", false),
	// Nobody has seen the service's own default; one worker is the least a job can run with.
	workers: { ...plain("workers", (p) => p.workers ?? undefined, 1), same: (a, b) => a === b },
	priority: plain("priority", (p) => p.priority ?? undefined, 5),
	environment: {
		wire: "environment",
		live: (p) =>
			Object.keys(p.environment_variables ?? {}).length > 0 ? p.environment_variables : undefined,
		toWire: (value) => renderEnvironment(value as Record<string, string>),
		same: (a, b) => deepEqual(a ?? {}, b ?? {}),
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
