import { ApiError } from "../../../client";
import { sendPause } from "../../../operations/pipelines";
import {
	foreignVariableProblem,
	looksMasked,
	renderEnvironment,
} from "../../../schemas/environment";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import { containsForeign } from "../../model/foreign-values";
import { type Props, without } from "../../model/props";
import type { SecretPaths } from "../../model/secrets";
import { differences, toWire } from "../../model/table";
import type { Call } from "../../run/context";
import type { Change, Plan, Wrong } from "../../run/kind";
import { consentProblem, consentProblemOfCreate, describeSetting } from "./consent";
import { declaredSettings, isSet, SETTINGS, uncheckedSettings } from "./fields";
import { readSame } from "./find";
import {
	declaredVariables,
	type LiveVariables,
	liveVariables,
	VARIABLE_INPUTS,
	variableNames,
} from "./variables";

/** What one deployment writes on a pipeline. */
export interface SettingsWrite {
	/** By input name; a setting that left the program has the value that stands for "not set". */
	readonly settings: Props;
	/** All variables of the pipeline, because a request replaces them as a whole; undefined if they stay as they are. */
	readonly variables?:
		| {
				readonly own: Readonly<Record<string, string>>;
				readonly foreign: LiveVariables;
		  }
		| undefined;
}

/** Names of the variables that the state has and the program no longer declares. */
export const removedVariables = (inputs: Props, olds: Props): string[] =>
	[...new Set(variableNames(olds))].filter(
		(name) => !variableNames(inputs).includes(name),
	);

/** Settings that the state has and the program no longer declares. No value stands for a pause that is not declared. */
export const removedSettings = (inputs: Props, olds: Props): string[] =>
	declaredSettings(olds).filter(
		(key) =>
			inputs[key] === undefined &&
			!VARIABLE_INPUTS.includes(key) &&
			SETTINGS[key]?.cleared !== undefined,
	);

/** What to write. An update writes every declared setting; otherwise what differs, and what the service never shows. */
export function settingsWrite(
	{ inputs, olds, isUpdate }: Change,
	live: Pipeline,
): SettingsWrite {
	const differing = differences(SETTINGS, inputs, live).map(({ field }) => field);
	const unchecked = uncheckedSettings(inputs);
	const sent = declaredSettings(inputs).filter((key) => {
		// An import leaves a placeholder for a secret of other users. It must not be written in place of the secret.
		if (VARIABLE_INPUTS.includes(key) || containsForeign(inputs[key])) return false;
		// A pause is sent only if it differs: the service may do something even if the pipeline is already paused.
		if (key === "paused") return differing.includes(key);
		return (
			isUpdate ||
			differing.includes(key) ||
			unchecked.includes(key) ||
			isHidden(key, live)
		);
	});
	const removed = removedSettings(inputs, olds).map((key) => [
		key,
		SETTINGS[key]?.cleared,
	]);
	const settings = Object.fromEntries([
		...sent.map((key) => [key, inputs[key]]),
		...removed,
	]);
	return { settings, variables: variablesToWrite(inputs, olds, live, isUpdate) };
}

/**
 * Whether this pipeline's response leaves out a setting that other responses have. What is there is unknown, so the declared
 * value is sent.
 */
const isHidden = (key: string, live: Pipeline): boolean =>
	SETTINGS[key]?.isReported?.(live) === false;

function variablesToWrite(
	inputs: Props,
	olds: Props,
	live: Pipeline,
	isUpdate: boolean,
): SettingsWrite["variables"] {
	const own = declaredVariables(inputs);
	const isChanged = differingVariables(inputs, olds, live).length > 0;
	const isSent =
		isChanged ||
		(isUpdate && Object.keys(own).length > 0 && carriesAll(inputs, olds, live));
	if (!isSent) return undefined;
	return { own, foreign: foreignVariables(inputs, olds, liveVariables(live) ?? {}) };
}

/**
 * Variables that must be written: the program has changed or removed them, or others have. If the service shows none, or a
 * mask, nobody can tell what others have done.
 */
function differingVariables(inputs: Props, olds: Props, pipeline: Pipeline): string[] {
	const [own, before, live] = [
		declaredVariables(inputs),
		declaredVariables(olds),
		liveVariables(pipeline),
	];
	const changed = Object.keys(own).filter((name) => {
		if (own[name] !== before[name]) return own[name] !== live?.[name];
		return live !== undefined && own[name] !== live[name] && !looksMasked(live[name]);
	});
	const isThere = (name: string) => live === undefined || Object.hasOwn(live, name);
	return [...changed, ...removedVariables(inputs, olds).filter(isThere)];
}

const foreignVariables = (
	inputs: Props,
	olds: Props,
	live: LiveVariables,
): LiveVariables =>
	without(live, [
		...Object.keys(declaredVariables(inputs)),
		...removedVariables(inputs, olds),
	]);

/** Nothing differs, so that the variables are only sent again, which must not fail because of others. */
const carriesAll = (inputs: Props, olds: Props, live: Pipeline): boolean =>
	liveVariables(live) !== undefined &&
	Object.entries(foreignVariables(inputs, olds, liveVariables(live) ?? {})).every(
		([name, value]) => foreignVariableProblem(name, value) === undefined,
	);

/** Why the request would damage variables of other users; names, never values. */
export function carryProblem(
	pipelineName: string,
	write: SettingsWrite,
	live: Pipeline,
): string | undefined {
	if (write.variables === undefined) return undefined;
	if (liveVariables(live) === undefined)
		return (
			`The service does not return the variables of pipeline "${pipelineName}", and a request replaces all of them, so variables of ` +
			"other users would be lost. Nothing was changed. Set the variables in the web UI, and remove environment and storage from the program."
		);
	const problems = Object.entries(write.variables.foreign).flatMap(
		([name, value]) => foreignVariableProblem(name, value) ?? [],
	);
	if (problems.length === 0) return undefined;
	return (
		`Pipeline "${pipelineName}" has variables of other users that a request cannot send back unchanged: ` +
		`${problems.join("; ")}. Nothing was changed. Change them on the service first, or declare them in environment with adopt set to true.`
	);
}

/** How the settings become what is declared. Throws if the write needs consent, or would damage what others have set. */
export async function planSettings(
	call: Call,
	live: Pipeline,
	change: Change,
): Promise<Plan<Pipeline>> {
	const { inputs, olds } = change;
	const [team, name] = [String(inputs.teamName), String(inputs.pipelineName)];
	const write = settingsWrite(change, live);
	const refused = change.isUpdate
		? consentProblem(call, inputs, olds, live)
		: await consentProblemOfCreate(call, inputs, olds, live);
	const problem = refused ?? carryProblem(name, write, live);
	if (problem !== undefined) throw new Error(problem);
	const removed = new Set([
		...removedSettings(inputs, olds),
		...removedInputs(inputs, olds),
	]);
	return {
		writes: !writesNothing(write),
		untilDone: { ...withParts(olds, inputs), ...pickOld(olds, removed) },
		send: () => sendSettings(call, team, name, write),
		read: () => readSame(call, team, live),
		wrong: (now) => wrongAfter(call, change, write, live, now),
		explain: (_wrong, now) => lostByOthers(name, wrongOthers(change, write, live, now)),
	};
}

/** Sending it again would not bring it back, and would look like a success. */
function lostByOthers(
	pipelineName: string,
	lost: readonly Wrong[],
): string | undefined {
	if (lost.length === 0) return undefined;
	return (
		`The settings of pipeline "${pipelineName}" were written, but other settings changed too: ` +
		`${lost.map(({ text }) => text).join("; ")}. The service may replace settings where the provider expects it to merge them, or another ` +
		"user changed them at the same moment. Restore them in the web UI, and declare them in the program before you deploy again."
	);
}

/** What is wrong after the write: of ours, and of others. */
export const wrongAfter = (
	call: SecretPaths,
	change: Change,
	write: SettingsWrite,
	before: Pipeline,
	now: Pipeline,
): Wrong[] => [
	...wrongSettings(call, change, now),
	...wrongOthers(change, write, before, now),
];

const pickOld = (olds: Props, keys: ReadonlySet<string>): Props =>
	Object.fromEntries(Object.entries(olds).filter(([key]) => keys.has(key)));

/** `environment` or `storage` as a whole left the program. */
const removedInputs = (inputs: Props, olds: Props): string[] =>
	VARIABLE_INPUTS.filter((key) => olds[key] !== undefined && inputs[key] === undefined);

/** The inputs, with variables that the program no longer declares. */
function withParts(olds: Props, inputs: Props): Props {
	const parts = VARIABLE_INPUTS.filter((key) => inputs[key] !== undefined).map(
		(key) => [key, { ...Object(olds[key]), ...Object(inputs[key]) }],
	);
	return { ...inputs, ...Object.fromEntries(parts) };
}

// ── What is wrong after the write ───────────────────────────────────────────────────────────────────────────────────

/** Declared settings that differ, and what left the program and is still there. */
function wrongSettings(
	call: SecretPaths,
	{ inputs, olds }: Change,
	now: Pipeline,
): Wrong[] {
	const differing = differences(SETTINGS, inputs, now).map(({ field }) => ({
		field,
		text: describeSetting(call, field, inputs, now),
	}));
	const stays = removedSettings(inputs, olds)
		.filter((key) => isSet(key, now))
		.map((key) => ({ text: `${key}, which is no longer declared, is still set` }));
	const live = liveVariables(now) ?? {};
	const left = removedVariables(inputs, olds)
		.filter((name) => Object.hasOwn(live, name))
		.map((name) => ({
			text: `the variable ${name}, which is no longer declared, is still set`,
		}));
	return [...differing, ...stays, ...left];
}

/** What is not ours and was not left as it was: the service replaces where it should merge, or another user was at work. */
function wrongOthers(
	{ inputs, olds }: Change,
	write: SettingsWrite,
	before: Pipeline,
	now: Pipeline,
): Wrong[] {
	const ours = [
		...declaredSettings(inputs),
		...removedSettings(inputs, olds),
		...VARIABLE_INPUTS,
		"paused",
	];
	const cleared = Object.keys(SETTINGS).filter((key) => {
		if (ours.includes(key) || SETTINGS[key]?.isReported?.(now) === false) return false;
		return isSet(key, before) && !isSet(key, now);
	});
	const [variablesBefore, variablesNow] = [
		liveVariables(before) ?? {},
		liveVariables(now),
	];
	const foreign =
		write.variables?.foreign ?? foreignVariables(inputs, olds, variablesBefore);
	const lost = Object.keys(foreign).filter(
		(name) =>
			variablesNow !== undefined &&
			isLost(foreign[name], variablesNow[name], write.variables !== undefined),
	);
	return [
		...cleared.map((key) => ({
			text: `${key}, which the program does not declare, was cleared`,
		})),
		...lost.map((name) => ({
			text: `the variable ${name} of other users was changed or removed`,
		})),
	];
}

/** A variable that was sent back must be as it was. If the request carried none, it must only be there. */
const isLost = (
	before: string | null | undefined,
	now: string | null | undefined,
	isCarried: boolean,
): boolean => (isCarried ? now !== before : now === undefined);

// ── Sending ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export const writesNothing = ({ settings, variables }: SettingsWrite): boolean =>
	Object.keys(settings).length === 0 && variables === undefined;

/** Sends the settings in one request, and the pause in its own; nothing if there is nothing to write. */
export async function sendSettings(
	call: Call,
	team: string,
	name: string,
	write: SettingsWrite,
): Promise<void> {
	const body = toWire(SETTINGS, Object.keys(write.settings), write.settings);
	if (write.variables !== undefined)
		body.environment = renderEnvironment(write.variables.own, write.variables.foreign);
	let isWritten = false;
	try {
		if (Object.keys(body).length > 0) {
			await call.client.pipelines.settings({
				team_name: team,
				pipeline_name: name,
				...body,
			});
			isWritten = true;
		}
		const { paused } = write.settings;
		if (typeof paused === "boolean")
			await sendPause(call, { team_name: team, name }, paused);
	} catch (error) {
		// The settings were written and the pause was refused. A plain Error, so that reconcile does not take it for
		// "nothing was done" and forget the written settings.
		throw isWritten && error instanceof ApiError
			? new Error(error.message, { cause: error })
			: error;
	}
}
