// Made from the schemas by `npm run schema`; a test compares them.
import type { Pipeline } from "./pipeline";

export interface User {
	[field: string]: unknown;
	username?: string | null | undefined;
	first_name?: string | null | undefined;
	last_name?: string | null | undefined;
}

export interface ScheduleItem {
	[field: string]: unknown;
	id: number;
	schedule_name?: string | null | undefined;
	/** ISO 8601 UTC date-time. */
	created_at?: string | null | undefined;
	/** ISO 8601 UTC date-time. */
	updated_at?: string | null | undefined;
	/** ISO 8601 UTC date-time. */
	start_after?: string | null | undefined;
	cron_expression?: string | null | undefined;
	/** ISO 8601 UTC date-time. */
	next_run?: string | null | undefined;
	created_by?: User | null | undefined;
}

export interface Schedule extends ScheduleItem {
	latest_run?: Pipeline | null | undefined;
	pipeline?: Pipeline | null | undefined;
}

export interface ScheduleOutput {
	[field: string]: unknown;
	ok?: boolean | null | undefined;
	schedule?: Schedule | null | undefined;
}

export interface DeletedSchedule {
	[field: string]: unknown;
	ok?: boolean | null | undefined;
}
