import type { JobRun, Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import type { Props } from "../handler";
import { compact } from "../shared/json";
import type { Step } from "./steps";

/** How far a pipeline that is there has been brought to what is declared. */
interface Progress {
	readonly pending: readonly Step[];
	readonly removedJobs: readonly string[];
}

/** The inputs, and what the service adds to them; never its settings or error texts, which may hold secrets. */
export function pipelineOuts(
	call: Pick<Call, "serviceUrl">,
	inputs: Props,
	pipeline: Pipeline,
	{ pending, removedJobs }: Progress,
): Props {
	return compact({
		...inputs,
		name: pipeline.name,
		pipelineId: pipeline.pipeline_id,
		status: pipeline.status,
		jobRuns: (pipeline.job_runs ?? []).map(jobRunOut),
		completed: pipeline.completed,
		total: pipeline.total,
		triggeredFrom: pipeline.triggered_from,
		createdAt: pipeline.created_at,
		// What a deployment that failed half-way has not done yet.
		pending: pending.length > 0 ? pending : undefined,
		removedJobs: removedJobs.length > 0 ? removedJobs : undefined,
		serviceUrl: call.serviceUrl,
	});
}

const jobRunOut = (run: JobRun): Props =>
	compact({ name: run.name, status: run.status, jobId: run.created_job_id ?? run.job_id });
