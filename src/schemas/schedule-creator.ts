/** Who made a schedule, as resources and lookups show it. */
export interface ScheduleCreator {
	username?: string;
	firstName?: string;
	lastName?: string;
}
