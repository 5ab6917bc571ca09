import { z } from "zod";
import {
	apiObject,
	countReply,
	integerOrStringId,
	lenient,
	shownText,
} from "./primitives";

export const clusterSchema = apiObject("ComputeClusterOutput", {
	id: integerOrStringId.describe("the service's id of the cluster"),
	name: z.string().describe("name of the cluster"),
	status: shownText.describe("such as `ACTIVE`"),
	cloud_provider: shownText.describe("such as `AWS`"),
	cloud_credentials: shownText.describe("name of a set of credentials"),
	is_active: lenient(z.boolean()).describe("whether it takes jobs"),
	default: lenient(z.boolean()).describe("true for the team's default cluster"),
	max_workers: lenient(countReply).describe("how many workers it may have at most"),
	// Not in the REST document; the deployed service sends them and its own client needs them.
	cloud_region: shownText.describe("region of the cloud provider, such as `us-east-1`"),
	instance_type: shownText.describe(
		"type of its machines, as the cloud provider calls it",
	),
	compute_class: shownText.describe("class of its machines, as the service calls it"),
	disk_size: shownText.describe("disk size of each machine"),
	active_workers: lenient(countReply).describe("how many workers it has now"),
	busy_workers: lenient(countReply).describe("how many of them run a job"),
});
