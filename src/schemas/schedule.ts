import { z } from "zod";
import { pipelineSchema } from "./pipeline";
import {
	apiObject,
	idReply,
	inTeam,
	integer,
	lenient,
	runTimes,
	shownText,
	timestamp,
} from "./primitives";

export const userSchema = apiObject("User", {
	username: shownText.describe("user name"),
	first_name: shownText.describe("first name"),
	last_name: shownText.describe("last name"),
});

/** A job names its creator by a text, and a schedule may do so too. */
const userOf = (value: unknown): unknown =>
	typeof value === "string" ? { username: value } : value;

/** Element of the schedule list. */
export const scheduleItemSchema = apiObject("PipelineScheduleItem", {
	id: idReply.describe("the service's id of the schedule"),
	schedule_name: z.string().nullish().describe("name of the schedule"),
	created_at: timestamp.nullish().describe("when it was created"),
	updated_at: timestamp.nullish().describe("when it was last changed"),
	start_after: timestamp.nullish().describe("time before which it does not run"),
	cron_expression: z.string().nullish().describe("its cron expression in UTC"),
	next_run: lenient(timestamp).describe(
		"when it runs next, as the service computes it",
	),
	created_by: lenient(z.preprocess(userOf, userSchema)).describe("who created it"),
});

export const scheduleSchema = apiObject("PipelineSchedule", {
	...scheduleItemSchema.shape,
	latest_run: lenient(pipelineSchema).describe(
		"the newest run that the schedule started",
	),
	pipeline: pipelineSchema.nullish().describe("the pipeline that the schedule runs"),
});

export const scheduleOutputSchema = apiObject("PipelineScheduleUpdateOutput", {
	ok: lenient(z.boolean()),
	schedule: scheduleSchema.nullish(),
});

export const deletedScheduleSchema = apiObject("DeletePipelineScheduleOutput", {
	ok: lenient(z.boolean()),
});

export const createScheduleShape = {
	schedule_name: z.string().min(1),
	...inTeam,
	pipeline_name: z.string().min(1),
	...runTimes,
};

export const updateScheduleShape = {
	schedule_name: z.string().min(1).optional(),
	...inTeam,
	schedule_id: integer,
	...runTimes,
	pause_pipeline: z
		.boolean()
		.optional()
		.describe("true pauses the schedule's pipeline"),
};

export const oneScheduleShape = { ...inTeam, schedule_id: integer };
