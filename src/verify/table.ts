import type { Assumption, Group } from "./assumption";
import { descriptionRows } from "./description-rows";
import { readingRows } from "./reading-rows";
import { writingRows } from "./writing-rows";

/** All that this command checks, in the order in which it does: the one table of command, page and tests. */
export const assumptions = { ...descriptionRows, ...readingRows, ...writingRows };

export type AssumptionId = keyof typeof assumptions;

export const assumptionIds = Object.keys(assumptions) as AssumptionId[];

/** The same for those who do not care which probe it is. */
export const assumptionOf = (id: AssumptionId): Omit<Assumption<Group>, "probe"> =>
	assumptions[id];

/** What the command does not check, and why. */
export const unchecked: readonly {
	readonly sentence: string;
	readonly why: string;
	readonly otherwise: string;
}[] = [
	{
		sentence: "The base URL ends in `/api`. The Python client's setting has no `/api`.",
		why: "Both are accepted.",
		otherwise: "Another path is part of the base URL.",
	},
	{
		sentence:
			"Cron expressions have five fields and are read as croniter, a Python library, reads them.",
		why: "It would take a schedule that runs.",
		otherwise:
			"Where cron libraries disagree, the provider refuses the expression and names another spelling.",
	},
	{
		sentence:
			"With true, `pause_pipeline` pauses the pipeline of a schedule. With false, it may not resume it.",
		why: "It would resume a pipeline.",
		otherwise: "The provider sends the pipeline's own resume request.",
	},
	{
		sentence: "A trigger with true for `review` creates the pipeline paused.",
		why: "It would create a pipeline, and no request deletes one.",
		otherwise:
			"After a lost response the provider accepts only a new pipeline of the same datasets that is paused.",
	},
	{
		sentence: "The variables of a job are in every list that shows the job.",
		why: "It would run a job.",
		otherwise:
			"A job whose create response was lost cannot be found, and the create fails.",
	},
	{
		sentence: "The service may forget old jobs.",
		why: "It would take months.",
		otherwise: "A missing job counts as run, and stays in the state.",
	},
	{
		sentence:
			"A job's log is at the WebSocket `/api/logs/follow/`, and the REST request shows the log of an active job.",
		why: "It would run a job.",
		otherwise: "`logs` fails, and a deployment that waits for a job shows no log.",
	},
	{
		sentence:
			"A service that limits the rate of requests answers with 429 and `Retry-After`.",
		why: "It would take a flood of requests.",
		otherwise:
			"All writers wait before the next attempt. A create is searched for before it is sent again.",
	},
	{
		sentence:
			"No request deletes a file or a pipeline, and no response shows the files or credentials of a pipeline.",
		why: "There is no request to try.",
		otherwise: "Drift in files and credentials is not found.",
	},
	{
		sentence: "`environment` is read with Python's `splitlines()`.",
		why: "It would put variables of others at risk.",
		otherwise: "The provider refuses every character that ends a line there.",
	},
	{
		sentence:
			"`FSSPEC_S3`, `FSSPEC_GS`, `FSSPEC_ABFS` and `FSSPEC_HF` hold one JSON object each.",
		why: "It would run a job.",
		otherwise:
			"Some parameters have no effect: see [storage parameters](../storage-parameters.md#s3).",
	},
];
