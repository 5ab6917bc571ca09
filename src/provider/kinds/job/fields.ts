import { z } from "zod";
import { JobQueryType } from "../../../schemas/enums";
import { assetSchema } from "../../../schemas/job";
import {
	inRange,
	objectName,
	oneOf,
	someText,
	teamName,
	wholeNumber,
} from "../../../schemas/primitives";
import type { AnyTable, Field, Table } from "../../model/table";
import { SCHEDULE_FIELDS } from "../schedule/fields";
import { SETTINGS } from "../settings/fields";
import { WAIT_FIELDS } from "./wait";

/** No request changes a job, so another value of any input is another job. */
const fixed = (schema: z.ZodType, wire: string): Field<never> => ({
	schema,
	wire,
	change: "replace",
});

/** A field that a pipeline's settings or a schedule has too: checked, compared and written in the same way. */
const sameRules = (table: AnyTable, name: string): Field<never> => {
	const { schema = z.never(), wire, same, write, hidden } = table[name] ?? {};
	return { schema, wire, same, write, hidden, change: "replace" };
};

const NO_CLUSTER_ID = "must be the id of a compute cluster";

/** Inputs of the Job resource, one row each. Where the query comes from does not matter, only its content does. */
export const JOB_FIELDS: Table<never> = {
	query: { schema: someText.optional(), change: "none", hidden: true },
	file: {
		schema: z
			.union([someText, assetSchema], { error: "must be a path or an asset" })
			.optional(),
		change: "none",
	},
	/** Hash of the query, filled in by `check`. */
	contentHash: { schema: z.string().optional(), change: "replace", filledIn: true },
	queryType: fixed(oneOf(JobQueryType).optional(), "query_type"),
	name: fixed(objectName.optional(), "query_name"),
	workers: fixed(inRange(wholeNumber, 1).optional(), "workers"),
	environment: sameRules(SETTINGS, "environment"),
	storage: sameRules(SETTINGS, "storage"),
	requirements: sameRules(SETTINGS, "requirements"),
	repository: sameRules(SETTINGS, "repository"),
	pythonVersion: sameRules(SETTINGS, "pythonVersion"),
	priority: sameRules(SETTINGS, "priority"),
	files: sameRules(SETTINGS, "files"),
	credentialsName: fixed(objectName.optional(), "credentials_name"),
	clusterName: fixed(objectName.optional(), "compute_cluster_name"),
	clusterId: {
		...fixed(
			z.union([z.int(NO_CLUSTER_ID), someText], NO_CLUSTER_ID).optional(),
			"compute_cluster_id",
		),
		// Python, YAML and Go give every id as a text.
		same: (a, b) => String(a) === String(b),
	},
	startAfter: sameRules(SCHEDULE_FIELDS, "startAfter"),
	cronExpression: sameRules(SCHEDULE_FIELDS, "cronExpression"),
	rerunFrom: fixed(
		z.uuid("must be the id of a job, a UUID").optional(),
		"rerun_from_job_id",
	),
	reset: {
		...fixed(z.boolean("must be true or false").optional(), "reset"),
		same: (a, b) => (a ?? false) === (b ?? false),
	},
	...WAIT_FIELDS,
	teamName: { schema: teamName, change: "replace" },
};
export const INPUTS = Object.keys(JOB_FIELDS);
/** What a create request carries as it is; query, environment and storage have forms of their own. */
export const WIRE_FIELDS = INPUTS.filter(
	(name) => JOB_FIELDS[name]?.wire !== undefined,
);
