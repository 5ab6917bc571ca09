import type { Caller } from "./caller";
import type { CallOptions } from "./options";
import type { RequestOf } from "./requests";

/** Compute clusters. */
export const clusterCalls = (caller: Caller) => ({
	list: (query: RequestOf<"listClusters"> = {}, options?: CallOptions) =>
		caller.call("listClusters", query, options),
});
