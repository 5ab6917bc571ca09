import { z } from "zod";
import { LONGEST_TIMER } from "../../schemas/duration";
import { teamName } from "../../schemas/primitives";
import { CallClock } from "../call-clock";
import type { Caller } from "../caller";
import type { ConnectionSettings } from "../connection";
import { InvalidRequestError } from "../errors";
import type { CallFacts } from "../errors/api-error";
import { type CallOptions, type Limits, positive } from "../options";
import { whichObject } from "../redact";
import { pathId, problemsOf } from "../requests";
import type { FollowLogsRequest, LogEvent } from "./follow-types";
import { LogFollower } from "./log-follower";

export const followRequestSchema = z.strictObject({
	job_id: pathId,
	team_name: teamName.optional(),
	no_follow: z.boolean().optional(),
});

export interface FollowSettings {
	readonly connection: ConnectionSettings;
	readonly limits: Limits;
	readonly caller: Caller;
	/** Fires when the client is closed. */
	readonly closed: AbortSignal;
}

/**
 * Follows a job's log until the job has ended and its log is complete. Reconnects by itself; `deadlineMillis`
 * bounds the whole, and without it there is no limit.
 */
export function followLogs(
	settings: FollowSettings,
	request: FollowLogsRequest,
	options: CallOptions = {},
): AsyncIterableIterator<LogEvent> {
	let clock: CallClock | undefined;
	let returned = false;

	async function* run(): AsyncGenerator<LogEvent, void, undefined> {
		const call = factsOf(settings, request);
		const checked = followRequestSchema.safeParse(request);
		if (!checked.success)
			throw InvalidRequestError.unsent({ ...call, attempts: 0 }, problemsOf(checked.error));
		const limit = positive("deadlineMillis", options.deadlineMillis ?? LONGEST_TIMER);
		clock = new CallClock(limit, ...settings.caller.scopes.signalsFor(options.signal), settings.closed);
		try {
			yield* new LogFollower({ ...settings, clock, call, request: checked.data }).run();
		} catch (error) {
			if (!returned) throw error;
		} finally {
			clock.close();
		}
	}

	const events = run();
	return {
		[Symbol.asyncIterator]() {
			return this;
		},
		next: () => events.next(),
		// A generator hears of `return` only when it next yields, which a quiet log may not do for hours.
		return: () => {
			returned = true;
			clock?.cancel();
			return events.return();
		},
	};
}

function factsOf({ connection }: FollowSettings, request: FollowLogsRequest): CallFacts {
	const teamName = request.team_name ?? connection.teamName;
	return {
		what: `follow the log of a job${whichObject({ job_id: request.job_id })} in team ${JSON.stringify(teamName)}`,
		method: "GET",
		path: "/logs/follow/",
		attempts: 1,
		teamName,
		namesObject: true,
		receivedBefore: false,
		baseUrl: connection.baseUrl,
	};
}
