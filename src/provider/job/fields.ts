import { z } from "zod";
import { assetSchema } from "../../schemas/job-file-args";
import { integer, objectName, someText, teamName, wholeNumber } from "../../schemas/primitives";
import { SCHEDULE_FIELDS } from "../pipeline-schedule/fields";
import { SETTINGS } from "../pipeline-settings/fields";
import { WAIT_FIELDS } from "../runs/wait-fields";
import type { AnyTable, Field, Table } from "../shared/table";

/** No request changes a job, so that another value of any input is another job. */
const fixed = (schema: z.ZodType, wire: string): Field<never> => ({ schema, wire, change: "replace" });

/** A field that a pipeline's settings or a schedule has too: checked, compared and written in the same way. */
const like = (table: AnyTable, name: string): Field<never> => {
	const { schema = z.never(), wire, same, write, hidden } = table[name] ?? {};
	return { schema, wire, same, write, hidden, change: "replace" };
};

/** Inputs of the Job resource, one row each. Where the query comes from does not matter, only its bytes do. */
export const JOB_FIELDS: Table<never> = {
	query: { schema: someText.optional(), change: "none", hidden: true },
	file: {
		schema: z.union([someText, assetSchema], { error: "must be a path or an asset" }).optional(),
		change: "none",
	},
	/** Hash of the query, filled in by `check`. */
	contentHash: { schema: z.string().optional(), change: "replace" },
	queryType: fixed(
		z.enum(["PYTHON", "SHELL"], { error: 'must be "PYTHON" or "SHELL"' }).optional(),
		"query_type",
	),
	name: fixed(objectName.optional(), "query_name"),
	workers: fixed(wholeNumber.min(1, "must be 1 or more").optional(), "workers"),
	environment: like(SETTINGS, "environment"),
	storage: like(SETTINGS, "storage"),
	requirements: like(SETTINGS, "requirements"),
	repository: like(SETTINGS, "repository"),
	pythonVersion: like(SETTINGS, "pythonVersion"),
	priority: like(SETTINGS, "priority"),
	files: like(SETTINGS, "files"),
	credentialsName: fixed(objectName.optional(), "credentials_name"),
	clusterName: fixed(objectName.optional(), "compute_cluster_name"),
	clusterId: fixed(
		z.union([integer, someText], "must be the id of a compute cluster").optional(),
		"compute_cluster_id",
	),
	startAfter: like(SCHEDULE_FIELDS, "startAfter"),
	cronExpression: like(SCHEDULE_FIELDS, "cronExpression"),
	rerunFrom: fixed(z.uuid("must be the id of a job, a UUID").optional(), "rerun_from_job_id"),
	reset: {
		...fixed(z.boolean("must be true or false").optional(), "reset"),
		same: (a, b) => (a ?? false) === (b ?? false),
	},
	...WAIT_FIELDS,
	teamName: { schema: teamName, change: "replace" },
};

/** What a create request carries as it is; query, environment and storage are made into their own form. */
export const WIRE_FIELDS = Object.keys(JOB_FIELDS).filter((name) => JOB_FIELDS[name]?.wire !== undefined);
