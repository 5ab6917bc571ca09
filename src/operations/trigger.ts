import type { CallOptions } from "../client";
import { pollUntilDefinedAfterWrite } from "../client/read-back";
import { isTriggeredFrom } from "../schemas/dataset";
import { isPausedPipeline, isRunOfASchedule } from "../schemas/pipeline-status";
import type { Pipeline, PipelineOutput } from "../schemas/wire/pipeline";
import type { ListMoment, OperationContext } from "./context";
import {
	BeforeRequest,
	type CreateRequest,
	createExactlyOnce,
	failureIsUndefined,
} from "./create-once";
import { getPipeline, nameOrId } from "./pipelines";

/** A pipeline that is to be created, and who may say that another one is theirs. */
export interface PipelineTrigger
	extends Pick<CreateRequest<unknown, Pipeline>, "advice"> {
	readonly team: string;
	readonly datasets: readonly string[];
	/** Whether it starts at once; else it is created paused. */
	readonly startsAtOnce: boolean;
	/** Whether nobody has this pipeline yet. */
	isFree(pipeline: Pipeline): boolean;
}

const asItem = ({ pipeline_id, created_at }: Pipeline) => ({
	id: pipeline_id,
	created_at,
});

/**
 * Sends the trigger once; if the response is lost or names something else, the pipeline is searched for in the list. `all`
 * are the pipelines of the team just before.
 */
export function triggerPipeline(
	context: OperationContext,
	{ team, datasets, startsAtOnce, isFree, advice }: PipelineTrigger,
	all: readonly Pipeline[],
): Promise<Pipeline> {
	const before = new BeforeRequest(all.map(asItem));
	const mayBeMade = (live: Pipeline) =>
		before.mayHaveMade(asItem(live)) && !isRunOfASchedule(live);
	const isOfDatasets = ({ triggered_from }: Pipeline) =>
		isTriggeredFrom(triggered_from, datasets);
	const request = { team_name: team, datasets: [...datasets], review: !startsAtOnce };
	const send = (options: CallOptions) =>
		context.client.pipelines.trigger(request, options);
	const identify = async ({ pipeline: named }: PipelineOutput) => {
		if (!named) return "the response named no pipeline.";
		const live = await readSoon(context, team, named);
		const subject = `the response named pipeline "${nameOrId(named)}", which`;
		if (live === undefined) return `${subject} could not be read.`;
		if (!mayBeMade(live))
			return `${subject} is not the one that was asked for and was not changed.`;
		// Without its datasets, the id in the response is all there is.
		if (!live.triggered_from || isOfDatasets(live)) return live;
		return (
			`${subject} is shown as triggered from ${live.triggered_from} and was not changed. If these are the declared datasets in ` +
			"another spelling, pause that pipeline, and declare them as they are shown."
		);
	};
	const candidates = async (since?: ListMoment): Promise<Pipeline[]> => {
		const now = await context.lists.pipelines(team, since ?? "now");
		return now.filter(
			(pipeline) =>
				mayBeMade(pipeline) &&
				isOfDatasets(pipeline) &&
				isPausedPipeline(pipeline) === request.review &&
				isFree(pipeline),
		);
	};
	return createExactlyOnce(context, {
		subject: `a pipeline of ${datasets.join(", ")}`,
		team,
		listedBy: "pipelines",
		send,
		identify,
		candidates,
		describe: (live) => `pipeline "${nameOrId(live)}"`,
		advice,
	});
}

/** The pipeline as a read shows it. */
async function readSoon(
	context: OperationContext,
	team: string,
	{ name, pipeline_id }: Pipeline,
): Promise<Pipeline | undefined> {
	if (!name) return undefined;
	return pollUntilDefinedAfterWrite(context, "Pipeline", async () => {
		const live = await getPipeline(context, team, name).catch(failureIsUndefined);
		return live?.pipeline_id === pipeline_id ? live : undefined;
	});
}
