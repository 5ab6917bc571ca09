import type { Pipeline } from "../../schemas/pipeline";
import type { ProviderContext } from "../context";
import type { Props } from "../handler";
import { liveVariables, storageNames, type Variables, without } from "./environment";
import { getOrMissing } from "./find";
import { SETTING_KEYS } from "./keys";
import { declaredKeys } from "./live";
import { type Changes, writeSettings } from "./write";

const sharesEnvironment = (key: string): boolean => key === "environment" || key === "storage";

/** What is there now under the given keys, for `onDestroy: "restore"`. Null stands for "not set". */
export function snapshot(pipeline: Pipeline, keys: readonly string[]): Props {
	const values = keys
		.filter((key) => SETTING_KEYS[key]?.raw !== undefined)
		.map((key) => [key, SETTING_KEYS[key]?.raw?.(pipeline) ?? null]);
	const environment = keys.some(sharesEnvironment) ? { environment: liveVariables(pipeline) } : {};
	return { ...Object.fromEntries(values), ...environment };
}

/** Of what was remembered, the part that is still declared. */
export function stillDeclared(previous: Props, declared: Props): Props {
	const keys = declaredKeys(declared);
	return Object.fromEntries(
		Object.entries(previous).filter(
			([key]) => keys.includes(key) || (sharesEnvironment(key) && keys.some(sharesEnvironment)),
		),
	);
}

/** What happens when Pulumi lets go: by default nothing, because a pipeline's settings have no delete. */
export async function release(context: ProviderContext, team: string, outs: Props): Promise<void> {
	if (outs.onDestroy !== "restore" && outs.onDestroy !== "reset") return;
	const name = String(outs.pipelineName);
	const pipeline = await getOrMissing(context, team, name, outs);
	if (pipeline === undefined) return;
	await writeSettings(context, team, name, changesOnRelease(outs, pipeline));
	const lost = declaredKeys(outs).filter((key) => SETTING_KEYS[key]?.live === undefined);
	if (outs.onDestroy === "restore" && lost.length > 0) {
		context.notice(
			`The ${lost.join(" and ")} of pipeline "${name}" stay as they are: the service does not show what was there before.`,
		);
	}
}

function changesOnRelease(outs: Props, pipeline: Pipeline): Changes {
	const keys = declaredKeys(outs).filter((key) => !sharesEnvironment(key));
	const previous = parsePrevious(outs);
	const settings =
		outs.onDestroy === "reset"
			? keys.map((key) => [key, SETTING_KEYS[key]?.cleared])
			: keys
					.filter((key) => Object.hasOwn(previous, key))
					.map((key) => [key, previous[key] ?? SETTING_KEYS[key]?.cleared]);
	const before = outs.onDestroy === "reset" ? {} : ((previous.environment ?? {}) as Variables);
	return {
		settings: Object.fromEntries(settings),
		environment: environmentOnRelease(outs, pipeline, before),
	};
}

/** The whole environment goes back where all of it was declared; else only the variables of the storage configs. */
function environmentOnRelease(outs: Props, pipeline: Pipeline, before: Variables): Variables | undefined {
	if (outs.environment !== undefined) return before;
	if (outs.storage === undefined) return undefined;
	const names = storageNames(outs);
	const ours = Object.fromEntries(Object.entries(before).filter(([name]) => names.includes(name)));
	return { ...without(liveVariables(pipeline), names), ...ours };
}

/** What was there before Pulumi took over, as the state keeps it. */
export function parsePrevious(outs: Props): Props {
	return typeof outs.previous === "string" ? (JSON.parse(outs.previous) as Props) : {};
}
