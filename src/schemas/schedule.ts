import { z } from "zod";
import { pipelineSchema } from "./pipeline";
import { apiObject, idReply, inTeam, integer, runTimes, shown, shownText, timestamp } from "./primitives";

export const userSchema = apiObject("User", {
	username: shownText,
	first_name: shownText,
	last_name: shownText,
});

/** A job names its creator by a text, and a schedule may do so too. */
const userOf = (value: unknown): unknown => (typeof value === "string" ? { username: value } : value);

/** Element of the schedule list. */
export const scheduleItemSchema = apiObject("PipelineScheduleItem", {
	id: idReply,
	schedule_name: z.string().nullish(),
	created_at: timestamp.nullish(),
	updated_at: timestamp.nullish(),
	start_after: timestamp.nullish(),
	cron_expression: z.string().nullish(),
	next_run: shown(timestamp),
	created_by: shown(z.preprocess(userOf, userSchema)),
});

export const scheduleSchema = apiObject("PipelineSchedule", {
	...scheduleItemSchema.shape,
	latest_run: shown(pipelineSchema),
	pipeline: pipelineSchema.nullish(),
});

export const scheduleOutputSchema = apiObject("PipelineScheduleUpdateOutput", {
	ok: shown(z.boolean()),
	schedule: scheduleSchema.nullish(),
});

export const deleteScheduleOutputSchema = apiObject("DeletePipelineScheduleOutput", {
	ok: shown(z.boolean()),
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
	pause_pipeline: z.boolean().optional().describe("true pauses the schedule's pipeline"),
};

export const oneScheduleShape = { ...inTeam, schedule_id: integer };
