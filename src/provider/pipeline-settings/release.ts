import type { ProviderContext } from "../context";
import type { Props } from "../handler";
import { getOrMissing } from "./find";
import { SETTING_KEYS } from "./keys";
import { declaredKeys } from "./live";
import { writeSettings } from "./write";

/** What happens when Pulumi lets go: by default nothing, because a pipeline's settings have no delete. */
export async function release(context: ProviderContext, team: string, outs: Props): Promise<void> {
	const values = valuesOnRelease(outs);
	if (Object.keys(values).length === 0) return;
	const name = String(outs.pipelineName);
	if ((await getOrMissing(context, team, name, outs)) === undefined) return;
	await writeSettings(context, team, name, values);
	const lost = declaredKeys(outs).filter((key) => SETTING_KEYS[key]?.live === undefined);
	if (outs.onDestroy === "restore" && lost.length > 0) {
		context.notice(
			`The ${lost.join(" and ")} of pipeline "${name}" stay as they are: the service does not show what was there before.`,
		);
	}
}

function valuesOnRelease(outs: Props): Props {
	if (outs.onDestroy === "reset") {
		return Object.fromEntries(declaredKeys(outs).map((key) => [key, SETTING_KEYS[key]?.cleared]));
	}
	if (outs.onDestroy !== "restore") return {};
	const previous = parsePrevious(outs);
	return Object.fromEntries(
		Object.entries(previous).map(([key, value]) => [key, value ?? SETTING_KEYS[key]?.cleared]),
	);
}

/** What was there before Pulumi took over, as the state keeps it. */
export function parsePrevious(outs: Props): Props {
	return typeof outs.previous === "string" ? (JSON.parse(outs.previous) as Props) : {};
}
