import type { RequestOf } from "../schemas/wire/endpoints";
import type { Caller } from "./caller";
import { readJobLogs } from "./logs/job-logs";
import type { CallOptions } from "./options";

/** Jobs: list, create, logs, cancel. Files and log following are added in `client.ts`. */
export const jobCalls = (caller: Caller) => ({
	/** Newest first; the service sends 20 unless `limit` says otherwise. */
	list: (query: RequestOf<"listJobs"> = {}, options?: CallOptions) => caller.call("listJobs", query, options),
	/** Never repeated by itself: each run would start another job. */
	create: (input: RequestOf<"createJob">, options?: CallOptions) => caller.call("createJob", input, options),
	/** The log of an active job as the REST endpoint has it; `followLogs` is complete and live. */
	logs: async (input: RequestOf<"jobLogs">, options?: CallOptions) =>
		readJobLogs(await caller.call("jobLogs", input, options, { allowText: true })),
	cancel: (input: RequestOf<"cancelJob">, options?: CallOptions) => caller.call("cancelJob", input, options),
});
