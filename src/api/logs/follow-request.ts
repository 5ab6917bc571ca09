/** What to follow. */
export interface FollowLogsRequest {
	job_id: string;
	/** Default: the client's team. */
	team_name?: string | undefined;
	/** Passed on as it is. The log then ends when the service closes it, whether the job has ended or not. */
	no_follow?: boolean | undefined;
}
