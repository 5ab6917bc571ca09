import { z } from "zod";
import { teamName } from "../../schemas/primitives";
import { pathId } from "../requests";

/** What to follow. */
export const followRequestSchema = z.strictObject({
	job_id: pathId,
	team_name: teamName.optional(),
	/** Passed on as it is. The log then ends when the service closes it, whether the job has ended or not. */
	no_follow: z.boolean().optional(),
});

export type FollowLogsRequest = z.infer<typeof followRequestSchema>;
