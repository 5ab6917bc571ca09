import { isPausedPipeline } from "../schemas/pipeline-status";
import type { Call } from "./context";
import { containsUnknown, type Problem, type Props, problem } from "./handler";
import { resourceName } from "./messages";
import { listedPipeline } from "./outcome";

/** The resources of the program that declare whether the pipeline is paused: it is paused or not, whoever says so. */
const declaredFor = ({ declared }: Pick<Call, "declared">, team: unknown, pipeline: unknown) =>
	[...declared].filter(
		([, { teamName, pipelineName, paused }]) =>
			typeof paused === "boolean" && teamName === team && pipelineName === pipeline,
	);

/** Whether a resource of the program says if the pipeline is paused: then nobody else decides it. */
export const isPauseDeclared = (call: Pick<Call, "declared">, team: string, pipeline: string): boolean =>
	declaredFor(call, team, pipeline).length > 0;

/** Two resources of the program that want one pipeline paused and running. */
export function pauseContradiction(
	call: Pick<Call, "declared" | "urn">,
	{ teamName: team, pipelineName: pipeline, paused }: Props,
): Problem[] {
	if (typeof paused !== "boolean" || containsUnknown([team, pipeline])) return [];
	const all = declaredFor(call, team, pipeline);
	const [other] = all.find(([urn, inputs]) => urn !== call.urn && inputs.paused !== paused) ?? [];
	if (other === undefined) return [];
	return [
		problem(
			"paused",
			`${resourceName(call.urn)} declares pipeline "${String(pipeline)}" ${paused ? "paused" : "not paused"}, and ` +
				`${resourceName(other)} the opposite. A pipeline is paused as a whole, with all its schedules: declare it in one place.`,
		),
	];
}

/** Pauses or resumes the pipeline, which is named by its name or its id. */
export async function sendPause(
	{ client }: Call,
	target: { readonly team_name: string; readonly name?: string; readonly pipeline_id?: string },
	paused: boolean,
): Promise<void> {
	await (paused ? client.pipelines.pause(target) : client.pipelines.resume(target));
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
