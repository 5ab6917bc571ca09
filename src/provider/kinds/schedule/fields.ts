import { z } from "zod";
import { cronProblem, normalizeCron, sameCron, timeZoneProblem } from "../../../cron";
import { isPausedPipeline } from "../../../schemas/pipeline-status";
import { objectName, teamName } from "../../../schemas/primitives";
import type { Schedule } from "../../../schemas/wire/schedule";
import {
	inUtc,
	parseInstant,
	sameInstant,
	showInstant,
	showInstantOf,
} from "../../../text/instant";
import type { Props } from "../../model/props";
import { sameText, type Table } from "../../model/table";

const showsPipeline = ({ pipeline }: Schedule): boolean =>
	pipeline !== null && pipeline !== undefined;
const BOTH = ["create", "update"] as const;

function checkStart(text: string, context: z.RefinementCtx): void {
	if (parseInstant(text) !== undefined) return;
	const withoutValue =
		'is not a date-time that exists; write it as "2026-01-31T03:00:00Z"';
	const message = `${JSON.stringify(text.slice(0, 100))} ${withoutValue}.${meantInstant(text)}`;
	context.addIssue({ code: "custom", message, params: { withoutValue } });
}

/** A text of JavaScript's own, as from `String(new Date())`, names its offset; without one, nobody can tell the moment. */
function meantInstant(text: string): string {
	const millis = /GMT|UTC/.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(millis) ? "" : ` Did you mean "${showInstant(millis)}"?`;
}

const rows = {
	scheduleName: {
		schema: objectName,
		wire: "schedule_name",
		sent: BOTH,
		change: "update",
		fromLive: (live) => live.schedule_name,
	},
	pipelineName: {
		schema: objectName,
		wire: "pipeline_name",
		sent: ["create"],
		// No request moves a schedule to another pipeline.
		change: "replace",
		fromLive: (live) => live.pipeline?.name,
		isReported: showsPipeline,
	},
	cronExpression: {
		schema: z
			.string('must be a string such as "0 3 * * *"')
			.superRefine((text, context) => {
				const message = cronProblem(text, new Date());
				if (message !== undefined) context.addIssue({ code: "custom", message });
			})
			.optional(),
		wire: "cron_expression",
		sent: BOTH,
		// No request removes the cron of a schedule, so one that is to run only once is replaced.
		change: (old, declared) =>
			old !== undefined && declared === undefined ? "replace" : "update",
		same: sameText(sameCron),
		// The service knows the compiled one only, which has a row of its own.
		fromLive: (live, { utcCron, cronExpression }) =>
			utcCron === undefined ? live.cron_expression || undefined : cronExpression,
		write: (text, { utcCron }) => normalizeCron(String(utcCron ?? text)),
	},
	timeZone: {
		schema: z
			.string('must be a string such as "Europe/Berlin"')
			.superRefine((text, context) => {
				const message = timeZoneProblem(text);
				if (message !== undefined) context.addIssue({ code: "custom", message });
			})
			.optional(),
		change: "update",
	},
	/** Filled in by `check`, if the expression has an H or a time zone; an input, so that the engine's diff shows it. */
	utcCron: {
		schema: z.string().optional(),
		wire: "cron_expression",
		sent: BOTH,
		change: "update",
		same: sameText(sameCron),
		fromLive: (live) => live.cron_expression || undefined,
		write: (text) => normalizeCron(String(text)),
		optional: true,
		filledIn: true,
	},
	startAfter: {
		schema: z
			.string('must be a string such as "2026-01-31T03:00:00Z"')
			.superRefine(checkStart)
			.optional(),
		wire: "start_after",
		sent: BOTH,
		change: "update",
		same: sameText(sameInstant),
		fromLive: (live) => showInstantOf(live.start_after) ?? undefined,
		write: (text) => inUtc(String(text)),
		optional: true,
	},
	paused: {
		schema: z.boolean("must be true or false").optional(),
		wire: "pause_pipeline",
		// Pause acts on the schedule's pipeline; a schedule has no state of its own.
		sent: ["update"],
		change: "update",
		fromLive: (live) => isPausedPipeline(live.pipeline),
		isReported: showsPipeline,
		optional: true,
	},
	teamName: { schema: teamName, change: "replace" },
	adopt: { schema: z.boolean("must be true or false").optional(), change: "none" },
} as const satisfies Table<Schedule>;

/** Inputs of the PipelineSchedule resource, one row each. */
export const SCHEDULE_FIELDS: Table<Schedule> = rows;

/** The inputs after `check`: defaults filled in. */
export type ScheduleArgs = {
	readonly [Name in keyof typeof rows]: z.infer<(typeof rows)[Name]["schema"]>;
};
export const argsOf = (inputs: Props): ScheduleArgs =>
	inputs as unknown as ScheduleArgs;
