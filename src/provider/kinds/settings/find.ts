import { isMissing } from "../../../client";
import { getPipeline } from "../../../operations/pipelines";
import type { Pipeline } from "../../../schemas/wire/pipeline";
import type { Props } from "../../model/props";
import type { Call } from "../../run/context";
import { isYoung, refuseOtherService } from "../../run/outcome";
import { firstPipelinesByName } from "../../run/team-lists";
import { declaredSettings, SETTINGS } from "./fields";

export const placeOf = ({
	teamName,
	pipelineName,
}: Props): [team: string, name: string] => [String(teamName), String(pipelineName)];

export const idOf = (team: string, pipelineName: string): string =>
	`${team}/${pipelineName}`;

export const label = (inputs: Props): string => {
	const [team, name] = placeOf(inputs);
	return `The settings of pipeline "${name}" in team "${team}"`;
};

/** The pipeline in a list; undefined if the list omits it, or omits a setting that must be compared. */
export function findIn(
	pipelines: readonly Pipeline[],
	name: string,
	recorded: Props,
): Pipeline | undefined {
	const pipeline = firstPipelinesByName(pipelines).get(name);
	if (pipeline === undefined) return undefined;
	const isComplete = declaredSettings(recorded).every((key) => {
		const { fromLive: read, isReported } = SETTINGS[key] ?? {};
		return read === undefined || isReported?.(pipeline) !== false;
	});
	return isComplete ? pipeline : undefined;
}

/** Asked for directly: the pipeline of the state, or of the name if the state does not know an id. */
export async function getPipelineOf(
	call: Call,
	recorded: Props,
): Promise<Pipeline | undefined> {
	const [team, name] = placeOf(recorded);
	// What the state has was there a moment ago.
	const isDeployed = Object.keys(recorded).length > 2;
	const pipeline = await pipelineOrMissing(
		call,
		team,
		name,
		isDeployed && isYoung(call, recorded),
	);
	if (pipeline === undefined)
		refuseOtherService(
			call,
			recorded,
			`Pipeline "${name}" of team "${team}" was not found`,
		);
	return isSamePipeline(recorded, pipeline) ? pipeline : undefined;
}

/** Rule 1: a pipeline that was deleted and made again under its name has another id. */
export const isSamePipeline = (
	{ pipelineId }: Props,
	pipeline: Pipeline | undefined,
): boolean => pipelineId === undefined || pipeline?.pipeline_id === pipelineId;

/** From a recent list, or asked for directly. */
export async function findSoon(
	call: Call,
	team: string,
	name: string,
	recorded: Props,
): Promise<Pipeline | undefined> {
	const listed = findIn(await call.lists.pipelines(team, "recent"), name, recorded);
	return listed ?? pipelineOrMissing(call, team, name, false);
}

/** The pipeline, or undefined if the service itself says that there is none. */
export async function pipelineOrMissing(
	call: Call,
	team: string,
	name: string,
	isYoung: boolean,
): Promise<Pipeline | undefined> {
	try {
		return await getPipeline(call, team, name, isYoung);
	} catch (error) {
		if (!isMissing(error)) throw error;
		const all = await call.client.pipelines.list({ team_name: team, search: name });
		if (all.some((pipeline) => pipeline.name === name)) throw error;
		return undefined;
	}
}

/** The pipeline as it is now; another one under its name is not the same. */
export async function readSame(
	call: Call,
	team: string,
	before: Pipeline,
): Promise<Pipeline> {
	const now = await getPipeline(call, team, String(before.name));
	if (now.pipeline_id === before.pipeline_id) return now;
	throw new Error(
		`Pipeline "${String(before.name)}" of team "${team}" was deleted during this deployment, and a new pipeline has its name ` +
			`(id ${now.pipeline_id}).`,
	);
}
