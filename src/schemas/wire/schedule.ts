import type { InTeam, Optional, Reply } from "./fields";
import type { Pipeline } from "./pipeline";

export interface User extends Reply<{ username: string; first_name: string; last_name: string }> {}

interface ItemFields {
	schedule_name: string;
	created_at: string;
	updated_at: string;
	start_after: string;
	cron_expression: string;
	next_run: string;
	created_by: User;
}

/** Element of the schedule list. */
export interface ScheduleItem extends Reply<ItemFields> {
	id: number;
}

export interface Schedule extends Reply<ItemFields & { latest_run: Pipeline; pipeline: Pipeline }> {
	id: number;
}

export interface ScheduleOutput extends Reply<{ schedule: Schedule }> {
	ok: boolean;
}

interface Times {
	/** ISO 8601 date-time. */
	start_after: string;
	/** Five-field cron expression or macro. */
	cron_expression: string;
}

export interface CreateSchedule extends InTeam, Optional<Times> {
	schedule_name: string;
	pipeline_name: string;
}

/** Names one schedule. */
export interface OneSchedule extends InTeam {
	schedule_id: number;
}

export interface UpdateSchedule extends OneSchedule, Optional<Times & { schedule_name: string }> {
	/** True pauses the schedule's pipeline. */
	pause_pipeline?: boolean | undefined;
}
