import type { RequestOf } from "../schemas/wire/endpoints";
import type { Caller } from "./caller";
import type { CallOptions } from "./options";

/** Compute clusters. */
export const clusterCalls = (caller: Caller) => ({
	list: (query: RequestOf<"listClusters"> = {}, options?: CallOptions) =>
		caller.call("listClusters", query, options),
});
