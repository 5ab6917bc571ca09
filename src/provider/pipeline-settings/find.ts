import { noPipeline } from "../../schemas/some-of";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import type { Props } from "../handler";
import type { ObjectRef } from "../ownership";
import { isMissing, refuseOtherService } from "../shared/not-found";
import { declaredSettings, SETTINGS } from "./fields";

export const idOf = (team: string, pipelineName: string): string => `${team}/${pipelineName}`;

export const settingsRef = (team: string, id: string): ObjectRef => ({ kind: "PipelineSettings", team, id });

export function getPipeline(call: Call, team: string, name: string): Promise<Pipeline> {
	return call.client.pipelines.status({ team_name: team, name });
}

/** The pipeline, or undefined where the service itself says that there is none. */
export async function getOrMissing(
	call: Call,
	team: string,
	name: string,
	known: Props,
): Promise<Pipeline | undefined> {
	try {
		return await getPipeline(call, team, name);
	} catch (error) {
		if (!isMissing(error)) throw error;
		const all = await call.client.pipelines.list({ team_name: team, search: name });
		if (all.some((pipeline) => pipeline.name === name)) throw error;
		refuseOtherService(call, known, `Pipeline "${name}" of team "${team}" was not found`);
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
	const complete = declaredSettings(known).every((key) => {
		const { read, wire = key === "paused" ? "status" : "environment_variables" } = SETTINGS[key] ?? {};
		return read === undefined || pipeline[wire] !== undefined;
	});
	return complete ? pipeline : undefined;
}

export async function noSuchPipeline(call: Call, team: string, name: string): Promise<string> {
	const names = (await call.lists.glancePipelines(team)).map((pipeline) => pipeline.name);
	return `pipelineName: ${noPipeline(team, name, names)}`;
}
