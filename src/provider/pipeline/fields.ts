import { z } from "zod";
import { datasetProblem } from "../../schemas/dataset";
import { objectName, teamName } from "../../schemas/primitives";
import { WAIT_FIELDS } from "../runs/wait-fields";
import { deepEqual, type Table } from "../shared/table";
import { isAmong, removedIn } from "./removed-jobs";

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String).sort() : []);
const sameList = (a: unknown, b: unknown): boolean => deepEqual(texts(a), texts(b));

const rows = {
	datasets: {
		schema: z
			.array(
				z.string("must be a text").superRefine((text, context) => {
					const message = datasetProblem(text);
					if (message !== undefined) context.addIssue({ code: "custom", message });
				}),
				"must be a dataset or a list of datasets",
			)
			.min(1, "must name at least one dataset")
			.refine((list) => new Set(list).size === list.length, { error: "must name each dataset once" }),
		wire: "datasets",
		change: "replace",
		// One pipeline is made for all of them together, in whatever order.
		same: sameList,
	},
	start: { schema: z.boolean("must be true or false"), change: "update" },
	removeJobs: {
		schema: z.array(objectName, "must be a list of names of jobs").optional(),
		// A job that was taken out comes back with a new pipeline only.
		change: (old, declared, olds) => {
			const left = texts(old).filter((job) => !texts(declared).includes(job));
			return left.some((job) => isAmong(removedIn(olds), job)) ? "replace" : "update";
		},
		same: sameList,
	},
	...WAIT_FIELDS,
	teamName: { schema: teamName, change: "replace" },
	/** What happens to the pipeline when Pulumi lets go of it: the API cannot delete one. */
	onDestroy: {
		schema: z.enum(["pause", "leave"], { error: 'must be "pause" or "leave"' }),
		change: "update",
	},
} as const satisfies Table<never>;

/** Inputs of the Pipeline resource, one row each. */
export const PIPELINE_FIELDS: Table<never> = rows;

/** The inputs after `check`: defaults filled in. */
export type PipelineArgs = { readonly [Name in keyof typeof rows]: z.infer<(typeof rows)[Name]["schema"]> };
