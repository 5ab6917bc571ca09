import { ApiError, isMissing } from "../api";
import { foreignVariableProblem, renderEnvironment } from "../schemas/environment";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { ObjectRef } from "./claims";
import type { Call } from "./context";
import { type Props, pick, without } from "./handler";
import type { Wrong } from "./lifecycle";
import { getPipeline, isYoung, refuseOtherService } from "./outcome";
import { sendPause } from "./pauses";
import { containsForeign, type SecretPaths, secretsUntilDone } from "./secrets";
import {
	declaredEnvironment,
	declaredSettings,
	differingStorage,
	differingVariables,
	type EnvironmentToSend,
	liveVariables,
	SETTINGS,
	SETTINGS_FIELDS,
	storageNames,
	uncheckedSettings,
} from "./settings-fields";
import { changes, type Difference, describe, differences, toWire } from "./table";

// ── Reading a pipeline ──────────────────────────────────────────────────────────────────────────────────────────────

export const idOf = (team: string, pipelineName: string): string => `${team}/${pipelineName}`;

export const settingsRef = (team: string, id: string): ObjectRef => ({ kind: "PipelineSettings", team, id });

/** The pipeline, or undefined if the service itself says that there is none. */
export async function getOrMissing(
	call: Call,
	team: string,
	name: string,
	known: Props,
): Promise<Pipeline | undefined> {
	try {
		// What is known is what the state has, which was there a moment ago.
		const isKnown = Object.keys(known).length > 0;
		return await getPipeline(call, team, name, isKnown && isYoung(call, known));
	} catch (error) {
		if (!isMissing(error)) throw error;
		const all = await call.client.pipelines.list({ team_name: team, search: name });
		if (all.some((pipeline) => pipeline.name === name)) throw error;
		refuseOtherService(call, known, `Pipeline "${name}" of team "${team}" was not found`);
		return undefined;
	}
}

/** The pipeline of a shared list; undefined if the list omits it, or omits a setting that must be compared. */
export function findIn(pipelines: readonly Pipeline[], name: string, known: Props): Pipeline | undefined {
	const pipeline = pipelines.find((candidate) => candidate.name === name);
	if (pipeline === undefined) return undefined;
	const complete = declaredSettings(known).every((key) => {
		const { read, wire = key === "paused" ? "status" : "environment_variables" } = SETTINGS[key] ?? {};
		return read === undefined || pipeline[wire] !== undefined;
	});
	return complete ? pipeline : undefined;
}

/** From a recent list, or asked for directly. */
export const findSoon = async (call: Call, team: string, name: string, known: Props) =>
	findIn(await call.lists.pipelines(team, "recent"), name, known) ?? getOrMissing(call, team, name, {});

// ── The plan ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The settings that share the pipeline's environment. */
const PARTS = ["environment", "storage"];

/** What one deployment changes on a pipeline: settings by their input names, and the environment if it changes. */
export interface SettingsChange {
	readonly settings: Props;
	readonly environment?: EnvironmentToSend;
}

/**
 * Everything that differs from the state or from the service, and what the service never shows. A variable of a storage
 * that is no longer declared goes back to its value `before`.
 */
export function planOf(
	declared: Props,
	olds: Props,
	live: Pipeline,
	before: (variable: string) => string | null,
): SettingsChange {
	const touched = touchedKeys(declared, olds, live);
	const environment = PARTS.some((key) => touched.includes(key)) || leftStorage(declared, olds).length > 0;
	return {
		settings: pick(declared, touched),
		...(environment && { environment: environmentToSend(declared, olds, live, before) }),
	};
}

/** Settings that this deployment writes. A placeholder is not a value, and never among them. */
export function touchedKeys(declared: Props, olds: Props, live: Pipeline): string[] {
	const isNew = Object.keys(olds).length === 0;
	const fromState = isNew
		? uncheckedSettings(declared)
		: changes(SETTINGS, olds, declared).map(({ field }) => field);
	const fromLive = differences(SETTINGS, declared, live).map(({ field }) => field);
	return Object.keys(SETTINGS).filter(
		(key) =>
			(fromState.includes(key) || fromLive.includes(key)) &&
			declared[key] !== undefined &&
			(PARTS.includes(key) || !containsForeign(declared[key])),
	);
}

/** Variables of storage configs that are no longer declared, and that no declared `environment` decides about. */
export const leftStorage = (declared: Props, olds: Props): string[] =>
	declared.environment === undefined
		? storageNames(olds).filter((name) => !storageNames(declared).includes(name))
		: [];

/** The settings, with the storage configs of others among them. */
export const withStorageOf = (inputs: Props, others: Props): Props => ({
	...inputs,
	storage: { ...Object(others.storage), ...Object(inputs.storage) },
});

function environmentToSend(
	declared: Props,
	olds: Props,
	live: Pipeline,
	before: (variable: string) => string | null,
): EnvironmentToSend {
	const variables = liveVariables(live);
	const { own, foreign } = declaredEnvironment(declared, variables);
	if (declared.environment !== undefined) return { own, foreign };
	const others = { ...without(variables, [...storageNames(olds), ...storageNames(declared)]) };
	for (const name of leftStorage(declared, olds)) {
		const value = before(name);
		if (value !== null) others[name] = value;
	}
	return { own, foreign: { ...others, ...foreign } };
}

/** Why the plan would damage variables of other users; names, never values. */
export function planProblem(declared: Props, plan: SettingsChange): string | undefined {
	const carried = Object.entries(plan.environment?.foreign ?? {});
	const unsendable = carried.flatMap(([name, value]) => foreignVariableProblem(name, value) ?? []);
	if (unsendable.length === 0) return undefined;
	return (
		`Pipeline "${String(declared.pipelineName)}" has variables of other users that a request cannot send back unchanged: ` +
		`${unsendable.join("; ")}. Change them on the service first, or declare the whole environment.`
	);
}

/** A setting that other users gave a value before it came under management. */
interface Taken {
	readonly key: string;
	readonly equal: boolean;
	/** The variables of other users that exist there. */
	readonly variables?: readonly string[];
}

/** Settings that come under management now and already have a value; `ours` are values that this run left there itself. */
export function takenSettings(declared: Props, olds: Props, live: Pipeline, ours: Props): Taken[] {
	return declaredSettings(declared).flatMap((key) => {
		if (key === "environment") return takenEnvironment(declared, olds, live, ours);
		if (key === "storage") return takenStorage(declared, olds, live, ours);
		const setting = SETTINGS[key];
		if (setting?.raw === undefined || key === "paused" || olds[key] !== undefined) return [];
		const value = setting.raw(live);
		const isDefault = value === undefined || setting.same(value, setting.cleared);
		if (isDefault || containsForeign(declared[key])) return [];
		if (ours[key] !== undefined && setting.same(value, ours[key])) return [];
		return [{ key, equal: setting.same(value, declared[key]) }];
	});
}

function takenEnvironment(declared: Props, olds: Props, live: Pipeline, ours: Props): Taken[] {
	if (olds.environment !== undefined) return [];
	const ourNames = [...storageNames(olds), ...storageNames(declared), ...storageNames(ours)];
	const left = (ours.environment ?? {}) as Props;
	const others = Object.entries(without(liveVariables(live), ourNames)).filter(
		([name, value]) => left[name] !== value,
	);
	if (others.length === 0) return [];
	const variables = others.map(([name]) => name).sort();
	const equal = differingVariables(live, declared).every((name) => ourNames.includes(name));
	return [{ key: "environment", equal, variables }];
}

function takenStorage(declared: Props, olds: Props, live: Pipeline, ours: Props): Taken[] {
	if (olds.environment !== undefined) return [];
	const known = [...storageNames(olds), ...storageNames(ours)];
	const variables = liveVariables(live);
	const others = storageNames(declared).filter(
		(name) => !known.includes(name) && (variables[name] ?? null) !== null,
	);
	if (others.length === 0) return [];
	return [{ key: "storage", equal: differingStorage(live, declared).length === 0, variables: others }];
}

/** How a setting differs: values only if they cannot be secret; of environment and storage the names that differ. */
export function describeSetting(
	call: SecretPaths,
	key: string,
	declared: Props,
	live: Pipeline,
	inWords?: (row: Difference) => string,
): string {
	if (PARTS.includes(key)) return namesIn(call, key, differingNames(key, declared, live));
	const row = differences(SETTINGS, declared, live).find(({ field }) => field === key);
	return row === undefined ? key : describe(SETTINGS_FIELDS, row, call, inWords && (() => inWords(row)));
}

/** What will be written of a setting: `priority 2 (now 3)`. */
export const describeWrite = (call: SecretPaths, key: string, declared: Props, live: Pipeline): string =>
	describeSetting(call, key, declared, live, (row) => {
		const now = row.live === undefined ? "not set now" : `now ${JSON.stringify(row.live)}`;
		return `${key} ${JSON.stringify(row.declared)} (${now})`;
	});

/** The names that differ in environment or storage. */
const differingNames = (key: string, declared: Props, live: Pipeline): string[] =>
	key === "environment" ? differingVariables(live, declared) : differingStorage(live, declared);

/** The names in a setting that is a secret as a whole are as secret. */
export const namesIn = (call: SecretPaths, key: string, names: readonly string[]): string =>
	names.length === 0 || secretsUntilDone(call).includes(key) ? key : `${key} (${names.join(", ")})`;

/**
 * What will be written of a setting that the program changes, too: of environment and storage the names that differ on the
 * service and not from the state, which the engine's diff leaves out. What only others have there is told as removed.
 */
export function describeOverwritten(
	call: SecretPaths,
	key: string,
	declared: Props,
	olds: Props,
	live: Pipeline,
): string[] {
	if (!PARTS.includes(key)) return [];
	const deployed = { ...live, environment_variables: declaredEnvironment(olds, {}).own };
	const shown = differingNames(key, declared, deployed);
	const isOthers = (name: string) =>
		key === "environment" && !Object.hasOwn(Object(declared.environment), name);
	const names = differingNames(key, declared, live).filter(
		(name) => !shown.includes(name) && !isOthers(name),
	);
	return names.length === 0 ? [] : [namesIn(call, key, names)];
}

/** Variables of other users that the plan removes, by name; `ours` are values that this run left there itself. */
export function removedVariables(plan: SettingsChange, olds: Props, live: Pipeline, ours: Props): string[] {
	if (plan.environment === undefined) return [];
	const { own, foreign } = plan.environment;
	const known = (olds.environment ?? {}) as Props;
	const left = (ours.environment ?? {}) as Props;
	const ourStorage = [...storageNames(olds), ...storageNames(ours)];
	return Object.entries(liveVariables(live))
		.filter(([name]) => !Object.hasOwn(own, name) && !Object.hasOwn(foreign, name))
		.filter(([name, value]) => !Object.hasOwn(known, name) && left[name] !== value)
		.flatMap(([name]) => (ourStorage.includes(name) ? [] : name))
		.sort();
}

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The declared settings that the plan sends. */
export const sentKeys = (inputs: Props, plan: SettingsChange): string[] =>
	declaredSettings(inputs).filter(
		(key) => Object.hasOwn(plan.settings, key) || (PARTS.includes(key) && plan.environment !== undefined),
	);

/**
 * What is wrong after the write: declared settings, variables of other users that did not come back, and those of a storage
 * that did not go.
 */
export function leftOver(
	call: Call,
	inputs: Props,
	olds: Props,
	change: SettingsChange,
	pipeline: Pipeline,
): Wrong[] {
	const live = liveVariables(pipeline);
	const foreign = change.environment?.foreign ?? {};
	const lost = Object.entries(foreign).filter(([name, value]) => live[name] !== value);
	const stays = leftStorage(inputs, olds).filter(
		(name) => !Object.hasOwn(foreign, name) && Object.hasOwn(live, name),
	);
	return [
		...differences(SETTINGS, inputs, pipeline).map(({ field }) => ({
			field,
			text: describeSetting(call, field, inputs, pipeline),
		})),
		...lost.map(([name]) => ({ text: `the variable ${name} of others` })),
		...stays.map((name) => ({ text: `the variable ${name} of a storage that is no longer declared` })),
	];
}

export const isEmpty = ({ settings, environment }: SettingsChange): boolean =>
	Object.keys(settings).length === 0 && environment === undefined;

/** Sends the plan in one request, and the pause in its own; nothing if the plan is empty. */
export async function send(call: Call, team: string, name: string, plan: SettingsChange): Promise<void> {
	const body = toWire(SETTINGS, Object.keys(plan.settings), plan.settings);
	if (plan.environment !== undefined) {
		body.environment = renderEnvironment(plan.environment.own, plan.environment.foreign);
	}
	let isWritten = false;
	try {
		if (Object.keys(body).length > 0) {
			await call.client.pipelines.settings({ team_name: team, pipeline_name: name, ...body });
			isWritten = true;
		}
		const { paused } = plan.settings;
		if (typeof paused === "boolean") await sendPause(call, { team_name: team, name }, paused);
	} catch (error) {
		// That the service got nothing is true of the failed request only, if an earlier one was done.
		throw isWritten && error instanceof ApiError ? new Error(error.message, { cause: error }) : error;
	}
}
