import { foreignVariableProblem } from "../../schemas/environment";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Props } from "../handler";
import { containsForeign } from "../shared/foreign";
import { without } from "../shared/json";
import { changes, describe, differences } from "../shared/table";
import {
	declaredEnvironment,
	differingStorage,
	differingVariables,
	type EnvironmentToSend,
	liveVariables,
	storageNames,
} from "./environment";
import { declaredSettings, SETTINGS, SETTINGS_FIELDS, uncheckedSettings } from "./fields";
import { type Previous, previousVariable } from "./previous";

/** What one deployment changes on a pipeline: settings by their input names, and the environment where it changes. */
export interface Plan {
	readonly settings: Props;
	readonly environment?: EnvironmentToSend;
	readonly paused?: boolean;
}

/** What must be sent: everything that differs from the state or from the service, and what the service never shows. */
export function planOf(declared: Props, olds: Props, live: Pipeline, previous: Previous): Plan {
	const touched = touchedKeys(declared, olds, live);
	const settings = Object.fromEntries(
		touched.filter((key) => SETTINGS[key]?.wire !== undefined).map((key) => [key, declared[key]]),
	);
	const left = leftStorage(declared, olds);
	const environment = touched.includes("environment") || touched.includes("storage") || left.length > 0;
	return {
		settings,
		...(environment && { environment: environmentToSend(declared, olds, live, previous) }),
		...(touched.includes("paused") && typeof declared.paused === "boolean" && { paused: declared.paused }),
	};
}

/** Settings that this deployment writes. A mark is not a value, and never among them. */
export function touchedKeys(declared: Props, olds: Props, live: Pipeline): string[] {
	const isNew = Object.keys(olds).length === 0;
	const fromState = isNew
		? uncheckedSettings(declared)
		: changes(SETTINGS, olds, declared).map(({ field }) => field);
	const fromLive = differences(SETTINGS, declared, live).map(({ field }) => field);
	const parts = ["environment", "storage"];
	return Object.keys(SETTINGS).filter(
		(key) =>
			(fromState.includes(key) || fromLive.includes(key)) &&
			declared[key] !== undefined &&
			(parts.includes(key) || !containsForeign(declared[key])),
	);
}

/** Variables of storage configs that are no longer declared, and that no declared `environment` decides about. */
export const leftStorage = (declared: Props, olds: Props): string[] =>
	declared.environment === undefined
		? storageNames(olds).filter((name) => !storageNames(declared).includes(name))
		: [];

function environmentToSend(
	declared: Props,
	olds: Props,
	live: Pipeline,
	previous: Previous,
): EnvironmentToSend {
	const variables = liveVariables(live);
	const { own, foreign } = declaredEnvironment(declared, variables);
	if (declared.environment !== undefined) return { own, foreign };
	const others = { ...without(variables, [...storageNames(olds), ...storageNames(declared)]) };
	for (const name of leftStorage(declared, olds)) {
		const before = previousVariable(previous, name);
		if (before !== null) others[name] = before;
	}
	return { own, foreign: { ...others, ...foreign } };
}

/** Why the plan cannot be carried out without damage to what others set; names, never values. */
export function planProblems(declared: Props, plan: Plan, previous: Previous): string[] {
	const carried = Object.entries(plan.environment?.foreign ?? {});
	const unsendable = carried.flatMap(([name, value]) => foreignVariableProblem(name, value) ?? []);
	if (unsendable.length > 0) {
		return [
			`Pipeline "${String(declared.pipelineName)}" has variables that others set and that a request cannot carry back: ` +
				`${unsendable.join("; ")}. Change them on the service first, or declare the whole environment.`,
		];
	}
	if (declared.onDestroy !== "restore") return [];
	const remembered = { ...previous.environment, ...previous.variables };
	const unrestorable = Object.entries(remembered).flatMap(([name, value]) =>
		value === null ? [] : (foreignVariableProblem(name, value) ?? []),
	);
	if (unrestorable.length === 0) return [];
	return [
		`onDestroy: "restore" could not put back what is there now: ${unrestorable.join("; ")}. Change it on the service first, ` +
			'or use onDestroy: "keep".',
	];
}

/** A setting that others gave a value before it came under management. */
interface Taken {
	readonly key: string;
	readonly equal: boolean;
}

/** Settings that come under management now and already have a value; `ours` are values that this run left there itself. */
export function takenSettings(declared: Props, olds: Props, live: Pipeline, ours: Props): Taken[] {
	return declaredSettings(declared).flatMap((key) => {
		if (key === "environment") return takenEnvironment(declared, olds, live, ours);
		if (key === "storage") return takenStorage(declared, olds, live, ours);
		const setting = SETTINGS[key];
		if (setting?.raw === undefined || key === "paused" || olds[key] !== undefined) return [];
		const value = setting.raw(live);
		const equal = setting.same?.(value, declared[key]) === true;
		const isDefault = setting.same?.(value, setting.cleared) === true;
		if (value === undefined || isDefault || containsForeign(declared[key])) return [];
		if (ours[key] !== undefined && setting.same?.(value, ours[key])) return [];
		return [{ key, equal }];
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
	return [{ key: "environment", equal: differingVariables(live, declared).length === 0 }];
}

function takenStorage(declared: Props, olds: Props, live: Pipeline, ours: Props): Taken[] {
	if (olds.environment !== undefined) return [];
	const known = [...storageNames(olds), ...storageNames(ours)];
	const variables = liveVariables(live);
	const others = storageNames(declared).filter(
		(name) => !known.includes(name) && variables[name] !== undefined && variables[name] !== null,
	);
	if (others.length === 0) return [];
	return [{ key: "storage", equal: differingStorage(live, declared).length === 0 }];
}

/** A line for people: values only where they cannot be secret; of environment and storage the names that differ. */
export function describeSetting(key: string, declared: Props, live: Pipeline): string {
	if (key === "environment") return namesIn("environment", differingVariables(live, declared));
	if (key === "storage") return namesIn("storage", differingStorage(live, declared));
	const row = differences(SETTINGS, declared, live).find(({ field }) => field === key);
	return row === undefined ? key : describe(SETTINGS_FIELDS, row);
}

const namesIn = (key: string, names: readonly string[]): string =>
	names.length === 0 ? key : `${key} (${names.join(", ")})`;

/** Variables that others set and that the plan removes, by name. */
export function removedVariables(plan: Plan, olds: Props, live: Pipeline): string[] {
	if (plan.environment === undefined) return [];
	const { own, foreign } = plan.environment;
	const known = (olds.environment ?? {}) as Props;
	return Object.keys(liveVariables(live))
		.filter((name) => !Object.hasOwn(own, name) && !Object.hasOwn(foreign, name))
		.filter((name) => !Object.hasOwn(known, name) && !storageNames(olds).includes(name))
		.sort();
}
