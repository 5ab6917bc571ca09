import { z } from "zod";
import { CronError, cronHint, parseCron } from "./cron";
import { parseInstant } from "./instant";
import { objectName, teamName } from "./primitives";

/** Inputs of the PipelineSchedule resource, as they reach the provider: camelCase, defaults filled in. */
export const scheduleArgsShape = {
	scheduleName: objectName,
	pipelineName: objectName,
	cronExpression: z
		.string()
		.superRefine((text, context) => {
			const message = cronProblem(text, new Date());
			if (message !== undefined) context.addIssue({ code: "custom", message });
		})
		.optional(),
	startAfter: z
		.string()
		.refine((text) => parseInstant(text) !== undefined, {
			error: 'is not a date-time that exists; write it as "2026-01-31T03:00:00Z"',
		})
		.optional(),
	paused: z.boolean(),
	teamName,
	adopt: z.boolean().optional(),
};

export type ScheduleArgs = z.infer<z.ZodObject<typeof scheduleArgsShape>>;

export const SCHEDULE_INPUTS = Object.keys(scheduleArgsShape) as (keyof ScheduleArgs)[];

/** Why an expression cannot be used, with what was probably meant; undefined where it can. */
export function cronProblem(text: string, now: Date): string | undefined {
	try {
		parseCron(text);
		return undefined;
	} catch (error) {
		if (!(error instanceof CronError)) throw error;
		return error.message + cronHint(text, now);
	}
}
