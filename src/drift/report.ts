import { z } from "zod";

/** What drift can be. `unchecked` is not drift: it is what nobody can know. */
export const DRIFT_KINDS = ["changed", "missing", "unmanaged"] as const;

export type DriftKind = (typeof DRIFT_KINDS)[number];

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export type Scalar = z.infer<typeof scalar>;

const resourceShape = {
	urn: z.string(),
	/** `PipelineSchedule`, `PipelineSettings` or `JobFile`. */
	kind: z.string(),
	/** Name of the resource in the program. */
	resource: z.string(),
	/** Name on the service: of the schedule, the pipeline or the file. */
	name: z.string(),
	id: z.string(),
	team: z.string(),
};

const fieldSchema = z.object({
	/** `cronExpression`; `environment.NAME` and `storage.s3.key` where one variable or parameter differs. */
	field: z.string(),
	/** `added` is on the service only, `removed` is in the program only. */
	how: z.enum(["changed", "added", "removed"]),
	/** True where the values may be secret. Then `declared` and `live` are left out. */
	hidden: z.boolean(),
	declared: scalar.optional(),
	live: scalar.optional(),
});

export type FieldDrift = z.infer<typeof fieldSchema>;

const changedSchema = z.object({
	...resourceShape,
	/** What the next `pulumi up --refresh` would do to repair it. */
	repair: z.enum(["update", "replace"]),
	fields: z.array(fieldSchema),
});

const missingSchema = z.object(resourceShape);

const unmanagedSchema = z.object({
	kind: z.enum(["schedule", "pipeline"]),
	id: z.string(),
	name: z.string(),
	team: z.string(),
	/** User name; null where the service does not say, as for every pipeline. */
	createdBy: z.string().nullable(),
	createdAt: z.string().nullable(),
});

const uncheckedSchema = z.object({ ...resourceShape, field: z.string(), reason: z.string() });

export type ChangedResource = z.infer<typeof changedSchema>;
export type MissingResource = z.infer<typeof missingSchema>;
export type UnmanagedObject = z.infer<typeof unmanagedSchema>;
export type UncheckedField = z.infer<typeof uncheckedSchema>;
export type ResourceRef = MissingResource;

/** What `pulumi-datachain drift --json` prints. Documented in docs/drift.md; a breaking change raises the version. */
export const driftReportSchema = z.object({
	schemaVersion: z.literal(1),
	checkedAt: z.string(),
	/** Null where the stack was never deployed and none was named. */
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
		unchecked: z.int(),
		/** Unmanaged objects left out because of --ignore or .datachainignore. */
		ignored: z.int(),
	}),
	changed: z.array(changedSchema),
	missing: z.array(missingSchema),
	unmanaged: z.array(unmanagedSchema),
	unchecked: z.array(uncheckedSchema),
});

export type DriftReport = z.infer<typeof driftReportSchema>;

/** Whether the report holds drift of one of the kinds. */
export function hasDrift(report: DriftReport, kinds: readonly DriftKind[]): boolean {
	return kinds.some((kind) => report[kind].length > 0);
}

/** Equal for two reports that found the same, whenever and however they were made. */
export function verdictOf({ stack, changed, missing, unmanaged, unchecked }: DriftReport): string {
	return JSON.stringify([stack, changed, missing, unmanaged, unchecked]);
}
