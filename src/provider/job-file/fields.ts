import { z } from "zod";
import { assetSchema, fileName } from "../../schemas/job-file-args";
import { someText, teamName } from "../../schemas/primitives";
import type { Table } from "../shared/table";

/** Inputs of the JobFile resource, one row each. Only the bytes, the name and the team make a file; where the bytes come from does not matter. */
export const JOB_FILE_FIELDS: Table<never> = {
	source: {
		schema: z
			.union(
				[
					someText.regex(
						/^[^\n\r]*$/,
						"has several lines, and source is a path. Give the content as text, with a name",
					),
					assetSchema,
				],
				{ error: "must be a path or an asset" },
			)
			.optional(),
		change: "none",
	},
	text: { schema: z.string("must be a text").optional(), change: "none", hidden: true },
	name: { schema: fileName.optional(), change: "replace" },
	teamName: { schema: teamName, change: "replace" },
	/** Hash of the content, filled in by `check`: what decides whether the file has changed. */
	contentHash: { schema: z.string().optional(), change: "replace" },
};
