import type { Call } from "../context";
import type { Problem, Props } from "../handler";
import { resourceName } from "../urn";
import { containsUnknown } from "./unknown";

/** Two resources of the program that want one pipeline paused and running. */
export function pauseContradiction(call: Call, inputs: Props): Problem[] {
	const { teamName: team, pipelineName: pipeline, paused } = inputs;
	if (containsUnknown([team, pipeline, paused])) return [];
	const declared = typeof paused === "boolean" ? paused : undefined;
	const other = call.pauses.declare(call.urn, String(team), String(pipeline), declared);
	if (other === undefined) return [];
	return [
		{
			field: "paused",
			reason:
				`paused: ${resourceName(call.urn)} declares pipeline "${String(pipeline)}" ${paused ? "paused" : "not paused"}, and ` +
				`${resourceName(other)} the opposite. A pipeline is paused as a whole, with all its schedules: declare it in one place.`,
		},
	];
}

/** Says that this deployment will pause or resume a pipeline: others may rely on what it is now. */
export async function pauseNotice(
	call: Call,
	{
		teamName,
		pipelineName,
		paused,
	}: { teamName: string; pipelineName: string; paused?: boolean | undefined },
): Promise<void> {
	if (paused === undefined) return;
	const pipelines = await call.lists.glancePipelines(teamName);
	const pipeline = pipelines.find(({ name }) => name === pipelineName);
	if (pipeline === undefined || (pipeline.status?.toUpperCase() === "PAUSED") === paused) return;
	call.notice(
		`Pipeline "${pipelineName}" in team "${teamName}" will be ${paused ? "paused" : "resumed"}: ${resourceName(call.urn)} ` +
			`declares paused: ${paused}. That holds for all its schedules.`,
	);
}
