import { z } from "zod";
import { pipelineSchema } from "./pipeline";
import { apiObject, idReply, inTeam, integer, runTimes, timestamp } from "./primitives";

export const userSchema = apiObject("User", {
	username: z.string().nullish(),
	first_name: z.string().nullish(),
	last_name: z.string().nullish(),
});

/** Element of the schedule list. */
export const scheduleItemSchema = apiObject("PipelineScheduleItem", {
	id: idReply,
	schedule_name: z.string().nullish(),
	created_at: timestamp.nullish(),
	updated_at: timestamp.nullish(),
	start_after: timestamp.nullish(),
	cron_expression: z.string().nullish(),
	next_run: timestamp.nullish(),
	created_by: userSchema.nullish(),
});

export const scheduleSchema = apiObject("PipelineSchedule", {
	...scheduleItemSchema.shape,
	latest_run: pipelineSchema.nullish(),
	pipeline: pipelineSchema.nullish(),
});

export const scheduleOutputSchema = apiObject("PipelineScheduleUpdateOutput", {
	ok: z.boolean().nullish(),
	schedule: scheduleSchema.nullish(),
});

export const deleteScheduleOutputSchema = apiObject("DeletePipelineScheduleOutput", {
	ok: z.boolean().nullish(),
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
