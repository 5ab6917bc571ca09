import { z } from "zod";
import { apiObject, countReply, integerOrStringId } from "./primitives";

export const clusterSchema = apiObject("ComputeClusterOutput", {
	id: integerOrStringId,
	name: z.string(),
	status: z.string().nullish(),
	cloud_provider: z.string().nullish(),
	cloud_credentials: z.string().nullish().describe("name of a credentials set"),
	is_active: z.boolean().nullish(),
	default: z.boolean().nullish(),
	max_workers: countReply.nullish(),
	// Not in the REST document; the deployed service sends them and its own client needs them.
	cloud_region: z.string().nullish(),
	instance_type: z.string().nullish(),
	compute_class: z.string().nullish(),
	disk_size: z.string().nullish(),
	active_workers: countReply.nullish(),
	busy_workers: countReply.nullish(),
});
