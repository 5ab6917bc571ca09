import { isPausedPipeline } from "../schemas/pipeline-status";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { Call } from "./context";
import { containsUnknown, type Problem, type Props, problem } from "./handler";
import { resourceName } from "./messages";

/** Which resources of the program declare whether a pipeline is paused: a pipeline is paused or not, whoever says so. */
export class DeclaredPauses {
	private readonly byPipeline = new Map<string, Map<string, boolean>>();

	/** Notes what the resource declares; undefined takes it back. Answers who declares the opposite. */
	declare(urn: string, team: string, pipeline: string, paused: boolean | undefined): string | undefined {
		for (const declared of this.byPipeline.values()) declared.delete(urn);
		if (paused === undefined) return undefined;
		const key = JSON.stringify([team, pipeline]);
		const declared = this.byPipeline.get(key) ?? new Map<string, boolean>();
		this.byPipeline.set(key, declared);
		const opposite = [...declared].find(([, value]) => value !== paused)?.[0];
		declared.set(urn, paused);
		return opposite;
	}

	/** Whether a resource of the program says if the pipeline is paused: then nobody else decides it. */
	isDeclared(team: string, pipeline: string): boolean {
		return (this.byPipeline.get(JSON.stringify([team, pipeline]))?.size ?? 0) > 0;
	}
}

/** Two resources of the program that want one pipeline paused and running. */
export function pauseContradiction(
	call: Call,
	{ teamName: team, pipelineName: pipeline, paused }: Props,
): Problem[] {
	if (containsUnknown([team, pipeline, paused])) return [];
	const declared = typeof paused === "boolean" ? paused : undefined;
	const other = call.pauses.declare(call.urn, String(team), String(pipeline), declared);
	if (other === undefined) return [];
	return [
		problem(
			"paused",
			`${resourceName(call.urn)} declares pipeline "${String(pipeline)}" ${paused ? "paused" : "not paused"}, and ` +
				`${resourceName(other)} the opposite. A pipeline is paused as a whole, with all its schedules: declare it in one place.`,
		),
	];
}

/** The pipeline as a recent list shows it. */
export const listedPipeline = async (call: Call, team: string, name: string): Promise<Pipeline | undefined> =>
	(await call.lists.cachedPipelines(team)).find((pipeline) => pipeline.name === name);

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
