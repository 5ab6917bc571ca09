import type { Pipeline } from "../../../schemas/wire/pipeline";
import type { Schedule, User } from "../../../schemas/wire/schedule";
import { showInstantOf } from "../../../text/instant";
import { type Props, setOnly, without } from "../../model/props";
import { holdSecrets } from "../../model/secrets";
import type { Call } from "../../run/context";
import { timeOuts } from "./check";

/** Everything the resource shows: its inputs, and what the service adds to them. */
export function scheduleOuts(
	call: Call,
	inputs: Props,
	live: Schedule,
	adopted: boolean,
	recorded: Props = {},
): Props {
	const datasets = hidesDatasets(call, live, recorded) ? ["triggeredFrom"] : [];
	const name = holdSecrets(call, ["pipelineName"]) ? ["name"] : [];
	return {
		...inputs,
		scheduleId: live.id,
		nextRun: showInstantOf(live.next_run),
		createdAt: showInstantOf(live.created_at),
		updatedAt: showInstantOf(live.updated_at),
		createdBy: live.created_by ? userOut(live.created_by) : undefined,
		latestRun: live.latest_run
			? without(pipelineSummary(live.latest_run), datasets)
			: undefined,
		pipeline: live.pipeline
			? without(pipelineSummary(live.pipeline), [...name, ...datasets])
			: undefined,
		...timeOuts(inputs, live.start_after, call.time.now(), call.secrets),
		adopted,
		serviceUrl: call.serviceUrl,
	};
}

/**
 * The datasets may be a secret of the Pipeline resource. A refresh may read the schedule first, so what the state leaves
 * out stays left out.
 */
function hidesDatasets(
	{ secretNames }: Call,
	{ pipeline }: Schedule,
	{ pipeline: before }: Props,
): boolean {
	const source = pipeline?.triggered_from ?? "";
	const wasHidden =
		before !== undefined && !Object.hasOwn(Object(before), "triggeredFrom");
	return wasHidden || secretNames.redact(source) !== source;
}

const userOut = (user: User): Props =>
	setOnly({
		username: user.username,
		firstName: user.first_name,
		lastName: user.last_name,
	});

/** Without its environment, error texts and code: they may hold secrets, and the state would show them in plain text. */
const pipelineSummary = (pipeline: Pipeline): Props =>
	setOnly({
		pipelineId: pipeline.pipeline_id,
		name: pipeline.name,
		status: pipeline.status,
		triggeredFrom: pipeline.triggered_from,
		completed: pipeline.completed,
		total: pipeline.total,
		createdAt: showInstantOf(pipeline.created_at),
		updatedAt: showInstantOf(pipeline.updated_at),
	});

/** Without a state, a schedule that runs only once is nothing without its time; otherwise the service's is not managed. */
export const startOf = (outs: Props, live: Schedule): Props =>
	outs.pipelineName === undefined && !live.cron_expression && live.start_after
		? { startAfter: showInstantOf(live.start_after) }
		: {};
