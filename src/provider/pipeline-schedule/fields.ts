import { sameCron } from "../../schemas/cron";
import { sameInstant } from "../../schemas/instant";
import { type FieldTable, sameText } from "../shared/field-table";

const sameStart = sameText(sameInstant);

/** What a changed field does. The API can change everything but the pipeline and the team. */
export const SCHEDULE_FIELDS: FieldTable = {
	scheduleName: { effect: "update" },
	pipelineName: { effect: "replace" },
	teamName: { effect: "replace" },
	cronExpression: {
		effect: "update",
		same: sameText(sameCron),
		// No request takes a cron away from a schedule, so a schedule that shall run only once is made anew.
		effectOf: (old, declared) => (old !== undefined && declared === undefined ? "replace" : "update"),
	},
	startAfter: {
		effect: "update",
		same: sameStart,
	},
	paused: { effect: "update" },
	adopt: { effect: "ignore" },
};
