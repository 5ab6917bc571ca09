import { z } from "zod";
import { clockChangeShape } from "./drift-report";

/** `later`: not in the window, but after it. `never`: nothing will ever run it again. */
const SCHEDULE_STATUSES = ["runs", "later", "paused", "never", "unreadable"] as const;

const scheduleSchema = z.object({
	name: z.string(),
	team: z.string(),
	pipeline: z.string().nullable(),
	id: z.string().nullable(),
	/** Name of the resource in the program; null for one that the stack does not manage. */
	resource: z.string().nullable(),
	/** The service's expression, in UTC; null for a schedule that runs once, and if it is not known. */
	cron: z.string().nullable(),
	/** The declared expression, if that is another one because of `timeZone` or H. */
	declared: z.string().nullable(),
	timeZone: z.string().nullable(),
	meaning: z.string().nullable(),
	status: z.enum(SCHEDULE_STATUSES),
	/** Why it does not run, in plain words; null if it does. */
	why: z.string().nullable(),
	/** Runs in the window. */
	count: z.int(),
	/** The next run, also if that is after the window. */
	next: z.string().nullable(),
	/** Every run in the window; left out if only the numbers were asked for. */
	runs: z.array(z.string()).optional(),
});

const overlapSchema = z.object({
	pipeline: z.string(),
	team: z.string(),
	/** Median of the finished runs that the service shows. */
	typicalSeconds: z.int(),
	seen: z.int(),
	/** The shortest time between two starts in the window. */
	shortestGapSeconds: z.int(),
	/** Starts in the window while the run before is still under way. */
	times: z.int(),
	firstAt: z.string(),
});

const clusterSchema = z.object({
	name: z.string(),
	/** Null if the service does not say. */
	maxWorkers: z.int().nullable(),
	peakWorkers: z.int(),
	peakAt: z.string().nullable(),
	/** Minutes of the window in which more is expected than there is. */
	minutesOver: z.int(),
});

const clockChangeSchema = z.object({ name: z.string(), team: z.string(), ...clockChangeShape });

/** What `pulumi-datachain forecast --json` prints. Documented in docs/forecast.md; a breaking change raises the version. */
export const forecastReportSchema = z.object({
	schemaVersion: z.literal(1),
	madeAt: z.string(),
	from: z.string(),
	/** Just behind the window. */
	to: z.string(),
	/** By whose clocks days and hours are counted. Instants are in UTC all the same. */
	timeZone: z.string(),
	source: z.enum(["stack", "live"]),
	stack: z.string().nullable(),
	teams: z.array(z.string()),
	summary: z.object({
		schedules: z.int(),
		runs: z.int(),
		paused: z.int(),
		never: z.int(),
		unreadable: z.int(),
		overlapping: z.int(),
	}),
	/** All runs of the window by weekday, Monday first, and hour: a weekday that occurs more often has more. */
	heat: z.array(z.array(z.int())),
	/** In the same form the runs of the busiest such hour; and by weekday those of the busiest such day. */
	busiestByHour: z.array(z.array(z.int())),
	busiestByDay: z.array(z.int()),
	/** The hours with the most runs, busiest first. */
	busiestHours: z.array(z.object({ at: z.string(), runs: z.int() })),
	schedules: z.array(scheduleSchema),
	overlaps: z.array(overlapSchema),
	clusters: z.array(clusterSchema),
	clockChanges: z.array(clockChangeSchema),
	/** What could not be found out. */
	notes: z.array(z.string()),
});

export type ForecastReport = z.infer<typeof forecastReportSchema>;
export type ScheduleForecast = z.infer<typeof scheduleSchema>;
export type Overlap = z.infer<typeof overlapSchema>;
export type ClusterLoad = z.infer<typeof clusterSchema>;

const timeSchema = scheduleSchema
	.pick({ cron: true, declared: true, timeZone: true, meaning: true })
	.nullable();

const changeSchema = z.object({
	...scheduleSchema.pick({ name: true, team: true, pipeline: true, resource: true }).shape,
	how: z.enum(["added", "removed", "changed"]),
	before: timeSchema,
	after: timeSchema,
	/** Numbers of runs in the window. One that moves by less than a day counts as moved only. */
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
