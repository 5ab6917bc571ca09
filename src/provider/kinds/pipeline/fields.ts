import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { datasetProblem } from "../../../schemas/dataset";
import { PipelineOnDestroy } from "../../../schemas/enums";
import { objectName, oneOf, teamName } from "../../../schemas/primitives";
import type { Props } from "../../model/props";
import { isHashOf } from "../../model/salted-hash";
import type { Table } from "../../model/table";
import { WAIT_FIELDS } from "../job/wait";

const texts = (value: unknown): string[] =>
	Array.isArray(value) ? value.map(String).sort() : [];
const sameList = (a: unknown, b: unknown): boolean =>
	isDeepStrictEqual(texts(a), texts(b));

const rows = {
	datasets: {
		schema: z
			.array(
				z.string("must be a string").superRefine((text, context) => {
					const message = datasetProblem(text);
					if (message !== undefined) context.addIssue({ code: "custom", message });
				}),
				'must be a list of datasets such as ["dev.images.final_result"]',
			)
			.min(1, "must name at least one dataset")
			.refine((list) => new Set(list).size === list.length, {
				error: "must name each dataset once",
			}),
		wire: "datasets",
		change: "replace",
		// One pipeline is created for all of them together, in whatever order.
		same: sameList,
	},
	start: {
		schema: z.boolean("must be true or false"),
		change: "update",
		default: false,
	},
	removeJobs: {
		schema: z.array(objectName, "must be a list of names of jobs").optional(),
		// A job that was removed comes back with a new pipeline only.
		change: (old, declared, olds) => {
			const left = texts(old).filter((job) => !texts(declared).includes(job));
			return left.some((job) => isAmong(removedIn(olds), job)) ? "replace" : "update";
		},
		same: sameList,
	},
	...WAIT_FIELDS,
	teamName: { schema: teamName, change: "replace" },
	/** What happens to the pipeline when it leaves the state: the API cannot delete one. */
	onDestroy: {
		schema: oneOf(PipelineOnDestroy),
		change: "update",
		default: PipelineOnDestroy.Pause,
	},
} as const satisfies Table<never>;

/** Inputs of the Pipeline resource, one row each. */
export const PIPELINE_FIELDS: Table<never> = rows;

/** The inputs after `check`: defaults filled in. */
export type PipelineArgs = {
	readonly [Name in keyof typeof rows]: z.infer<(typeof rows)[Name]["schema"]>;
};

/** The jobs that were removed from a pipeline, as its state remembers them: by their names, or by hashes of secret ones. */
export const removedIn = ({ removedJobs }: Props): string[] =>
	Array.isArray(removedJobs) ? removedJobs.map(String) : [];

export const isAmong = (removed: Iterable<string>, job: string): boolean =>
	[...removed].some((stored) => isHashOf(stored, job));
