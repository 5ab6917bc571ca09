import { z } from "zod";
import { withoutRequest } from "../client/errors";
import { DAY_MS } from "../cron";

/** The kinds of drift. Fields that the service never shows and objects that could not be read are none: nobody knows. */
export const DRIFT_KINDS = ["changed", "missing", "unmanaged", "duplicate"] as const;

export type DriftKind = (typeof DRIFT_KINDS)[number];

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export type Scalar = z.infer<typeof scalar>;

const resourceShape = {
	urn: z.string(),
	/** `PipelineSchedule`, `PipelineSettings`, `JobFile`, `Pipeline` or `Job`. */
	kind: z.string(),
	/** Name of the resource in the program. */
	resource: z.string(),
	/** Name on the service: of the schedule, the pipeline, the file or the job. */
	name: z.string(),
	id: z.string(),
	team: z.string(),
};

const fieldSchema = z.object({
	/** `cronExpression`; `environment.NAME` and `storage.s3.key` where one variable or parameter differs. */
	field: z.string(),
	/** `added` is on the service only, `removed` is in the program only. */
	how: z.enum(["changed", "added", "removed"]),
	/** True if the values may be secret. Then `declared` and `live` are left out. */
	hidden: z.boolean(),
	declared: scalar.optional(),
	live: scalar.optional(),
});

export type FieldDrift = z.infer<typeof fieldSchema>;

const changedSchema = z.object({
	...resourceShape,
	/** What the next `pulumi up --refresh` would do to repair it. */
	repair: z.enum(["update", "replace"]),
	/** When the object was last changed, by whomever; null if the team's list does not say. */
	changedAt: z.string().nullable(),
	fields: z.array(fieldSchema),
});

const missingSchema = z.object(resourceShape);

const notRunningSchema = z.object({
	...resourceShape,
	/** Its pipeline is paused, or its start was put off; the program declares neither. */
	why: z.enum(["paused", "postponed"]),
	pipeline: z.string().nullable(),
	/** Before it the schedule does not run; null if that is not why. */
	startAfter: z.string().nullable(),
});

const unmanagedVariablesSchema = z.object({
	...resourceShape,
	/** Variables of the pipeline that the resource does not declare: others may have set them. */
	variables: z.array(z.string()),
});

const foundShape = {
	id: z.string(),
	name: z.string(),
	team: z.string(),
	/** User name; null if the service does not say, as for every pipeline. */
	createdBy: z.string().nullable(),
	createdAt: z.string().nullable(),
};

const unmanagedSchema = z.object({
	kind: z.enum(["schedule", "pipeline"]),
	...foundShape,
});

const duplicateSchema = z.object({
	...foundShape,
	/** The pipeline that it runs; null if the service did not say. */
	pipeline: z.string().nullable(),
	/** True if that is the pipeline of the managed one, which then runs a second time. */
	samePipeline: z.boolean().nullable(),
	/** The managed schedule of that name. */
	twinOf: z.object(resourceShape),
});

const failedSchema = z.object({
	/** A resource of the stack, an element of a team's list, or a list as a whole. */
	what: z.enum(["resource", "element", "list"]),
	/** Of a resource its kind, otherwise `schedule` or `pipeline`. */
	kind: z.string(),
	/** Null for a list. An element without a name is named by its id or its position. */
	name: z.string().nullable(),
	team: z.string(),
	reason: z.string(),
	/** These three are null for what is not a resource of the stack. */
	urn: z.string().nullable(),
	resource: z.string().nullable(),
	id: z.string().nullable(),
});

const uncheckedSchema = z.object({
	...resourceShape,
	field: z.string(),
	reason: z.string(),
});

/** How long before a daylight-saving change it is named. */
export const CLOCK_NOTICE_MS = 30 * DAY_MS;

export const clockChangeShape = {
	timeZone: z.string(),
	/** When the clocks change, or changed. */
	at: z.string(),
	/** True if that is past and the schedule was not deployed since: it is drift. */
	isPast: z.boolean(),
	/** The expression that the service has, and what the next deployment from then on makes of it. */
	from: z.string(),
	to: z.string(),
};

const clockChangeSchema = z.object({ ...resourceShape, ...clockChangeShape });

export type ClockChange = z.infer<typeof clockChangeSchema>;
export type ChangedResource = z.infer<typeof changedSchema>;
export type NotRunning = z.infer<typeof notRunningSchema>;
export type UnmanagedVariables = z.infer<typeof unmanagedVariablesSchema>;
export type UnmanagedObject = z.infer<typeof unmanagedSchema>;
export type Duplicate = z.infer<typeof duplicateSchema>;
export type FailedCheck = z.infer<typeof failedSchema>;
export type UncheckedField = z.infer<typeof uncheckedSchema>;
export type ResourceRef = z.infer<typeof missingSchema>;

/** What `pulumi-datachain drift --json` prints. Documented in docs/cli.md; a breaking change raises the version. */
export const driftReportSchema = z.object({
	schemaVersion: z.literal(1),
	checkedAt: z.string(),
	/** Null if the stack was never deployed and none was named. */
	stack: z.string().nullable(),
	project: z.string().nullable(),
	teams: z.array(z.string()),
	serviceUrl: z.string(),
	/** Requests sent to the service, repetitions included. */
	requests: z.int(),
	summary: z.object({
		managed: z.int(),
		unchanged: z.int(),
		changed: z.int(),
		missing: z.int(),
		unmanaged: z.int(),
		twins: z.int(),
		failed: z.int(),
		unlisted: z.int(),
		notRunning: z.int(),
		/** Pipelines with such variables. */
		unmanagedVariables: z.int(),
		unchecked: z.int(),
		/** Unmanaged objects left out because of --ignore or .datachainignore. */
		ignored: z.int(),
	}),
	changed: z.array(changedSchema),
	missing: z.array(missingSchema),
	unmanaged: z.array(unmanagedSchema),
	/** Duplicates: schedules that are not managed and have the name of one that is. */
	twins: z.array(duplicateSchema),
	/** What could not be checked, and why. */
	failed: z.array(failedSchema),
	/** Managed and there, as a direct request shows, but left out of the team's list. */
	unlisted: z.array(missingSchema),
	/** Managed schedules that do not run although the program does not say so. No drift: nothing declared differs. */
	notRunning: z.array(notRunningSchema),
	/** Names of variables that the program leaves to others. No drift: nothing declared differs. */
	unmanagedVariables: z.array(unmanagedVariablesSchema),
	unchecked: z.array(uncheckedSchema),
	/** Daylight-saving changes within 30 days, or past, after which a schedule's time zone needs another UTC expression. */
	clockChanges: z.array(clockChangeSchema),
});

export type DriftReport = z.infer<typeof driftReportSchema>;

/** Schedules that run at a different local time than declared, because the clocks changed since the last deployment. */
export const lateChanges = ({
	clockChanges,
}: Pick<DriftReport, "clockChanges">): ClockChange[] =>
	clockChanges.filter(({ isPast }) => isPast);

/** What counts as drift of a kind. A duplicate is not managed either, so it counts as that too. */
const FOUND: Readonly<Record<DriftKind, (report: DriftReport) => readonly unknown[]>> =
	{
		changed: (report) => [...report.changed, ...lateChanges(report)],
		missing: ({ missing }) => missing,
		unmanaged: ({ unmanaged, twins: duplicates }) => [...unmanaged, ...duplicates],
		duplicate: ({ twins: duplicates }) => duplicates,
	};

/** Whether the report holds drift of one of the kinds. */
export const hasDrift = (report: DriftReport, kinds: readonly DriftKind[]): boolean =>
	kinds.some((kind) => FOUND[kind](report).length > 0);

const [NO_DRIFT, NOT_KNOWN, DRIFT] = [0, 1, 2];

/** If nothing was found and not everything could be checked, nobody can say that there is no drift. */
export function exitCodeOf(report: DriftReport, kinds: readonly DriftKind[]): number {
	if (hasDrift(report, kinds)) return DRIFT;
	return isIncomplete(report) ? NOT_KNOWN : NO_DRIFT;
}

/** A list that leaves out one object may leave out others, too: duplicates and unmanaged objects among them. */
export const isIncomplete = ({ failed, unlisted }: DriftReport): boolean =>
	failed.length + unlisted.length > 0;

/** Equal for two reports that found the same, whenever and however they were made. */
export const fingerprintOf = (report: DriftReport): string =>
	withoutRequest(
		JSON.stringify({
			...report,
			checkedAt: null,
			requests: null,
			summary: null,
			clockChanges: lateChanges(report),
		}),
	);
