import { isTypeOf } from "../../schemas/kinds";
import { isPausedPipeline } from "../../schemas/pipeline-status";
import type { Call } from "../context";
import type { Props } from "../handler";
import { parseUrn, resourceName } from "../urn";
import { isUnknown } from "./unknown";

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
	const pipelines = await call.lists.glancePipelines(teamName);
	const pipeline = pipelines.find(({ name }) => name === pipelineName);
	if (pipeline === undefined || isPausedPipeline(pipeline) === paused) return;
	call.notice(
		`Pipeline "${pipelineName}" in team "${teamName}" will be ${paused ? "paused" : "resumed"}: ${resourceName(call.urn)} ` +
			`declares paused: ${paused}. That holds for all its schedules.`,
	);
}

/** A schedule of a paused pipeline counts on and never runs it; where nobody says that this is meant, it is told. */
export async function neverRunsNotice(
	call: Call,
	{ teamName, pipelineName, paused }: DeclaredPause,
): Promise<void> {
	if (paused !== undefined || call.pauses.isDeclared(teamName, pipelineName)) return;
	const pipelines = await call.lists.glancePipelines(teamName);
	const pipeline = pipelines.find(({ name }) => name === pipelineName);
	if (!isPausedPipeline(pipeline)) return;
	call.notice(
		`Pipeline "${pipelineName}" in team "${teamName}" is paused, so schedule ${resourceName(call.urn)} never runs it. Declare ` +
			"paused: false on the schedule to resume it, or paused: true where that is meant, unless another resource of this " +
			"program does.",
	);
}

/**
 * The same for a pipeline whose name is not known yet: one that this program makes is made paused, and runs where the
 * schedule resumes it.
 */
export function madePausedNotice(call: Call, { pipelineName, paused }: Props): void {
	if (!call.preview || !isUnknown(pipelineName) || paused === true) return;
	const madePaused = [...call.declared].filter(
		([urn, { start }]) => isTypeOf("Pipeline", parseUrn(urn)?.type ?? "") && start !== true,
	);
	const [first] = madePaused;
	if (first === undefined) return;
	const which = madePaused.length === 1 ? resourceName(first[0]) : "one that this program makes";
	const then =
		paused === false
			? "it is made paused and then resumed, and its jobs run: the schedule declares paused: false."
			: "it is made paused, and the schedule never runs it. Declare paused: false on the schedule to resume it, or start: true " +
				"on the pipeline.";
	call.notice(
		`Schedule ${resourceName(call.urn)}: its pipeline is not known yet. If it is ${which}, ${then}`,
	);
}
