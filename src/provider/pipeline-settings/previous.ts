import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Props } from "../handler";
import { without } from "../shared/json";
import { type LiveVariables, liveVariables, storageNames } from "./environment";
import { declaredSettings, SETTINGS } from "./fields";

/**
 * What was there when each setting came under management, for `onDestroy: "restore"`. Each is remembered once, at that
 * moment, and for as long as it is declared; null stands for "not set".
 */
export interface Previous {
	/** By the setting's name, `environment` and `storage` not among them. */
	readonly settings: Props;
	/** All variables, from when `environment` was first declared. */
	readonly environment?: LiveVariables;
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
	return {
		settings,
		variables: {},
		...(environment !== undefined && { environment: environment as LiveVariables }),
	};
}

/** What the variable was before; null where it was not set. */
export function previousVariable({ variables, environment }: Previous, name: string): string | null {
	if (Object.hasOwn(variables, name)) return variables[name] ?? null;
	return environment?.[name] ?? null;
}

/**
 * Remembers what comes under management now, keeps what is remembered and still declared, and forgets the rest.
 * `known` is the state's own memory; `inherited` that of a resource that let the same pipeline go in this run.
 */
export function remember(
	declared: Props,
	olds: Props,
	live: Pipeline,
	known: Previous,
	inherited: Previous = NOTHING,
): Previous {
	const remembered: Props = { ...inherited.settings, ...known.settings };
	const recall = (key: string): unknown =>
		Object.hasOwn(remembered, key) ? remembered[key] : (SETTINGS[key]?.raw?.(live) ?? null);
	const keys = declaredSettings(declared).filter((key) => SETTINGS[key]?.raw !== undefined);
	const now = liveVariables(live);
	const environment = known.environment ?? inherited.environment ?? without(now, storageNames(olds));
	const variables = storageNames(declared).map((name) => {
		const source = [known, inherited].find(
			(memory) => Object.hasOwn(memory.variables, name) || memory.environment !== undefined,
		);
		return [name, source ? previousVariable(source, name) : (now[name] ?? null)];
	});
	return {
		settings: Object.fromEntries(keys.map((key) => [key, recall(key)])),
		variables: Object.fromEntries(variables),
		...(declared.environment !== undefined && { environment }),
	};
}
