import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Schedule, User } from "../../schemas/wire/schedule";
import type { Call } from "../context";
import type { Props } from "../handler";
import { setOnly, without } from "../shared/json";
import { holdSecrets } from "../shared/secrets";
import { cronOuts } from "./compile";

/** Everything the resource shows: its inputs, and what the service adds to them. */
export function scheduleOuts(call: Call, inputs: Props, live: Schedule, adopted: boolean): Props {
	return setOnly({
		...inputs,
		scheduleId: live.id,
		nextRun: live.next_run,
		createdAt: live.created_at,
		updatedAt: live.updated_at,
		createdBy: live.created_by ? userOut(live.created_by) : undefined,
		latestRun: live.latest_run ? pipelineSummary(live.latest_run) : undefined,
		pipeline: live.pipeline
			? without(pipelineSummary(live.pipeline), holdSecrets(call, ["pipelineName"]) ? ["name"] : [])
			: undefined,
		...cronOuts(inputs, call.time.now(), call.secrets),
		adopted,
		serviceUrl: call.serviceUrl,
	});
}

const userOut = (user: User): Props =>
	setOnly({ username: user.username, firstName: user.first_name, lastName: user.last_name });

/**
 * A pipeline without its environment, error texts and code: the engine encrypts a value only under the key of a
 * secret input, so a copy of the API's reply would put the pipeline's secrets into the state in clear.
 */
const pipelineSummary = (pipeline: Pipeline): Props =>
	setOnly({
		pipelineId: pipeline.pipeline_id,
		name: pipeline.name,
		status: pipeline.status,
		triggeredFrom: pipeline.triggered_from,
		completed: pipeline.completed,
		total: pipeline.total,
		createdAt: pipeline.created_at,
		updatedAt: pipeline.updated_at,
	});
