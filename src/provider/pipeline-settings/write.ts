import type { Pipeline } from "../../schemas/pipeline";
import type { ProviderContext } from "../context";
import type { Props } from "../handler";
import { getPipeline } from "./find";
import { SETTING_KEYS } from "./keys";
import { describeDifference, differingKeys } from "./live";

/** Sends the given settings, leaving all others as they are, and returns the pipeline as it is afterwards. */
export async function writeSettings(
	context: ProviderContext,
	team: string,
	name: string,
	values: Props,
): Promise<Pipeline> {
	const body = Object.fromEntries(
		Object.entries(values).flatMap(([key, value]) => {
			const setting = SETTING_KEYS[key];
			return setting ? [[setting.wire, setting.toWire(value)]] : [];
		}),
	);
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

/** The declared values that must be sent: those that differ on the service, and those that it never shows. */
export function valuesToSend(declared: Props, olds: Props, pipeline: Pipeline): Props {
	const differing = new Set(differingKeys(declared, pipeline));
	const entries = Object.entries(SETTING_KEYS).filter(([key, setting]) => {
		if (declared[key] === undefined) return false;
		return setting.live === undefined ? !setting.same(olds[key] ?? [], declared[key]) : differing.has(key);
	});
	return Object.fromEntries(entries.map(([key]) => [key, declared[key]]));
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
