import { z } from "zod";
import { apiObject, countReply, integerOrStringId, shown, shownText } from "./primitives";

export const clusterSchema = apiObject("ComputeClusterOutput", {
	id: integerOrStringId,
	name: z.string(),
	status: shownText,
	cloud_provider: shownText,
	cloud_credentials: shownText.describe("name of a credentials set"),
	is_active: shown(z.boolean()),
	default: shown(z.boolean()),
	max_workers: shown(countReply),
	// Not in the REST document; the deployed service sends them and its own client needs them.
	cloud_region: shownText,
	instance_type: shownText,
	compute_class: shownText,
	disk_size: shownText,
	active_workers: shown(countReply),
	busy_workers: shown(countReply),
});
