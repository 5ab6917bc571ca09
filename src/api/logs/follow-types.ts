/** What to follow. */
export interface FollowLogsRequest {
	job_id: string;
	/** Default: the client's team. */
	team_name?: string | undefined;
	/** Passed on as it is. The log then ends when the service closes it, whether the job has ended or not. */
	no_follow?: boolean | undefined;
}

/** What a followed log gives: its lines in order, each once, and the job's status whenever it changes. */
export type LogEvent =
	| {
			readonly type: "line";
			/** The service's number of the line; lines from a stored log have none. */
			readonly id?: number;
			/** As the service sent it, usually with its newline. */
			readonly message: string;
	  }
	| { readonly type: "status"; readonly status: string };
