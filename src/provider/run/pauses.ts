import { isPausedPipeline } from "../../schemas/pipeline-status";
import { resourceName } from "../model/messages";
import { containsUnknown, type Problem, type Props, problem } from "../model/props";
import type { Call } from "./context";
import { listedPipeline } from "./outcome";

/** Whether a resource of the program says if the pipeline is paused: then nobody else decides it. */
export const isPauseDeclared = (
	call: Pick<Call, "declared">,
	team: string,
	pipeline: string,
): boolean => call.declared.pausesOf(team, pipeline).size > 0;

/** Two resources of the program that want one pipeline paused and running. */
export function pauseContradiction(
	call: Pick<Call, "declared" | "urn">,
	{ teamName: team, pipelineName: pipeline, paused }: Props,
): Problem[] {
	if (typeof paused !== "boolean" || containsUnknown([team, pipeline])) return [];
	const all = [...call.declared.pausesOf(team, pipeline)];
	const [other] =
		all.find(([urn, declared]) => urn !== call.urn && declared !== paused) ?? [];
	if (other === undefined) return [];
	return [
		problem(
			"paused",
			`${resourceName(call.urn)} declares pipeline "${String(pipeline)}" ${paused ? "paused" : "not paused"}, and ` +
				`${resourceName(other)} the opposite. A pipeline is paused as a whole, with all its schedules: declare it in one place.`,
		),
	];
}

interface DeclaredPause {
	readonly teamName: string;
	readonly pipelineName: string;
	readonly paused?: boolean | undefined;
}

/** Says that this deployment will pause or resume a pipeline: others may rely on what it is now. */
export async function pauseNotice(
	call: Call,
	{ teamName, pipelineName, paused }: DeclaredPause,
): Promise<void> {
	if (paused === undefined) return;
	const pipeline = await listedPipeline(call, teamName, pipelineName);
	if (pipeline === undefined || isPausedPipeline(pipeline) === paused) return;
	call.notice(
		`Pipeline "${pipelineName}" in team "${teamName}" will be ${paused ? "paused" : "resumed"}: ${resourceName(call.urn)} ` +
			`declares paused as ${paused}. That holds for all its schedules.`,
	);
}
