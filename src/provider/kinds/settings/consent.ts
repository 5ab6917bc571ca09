import { looksMasked } from "../../../schemas/environment";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import { containsForeign } from "../../model/foreign-values";
import {
	ifForcedReplacement,
	ifInterrupted,
	ifRenamedResource,
} from "../../model/messages";
import type { Props } from "../../model/props";
import { type SecretPaths, secretsUntilDone } from "../../model/secrets";
import { type Difference, describe, differences } from "../../model/table";
import type { Call } from "../../run/context";
import { PATIENCE_MILLIS, PAUSE_MILLIS } from "../../run/name-check";
import { declaredSettings, isSet, SETTINGS, SETTINGS_FIELDS } from "./fields";
import {
	declaredVariables,
	differingNames,
	liveVariables,
	VARIABLE_INPUTS,
	variableNames,
} from "./variables";

/** Declared settings and variables that have a value which the resource does not own. */
interface Taken {
	/** The input: `priority`, `environment`, `storage`. */
	readonly key: string;
	/** Of `environment` and `storage`: the variables. */
	readonly names?: readonly string[];
	readonly equal: boolean;
}

/** What the state of this deployment's resources has on a pipeline: their settings and variables. */
interface Owned {
	readonly settings: ReadonlySet<string>;
	readonly variables: ReadonlySet<string>;
}

/**
 * Rule 3: a resource owns what the state declares for it. What another resource of this deployment has had on the pipeline
 * is not foreign either, because that one moves away: a program declares a pipeline's settings once.
 */
function ownedOn(call: Call, inputs: Props, olds: Props, live: Pipeline): Owned {
	const { teamName, pipelineName } = inputs;
	const deployed = call.deployed
		.onPipeline(String(teamName), String(pipelineName))
		.map(({ resource }) => resource.inputs);
	const settings = new Set<string>();
	const variables = new Set<string>();
	const variablesNow = liveVariables(live) ?? {};
	for (const state of [olds, ...deployed]) {
		// The pipeline of the state is gone, and another one has its name.
		if (state.pipelineId !== undefined && state.pipelineId !== live.pipeline_id)
			continue;
		// Without the pipeline's id only an equal value is surely the one that was deployed.
		const isSure = state.pipelineId !== undefined || state === olds;
		for (const key of declaredSettings(state)) {
			const { raw, same } = SETTINGS[key] ?? {};
			if (isSure || same?.(raw?.(live), state[key]) === true) settings.add(key);
		}
		const values = declaredVariables(state);
		for (const name of variableNames(state))
			if (isSure || variablesNow[name] === values[name]) variables.add(name);
	}
	return { settings, variables };
}

/** Declared settings and variables that others have set: they are taken over with consent only. */
export function takenSettings(
	call: Call,
	inputs: Props,
	olds: Props,
	live: Pipeline,
): Taken[] {
	const owned = ownedOn(call, inputs, olds, live);
	return declaredSettings(inputs).flatMap((key) => {
		if (VARIABLE_INPUTS.includes(key)) return takenVariables(key, inputs, owned, live);
		const { raw, same, isReported } = SETTINGS[key] ?? {};
		if (
			raw === undefined ||
			same === undefined ||
			key === "paused" ||
			owned.settings.has(key)
		)
			return [];
		if (containsForeign(inputs[key])) return [];
		// What the service does not show may be anybody's.
		if (isReported?.(live) === false) return [{ key, equal: false }];
		return isSet(key, live) ? [{ key, equal: same(raw(live), inputs[key]) }] : [];
	});
}

function takenVariables(
	key: string,
	inputs: Props,
	owned: Owned,
	live: Pipeline,
): Taken[] {
	const variables = liveVariables(live) ?? {};
	const declared = declaredVariables({ [key]: inputs[key] });
	const names = Object.keys(declared).filter(
		(name) => !owned.variables.has(name) && (variables[name] ?? null) !== null,
	);
	if (names.length === 0) return [];
	const equal =
		key === "storage"
			? differingNames(key, inputs, live).length === 0 &&
				!names.some((name) => looksMasked(variables[name]))
			: names.every((name) => declared[name] === variables[name]);
	return [{ key, names: names.sort(), equal }];
}

/** The values of others that are in the way, as a list for people; undefined if there are none, or the user consents. */
export function valuesInTheWay(
	call: Call,
	inputs: Props,
	olds: Props,
	live: Pipeline,
): string | undefined {
	if (inputs.adopt === true) return undefined;
	const taken = takenSettings(call, inputs, olds, live);
	if (taken.length === 0 || (call.adoptEqual && taken.every(({ equal }) => equal)))
		return undefined;
	const list = taken.map(({ key, equal, names }) => {
		const field = names ? namesIn(call, key, names) : key;
		if (equal) return `${field} (the same value)`;
		return names ? field : describeSetting(call, key, inputs, live);
	});
	const where = `pipeline "${String(inputs.pipelineName)}" in team "${String(inputs.teamName)}"`;
	return `${where} already has settings that this program does not manage: ${list.join("; ")}`;
}

/** Why the settings may not be taken over; undefined if they may. */
export function consentProblem(
	call: Call,
	inputs: Props,
	olds: Props,
	live: Pipeline,
): string | undefined {
	const values = valuesInTheWay(call, inputs, olds, live);
	if (values === undefined) return undefined;
	const isEqual = takenSettings(call, inputs, olds, live).every(({ equal }) => equal);
	const forced =
		isEqual && Object.keys(olds).length === 0 ? ` ${ifForcedReplacement}` : "";
	return (
		`P${values.slice(1)}. They were not changed. ${ifRenamedResource} To manage them, set adopt to true. Otherwise leave these ` +
		`inputs out. ${ifInterrupted("them")}${forced}`
	);
}

/** The same for a create: the resource that has the values may not have had its turn. */
export async function consentProblemOfCreate(
	call: Call,
	inputs: Props,
	olds: Props,
	live: Pipeline,
): Promise<string | undefined> {
	const startedAt = call.time.now();
	for (;;) {
		const problem = consentProblem(call, inputs, olds, live);
		if (problem === undefined || call.time.now() - startedAt >= PATIENCE_MILLIS)
			return problem;
		await call.time.sleep(PAUSE_MILLIS);
	}
}

// ── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The names in a setting that is a secret as a whole are as secret. */
export const namesIn = (
	call: SecretPaths,
	key: string,
	names: readonly string[],
): string =>
	names.length === 0 || secretsUntilDone(call).includes(key)
		? key
		: `${key} (${names.join(", ")})`;

/** How a setting differs: values only if they cannot be secret; of environment and storage the names that differ. */
export function describeSetting(
	call: SecretPaths,
	key: string,
	declared: Props,
	live: Pipeline,
	inWords?: (row: Difference) => string,
): string {
	if (VARIABLE_INPUTS.includes(key))
		return namesIn(call, key, differingNames(key, declared, live));
	const row = differences(SETTINGS, declared, live).find(({ field }) => field === key);
	return row === undefined
		? key
		: describe(SETTINGS_FIELDS, row, call, inWords && (() => inWords(row)));
}

/** What will be written of a setting: `priority 2 (now 3)`. */
export const describeWrite = (
	call: SecretPaths,
	key: string,
	declared: Props,
	live: Pipeline,
): string =>
	describeSetting(call, key, declared, live, (row) => {
		const now =
			row.live === undefined ? "not set now" : `now ${JSON.stringify(row.live)}`;
		return `${key} ${JSON.stringify(row.declared)} (${now})`;
	});
