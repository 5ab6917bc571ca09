/** Who made a schedule, as resources and lookups show it. */
export interface ScheduleCreator {
	/** User name. */
	username?: string;
	/** First name. */
	firstName?: string;
	/** Last name. */
	lastName?: string;
}
