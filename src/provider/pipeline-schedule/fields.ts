import { z } from "zod";
import { normalizeCron, sameCron } from "../../schemas/cron";
import { inUtc, parseInstant, sameInstant } from "../../schemas/instant";
import { isPausedPipeline } from "../../schemas/pipeline-status";
import { objectName, teamName } from "../../schemas/primitives";
import { cronProblem, timeZoneProblem } from "../../schemas/schedule-args";
import type { Schedule } from "../../schemas/wire/schedule";
import { sameText, type Table } from "../shared/table";

const showsPipeline = ({ pipeline }: Schedule): boolean => pipeline !== null && pipeline !== undefined;

const rows = {
	scheduleName: {
		schema: objectName,
		wire: "schedule_name",
		change: "update",
		read: (live) => live.schedule_name,
	},
	pipelineName: {
		schema: objectName,
		wire: "pipeline_name",
		// No request moves a schedule to another pipeline.
		change: "replace",
		read: (live) => live.pipeline?.name,
		shown: showsPipeline,
	},
	cronExpression: {
		schema: z
			.string('must be a text such as "0 3 * * *"')
			.superRefine((text, context) => {
				const message = cronProblem(text, new Date());
				if (message !== undefined) context.addIssue({ code: "custom", message });
			})
			.optional(),
		wire: "cron_expression",
		// No request takes a cron away from a schedule, so a schedule that shall run only once is made anew.
		change: (old, declared) => (old !== undefined && declared === undefined ? "replace" : "update"),
		same: sameText(sameCron),
		// The service knows the compiled one only, which has a row of its own.
		read: (live, { utcCron, cronExpression }) =>
			utcCron === undefined ? live.cron_expression || undefined : cronExpression,
		write: (text, { utcCron }) => normalizeCron(String(utcCron ?? text)),
	},
	timeZone: {
		schema: z
			.string('must be a text such as "Europe/Berlin"')
			.superRefine((text, context) => {
				const message = timeZoneProblem(text);
				if (message !== undefined) context.addIssue({ code: "custom", message });
			})
			.optional(),
		change: "update",
	},
	/** Filled in by `check`, where the expression has an H or a time zone; an input, so that the engine's diff shows it. */
	utcCron: {
		schema: z.string().optional(),
		wire: "cron_expression",
		change: "update",
		same: sameText(sameCron),
		read: (live) => live.cron_expression || undefined,
		write: (text) => normalizeCron(String(text)),
		optional: true,
	},
	startAfter: {
		schema: z
			.string('must be a text such as "2026-01-31T03:00:00Z"; a Date gives it with toISOString()')
			.refine((text) => parseInstant(text) !== undefined, {
				error: 'is not a date-time that exists; write it as "2026-01-31T03:00:00Z"',
			})
			.optional(),
		wire: "start_after",
		change: "update",
		same: sameText(sameInstant),
		read: (live) => live.start_after || undefined,
		write: (text) => inUtc(String(text)),
		optional: true,
	},
	paused: {
		schema: z.boolean("must be true or false").optional(),
		wire: "pause_pipeline",
		change: "update",
		// Pause acts on the schedule's pipeline; a schedule has no state of its own.
		read: (live) => isPausedPipeline(live.pipeline),
		shown: showsPipeline,
		optional: true,
	},
	teamName: { schema: teamName, change: "replace" },
	adopt: { schema: z.boolean("must be true or false").optional(), change: "none" },
} as const satisfies Table<Schedule>;

/** Inputs of the PipelineSchedule resource, one row each. */
export const SCHEDULE_FIELDS: Table<Schedule> = rows;

/** The inputs after `check`: defaults filled in. */
export type ScheduleArgs = { readonly [Name in keyof typeof rows]: z.infer<(typeof rows)[Name]["schema"]> };

/** What a create request carries; the pipeline's pause has requests of its own. */
export const CREATE_FIELDS = ["scheduleName", "pipelineName", "cronExpression", "startAfter"] as const;
/** What an update request carries. */
export const UPDATE_FIELDS = ["scheduleName", "cronExpression", "utcCron", "startAfter", "paused"] as const;
