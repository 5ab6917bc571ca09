import { renderEnvironment } from "../../schemas/environment";
import type { Pipeline } from "../../schemas/pipeline";
import type { ProviderContext } from "../context";
import type { Props } from "../handler";
import { desiredEnvironment, liveVariables, type Variables } from "./environment";
import { getPipeline } from "./find";
import { SETTING_KEYS } from "./keys";
import { describeDifference, differingKeys } from "./live";

/** What one request changes: settings by their input names, and the whole environment where it changes. */
export interface Changes {
	readonly settings: Props;
	readonly environment?: Variables | undefined;
}

/** Sends the changes, leaving all other settings as they are, and returns the pipeline as it is afterwards. */
export async function writeSettings(
	context: ProviderContext,
	team: string,
	name: string,
	{ settings, environment }: Changes,
): Promise<Pipeline> {
	const body = Object.fromEntries(
		Object.entries(settings).flatMap(([key, value]) => {
			const { wire, toWire } = SETTING_KEYS[key] ?? {};
			return wire === undefined ? [] : [[wire, toWire ? toWire(value) : value]];
		}),
	);
	if (environment !== undefined) body.environment = renderEnvironment(environment);
	context.lists.drop(team);
	try {
		if (Object.keys(body).length > 0) {
			await context.client.pipelines.settings({ team_name: team, pipeline_name: name, ...body });
		}
		return await getPipeline(context, team, name);
	} finally {
		context.lists.drop(team);
	}
}

/** What must be sent: declared values that differ on the service, and those that it never shows. */
export function changesToSend(declared: Props, olds: Props, pipeline: Pipeline): Changes {
	const differing = new Set(differingKeys(declared, pipeline));
	const entries = Object.entries(SETTING_KEYS).filter(([key, setting]) => {
		if (declared[key] === undefined) return false;
		return setting.live === undefined
			? !setting.same(olds[key], declared[key]) || olds[key] === undefined
			: differing.has(key);
	});
	// A storage that is no longer declared leaves a variable behind that only the state knows of.
	const storageChanged =
		declared.storage !== undefined && !(SETTING_KEYS.storage?.same(olds.storage, declared.storage) ?? true);
	const touched = differing.has("environment") || differing.has("storage") || storageChanged;
	return {
		settings: Object.fromEntries(entries.map(([key]) => [key, declared[key]])),
		environment: touched ? desiredEnvironment(declared, olds, liveVariables(pipeline)) : undefined,
	};
}

/** Why the settings are not as declared after a write that the service accepted; undefined where they are. */
export function unsettled(declared: Props, pipeline: Pipeline, team: string): string | undefined {
	const keys = differingKeys(declared, pipeline);
	if (keys.length === 0) return undefined;
	return (
		`The service accepted the settings of pipeline "${pipeline.name}" in team "${team}", but shows other values for ` +
		`${keys.map((key) => describeDifference(key, declared, pipeline)).join("; ")}. Run "pulumi up" again; if it stays, ` +
		"compare the settings in the web UI."
	);
}
