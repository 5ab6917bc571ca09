import type { RequestOf } from "../schemas/wire/endpoints";
import type { Caller } from "./caller";
import type { CallOptions } from "./options";

/** Pipelines. Pause, resume and removeJob take `name` or `pipeline_id`. */
export const pipelineCalls = (caller: Caller) => ({
	/** Never repeated by itself: each run would make another pipeline. */
	trigger: (input: RequestOf<"triggerPipeline">, options?: CallOptions) =>
		caller.call("triggerPipeline", input, options),
	settings: (input: RequestOf<"updateSettings">, options?: CallOptions) =>
		caller.call("updateSettings", input, options),
	status: (query: RequestOf<"pipelineStatus">, options?: CallOptions) =>
		caller.call("pipelineStatus", query, options),
	/** The service sends 20 unless `limit` says otherwise. */
	list: (query: RequestOf<"listPipelines"> = {}, options?: CallOptions) =>
		caller.call("listPipelines", query, options),
	pause: (input: RequestOf<"pausePipeline">, options?: CallOptions) =>
		caller.call("pausePipeline", input, options),
	resume: (input: RequestOf<"resumePipeline">, options?: CallOptions) =>
		caller.call("resumePipeline", input, options),
	/** Only a PENDING job of a PAUSED pipeline can be removed. Never repeated by itself. */
	removeJob: (input: RequestOf<"removeJob">, options?: CallOptions) =>
		caller.call("removeJob", input, options),
});
