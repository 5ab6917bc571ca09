import { z } from "zod";
import { scheduleSchema } from "./report";

const timeSchema = scheduleSchema
	.pick({ cron: true, declared: true, timeZone: true, meaning: true })
	.nullable();

const changeSchema = z.object({
	...scheduleSchema.pick({ name: true, team: true, pipeline: true, resource: true }).shape,
	how: z.enum(["added", "removed", "changed"]),
	before: timeSchema,
	after: timeSchema,
	/** Numbers of runs in the window. One that moves within its day counts as moved only. */
	added: z.int(),
	removed: z.int(),
	moved: z.int(),
	kept: z.int(),
	/** The first of them: `from` alone goes, `to` alone comes, both is moved. */
	examples: z.array(z.object({ from: z.string().nullable(), to: z.string().nullable() })),
});

/** What `pulumi-datachain forecast --compare --json` prints. Documented in docs/forecast.md. */
export const comparisonSchema = z.object({
	schemaVersion: z.literal(1),
	madeAt: z.string(),
	from: z.string(),
	to: z.string(),
	stack: z.string().nullable(),
	summary: z.object({ added: z.int(), removed: z.int(), moved: z.int(), kept: z.int() }),
	/** Only those that change. */
	schedules: z.array(changeSchema),
	notes: z.array(z.string()),
});

export type Comparison = z.infer<typeof comparisonSchema>;
export type ScheduleChange = z.infer<typeof changeSchema>;
