import { NotFoundError } from "../../api";
import type { Pipeline } from "../../schemas/pipeline";
import type { ProviderContext } from "../context";
import type { Props } from "../handler";
import { refuseOtherService } from "../shared/other-service";
import { SETTING_KEYS } from "./keys";
import { declaredKeys } from "./live";

export function getPipeline(context: ProviderContext, team: string, name: string): Promise<Pipeline> {
	return context.client.pipelines.status({ team_name: team, name });
}

/** The pipeline, or undefined where the service itself says that there is none. */
export async function getOrMissing(
	context: ProviderContext,
	team: string,
	name: string,
	known: Props,
): Promise<Pipeline | undefined> {
	try {
		return await getPipeline(context, team, name);
	} catch (error) {
		if (!(error instanceof NotFoundError) || !error.fromService) throw error;
		const all = await context.client.pipelines.list({ team_name: team, search: name });
		if (all.some((pipeline) => pipeline.name === name)) throw error;
		refuseOtherService(context, known, `Pipeline "${name}" of team "${team}" was not found`);
		return undefined;
	}
}

/**
 * The pipeline among those of a shared list; undefined where the list leaves it out, or a setting that must be
 * compared.
 */
export function findIn(pipelines: readonly Pipeline[], name: string, known: Props): Pipeline | undefined {
	const pipeline = pipelines.find((candidate) => candidate.name === name);
	if (pipeline === undefined) return undefined;
	const complete = declaredKeys(known).every((key) => {
		const { live, wire = "environment_variables" } = SETTING_KEYS[key] ?? {};
		return live === undefined || pipeline[wire] !== undefined;
	});
	return complete ? pipeline : undefined;
}
