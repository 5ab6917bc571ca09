import { isDeepStrictEqual } from "node:util";
import { lookUntil } from "../api/read-back";
import { foreignVariableProblem } from "../schemas/environment";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { Call } from "./context";
import { type Props, setOnly, without } from "./handler";
import { getPipeline } from "./outcome";
import { isPauseDeclared } from "./pauses";
import { holdSecrets, type SecretPaths, secretsUntilDone, withoutPlaceholders } from "./secrets";
import {
	declaredSettings,
	type LiveVariables,
	liveVariables,
	SETTINGS,
	storageNames,
	uncheckedSettings,
	unsendable,
} from "./settings-fields";
import { getOrMissing, idOf, type SettingsChange, send, settingsRef } from "./settings-plan";

// ── Previous values ─────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The values of before each setting came under management, for `onDestroy: "restore"`. Each is saved once, at that
 * moment, and for as long as it is declared; null stands for "not set".
 */
export interface Previous {
	/** By the setting's name, `environment` and `storage` not among them. */
	readonly settings: Props;
	/** All variables, from when `environment` was first declared. */
	readonly environment?: LiveVariables | undefined;
	/** The variables that storage configs use, one by one. */
	readonly variables: LiveVariables;
}

const NOTHING: Previous = { settings: {}, variables: {} };

/** As the state keeps it. Version 0.1.0 kept the settings and one snapshot of the environment side by side. */
export function parsePrevious(outs: Props): Previous {
	if (typeof outs.previous !== "string") return NOTHING;
	const stored = JSON.parse(outs.previous) as Record<string, unknown>;
	if ("variables" in stored) return { ...NOTHING, ...stored } as Previous;
	const { environment, ...settings } = stored;
	return { settings, variables: {}, environment: environment as LiveVariables | undefined };
}

/** The variable's previous value; null if it was not set. */
export function previousVariable({ variables, environment }: Previous, name: string): string | null {
	if (Object.hasOwn(variables, name)) return variables[name] ?? null;
	return environment?.[name] ?? null;
}

/**
 * Saves the value of what comes under management now, keeps what is saved and still declared, and drops the rest.
 * `known` is what the state has saved; `carried` what a resource had saved that released the same pipeline in this run.
 */
export function remember(
	declared: Props,
	olds: Props,
	live: Pipeline,
	known: Previous,
	carried: Previous = NOTHING,
): Previous {
	const saved: Props = { ...carried.settings, ...known.settings };
	const settings = declaredSettings(declared).flatMap((key) => {
		const raw = SETTINGS[key]?.raw;
		return raw ? [[key, Object.hasOwn(saved, key) ? saved[key] : (raw(live) ?? null)]] : [];
	});
	const now = liveVariables(live);
	// The variables of storage configs have been ours since those were declared.
	const ofStorage = { ...carried.variables, ...known.variables };
	const others = without(now, [...storageNames(olds), ...Object.keys(ofStorage)]);
	const wereSet = Object.entries(ofStorage).filter(([, value]) => value !== null);
	const before = { ...others, ...Object.fromEntries(wereSet) };
	const environment = known.environment ?? carried.environment ?? before;
	const variables = storageNames(declared).map((name) => {
		const source = [known, carried].find(
			(previous) => Object.hasOwn(previous.variables, name) || previous.environment !== undefined,
		);
		return [name, source ? previousVariable(source, name) : (now[name] ?? null)];
	});
	return {
		settings: Object.fromEntries(settings),
		variables: Object.fromEntries(variables),
		...(declared.environment !== undefined && { environment }),
	};
}

/** Why `restore` could not put these values back; of variables and secrets names only, never values. */
export function restoreProblem(call: SecretPaths, declared: Props, previous: Previous): string | undefined {
	if (declared.onDestroy !== "restore") return undefined;
	const { environment, variables: ofStorage } = previous;
	// Of a storage's variable null means that it was not set; of any other one, that its value is null.
	const variables = Object.entries({ ...environment, ...ofStorage }).filter(
		([name, value]) => value !== null || !Object.hasOwn(ofStorage, name),
	);
	const problems = [
		...unsendableSettings(call, previous).map(({ key, value, why }) => `${key}${value} (${why})`),
		...variables.flatMap(([name, value]) => foreignVariableProblem(name, value) ?? []),
	];
	if (problems.length === 0) return undefined;
	return (
		`onDestroy "restore" could not put back what is there now: ${problems.join("; ")}. Change it on the service first, ` +
		'or use onDestroy "keep".'
	);
}

/** Only numbers are among them, because a request takes any text. The value of a secret may be an earlier secret. */
const unsendableSettings = (
	call: SecretPaths,
	{ settings }: Previous,
): { key: string; value: string; why: string }[] =>
	Object.entries(settings).flatMap(([key, value]) => {
		const why = value === null ? undefined : unsendable(key, value);
		if (why === undefined) return [];
		const isSecret = holdSecrets({ secrets: secretsUntilDone(call) }, [key]);
		return [{ key, value: isSecret ? "" : ` ${JSON.stringify(value)}`, why }];
	});

/** The previous values without those of settings that `olds` declares. */
export const newIn = ({ settings, environment, variables }: Previous, olds: Props): Previous => ({
	settings: without(settings, declaredSettings(olds)),
	variables: olds.environment === undefined ? without(variables, storageNames(olds)) : {},
	environment: olds.environment === undefined ? environment : undefined,
});

// ── Carried over ────────────────────────────────────────────────────────────────────────────────────────────────────

/** The state of settings as it passed by in this run: the values that the resource set, and those of before. */
export interface SettingsState {
	readonly by: string;
	readonly outs: Props;
	/** Whoever has the pipeline's settings now has the previous values from here. */
	carried?: boolean | undefined;
	/** The release cleared the values or put the previous ones back: no other resource finds values of ours. */
	readonly putBack?: boolean;
}

/** Ids of two teams may be the same text: both a team's and a pipeline's name may have a slash in it. */
const stateKey = (props: Props): string => JSON.stringify([props.teamName, props.pipelineName]);

export function stateOf({ settingsStates, urn }: Call, props: Props): SettingsState | undefined {
	const state = settingsStates.get(stateKey(props));
	return state?.putBack && state.by !== urn ? undefined : state;
}

/** Called with each state that passes by, because the create of a replacement is handed none. */
export function noteState(call: Call, outs: Props, putBack = false): void {
	const { carried } = stateOf(call, outs) ?? {};
	call.settingsStates.set(stateKey(outs), { by: call.urn, outs, carried, putBack });
}

/** A replacement on the same pipeline goes on with what the resource has managed there, though the engine hands it no state. */
export function managedBefore(call: Call, inputs: Props, olds: Props): Props {
	const state = stateOf(call, inputs);
	return olds.pipelineName === undefined && state?.by === call.urn ? state.outs : olds;
}

/**
 * Inputs whose previous values a destroy would put back already, of this resource or of the one before it. They are not
 * checked again: what cannot be sent is left out then, and must not block a replacement.
 */
export const restoredBefore = (call: Call, inputs: Props, olds: Props): Props =>
	[olds, stateOf(call, inputs)?.outs].find((outs) => outs?.onDestroy === "restore") ?? {};

/** The previous values that another resource, or the one that is replaced, had saved for these settings. */
export function carryOver(call: Call, inputs: Props): Previous | undefined {
	const state = stateOf(call, inputs);
	if (state) state.carried = true;
	return state && parsePrevious(state.outs);
}

/** Values that a resource of this stack has released there, or is about to: our own, which need no consent. */
export function ownValues(call: Call, inputs: Props): Props {
	const state = stateOf(call, inputs);
	if (state === undefined) return {};
	const [team, name] = [String(inputs.teamName), String(inputs.pipelineName)];
	const claim = call.claims.of(settingsRef(team, idOf(team, name)));
	const isReleased = ["released", "releasing", "ours"].includes(claim.is);
	return state.by === call.urn || isReleased ? state.outs : {};
}

// ── Release ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** By default nothing happens on release, because a pipeline's settings have no delete. */
export async function release(call: Call, team: string, outs: Props): Promise<void> {
	if (outs.onDestroy !== "restore" && outs.onDestroy !== "reset") return;
	const name = String(outs.pipelineName);
	const pipeline = await getOrMissing(call, team, name, outs);
	if (pipeline === undefined) return;
	const plan = planOnRelease(call, outs, pipeline);
	await send(call, team, name, plan);
	const read = () => getPipeline(call, team, name);
	const now = await lookUntil(call, read, (live) => isReleased(plan, live));
	if (!isReleased(plan, now)) {
		throw new Error(
			`The service accepted to ${outs.onDestroy} the settings of pipeline "${name}" in team "${team}", but still shows others. ` +
				"Run the command again; if that does not help, compare the settings in the web UI.",
		);
	}
	const unknown = uncheckedSettings(outs);
	if (outs.onDestroy === "restore" && unknown.length > 0) {
		call.notice(
			`The ${unknown.join(" and ")} of pipeline "${name}" stay as they are: the service does not show what was there before.`,
		);
	}
}

function planOnRelease(call: Call, outs: Props, pipeline: Pipeline): SettingsChange {
	const previous = parsePrevious(outs);
	const before = previous.settings;
	const left = outs.onDestroy === "restore" ? unsendableSettings(call, previous) : [];
	for (const { key, value, why } of left) {
		call.notice(
			`The ${key} of pipeline "${String(outs.pipelineName)}" stays as it is: its previous value${value} cannot be sent (${why}). ` +
				"Set it in the web UI if it is still wanted.",
		);
	}
	const keys = declaredSettings(outs).filter(
		(key) =>
			!left.some((each) => each.key === key) &&
			!(key === "paused" && isPauseDeclared(call, String(outs.teamName), String(outs.pipelineName))),
	);
	const settings =
		outs.onDestroy === "reset"
			? keys.map((key) => [key, SETTINGS[key]?.cleared])
			: keys
					.filter((key) => Object.hasOwn(before, key))
					.map((key) => [key, before[key] ?? SETTINGS[key]?.cleared]);
	const foreign = environmentOnRelease(call, outs, pipeline);
	return {
		settings: setOnly(Object.fromEntries(settings)),
		...(foreign !== undefined && { environment: { own: {}, foreign } }),
	};
}

/**
 * Our own variables go back to their previous values, or away; those that other users added meanwhile stay. If one of
 * theirs cannot be sent back as it is, the environment is left alone as a whole: a destroy must be able to end.
 */
function environmentOnRelease(call: Call, outs: Props, pipeline: Pipeline): LiveVariables | undefined {
	if (outs.environment === undefined && outs.storage === undefined) return undefined;
	const previous = parsePrevious(outs);
	const restored = outs.onDestroy === "restore" ? (previous.environment ?? {}) : {};
	// After a refresh the state also names the variables of other users, by a placeholder.
	const ours = [...Object.keys(Object(withoutPlaceholders(outs.environment))), ...storageNames(outs)];
	const after: Record<string, string | null> = { ...without(liveVariables(pipeline), ours) };
	if (outs.environment !== undefined) Object.assign(after, without(restored, storageNames(outs)));
	for (const name of storageNames(outs)) {
		const value = outs.onDestroy === "restore" ? previousVariable(previous, name) : null;
		if (value !== null) after[name] = value;
	}
	const unsendable = Object.entries(after).flatMap(
		([name, value]) => foreignVariableProblem(name, value) ?? [],
	);
	if (unsendable.length === 0) return after;
	call.notice(
		`The environment of pipeline "${String(outs.pipelineName)}" stays as it is: ${unsendable.join("; ")}. Remove what is no ` +
			"longer wanted in the web UI.",
	);
	return undefined;
}

function isReleased(plan: SettingsChange, live: Pipeline): boolean {
	const settings = Object.entries(plan.settings).every(([key, value]) => {
		const { raw, same = isDeepStrictEqual } = SETTINGS[key] ?? {};
		return raw === undefined || same(raw(live), value);
	});
	const { environment } = plan;
	return (
		settings && (environment === undefined || isDeepStrictEqual(liveVariables(live), environment.foreign))
	);
}
