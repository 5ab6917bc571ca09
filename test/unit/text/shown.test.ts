import { expect, test } from "vitest";
import type { z } from "zod";
import { clusterSchema } from "../../../src/schemas/cluster";
import { jobSchema, uploadedFileSchema } from "../../../src/schemas/job";
import {
	jobRunSchema,
	pipelineOutputSchema,
	pipelineSchema,
} from "../../../src/schemas/pipeline";
import { scheduleOutputSchema, scheduleSchema } from "../../../src/schemas/schedule";

const job = { id: "j1", status: "RUNNING" };
const schedule = { id: 7, schedule_name: "nightly" };

test.each([
	["a text", "numpy", "numpy"],
	["a number, by its digits", 3.11, "3.11"],
	["lines, joined", ["numpy", "pandas"], "numpy\npandas"],
	["a user, by the username", { id: 3, username: "ada" }, "ada"],
	["null", null, null],
	["a list of other things", [1, "a"], undefined],
	["a user without a username", { username: null }, undefined],
])("a text that is only shown is read from %s", (_, value, read) => {
	expect(
		jobSchema.parse({ ...job, requirements: value, created_by: value }),
	).toMatchObject({
		requirements: read,
		created_by: read,
	});
});

const OF_A_JOB = `url name query query_type team created_by started_at finished_at workers python_version
	requirements repository exit_code error_message error_stack params metrics parent_job_id rerun_from_job_id
	run_group_id compute_cluster_id compute_cluster_name steps`;
const SHOWN: readonly (readonly [z.ZodType, rest: object, only: string])[] = [
	[jobSchema, job, OF_A_JOB],
	[
		pipelineSchema,
		{ pipeline_id: "p" },
		"error_message error_stack completed total is_template",
	],
	[jobRunSchema, {}, "parent_job_ids"],
	[scheduleSchema, schedule, "created_by next_run latest_run"],
	[scheduleOutputSchema, {}, "ok"],
	[pipelineOutputSchema, {}, "ok"],
	[uploadedFileSchema, { id: "1" }, "filename size"],
];
test.each([[7], [["a", 1]], [{ odd: [1] }], [null]])(
	"an object is read although everything that is only shown of it is %j",
	(odd) => {
		for (const [schema, rest, only] of SHOWN) {
			const shown = Object.fromEntries(only.split(/\s+/).map((field) => [field, odd]));
			expect(schema.safeParse({ ...rest, ...shown }), only).toMatchObject({
				success: true,
			});
		}
	},
);

test("what is no text and only shown is read as missing if it does not fit", () => {
	const odd = {
		params: [1],
		metrics: "x",
		steps: {},
		exit_code: "none",
		started_at: 1_700_000_000,
	};
	const missing = Object.fromEntries(Object.keys(odd).map((key) => [key, undefined]));
	expect(jobSchema.parse({ ...job, ...odd })).toEqual({ ...job, ...missing });
	expect(
		clusterSchema.parse({ id: 1, name: "c", is_active: "yes", disk_size: 50 }),
	).toEqual({
		id: 1,
		name: "c",
		is_active: undefined,
		disk_size: "50",
	});
});

test("a schedule's creator may be a text, and its latest run in another form is not shown", () => {
	expect(
		scheduleSchema.parse({ ...schedule, created_by: "ada", latest_run: { status: 3 } }),
	).toEqual({
		...schedule,
		created_by: { username: "ada" },
		latest_run: undefined,
	});
});

test.each([
	["a job's id", jobSchema, { ...job, id: 7 }],
	["a job's status", jobSchema, { ...job, status: 3 }],
	["a job's environment", jobSchema, { ...job, environment: "A=1" }],
	["when a job was created", jobSchema, { ...job, created_at: 1_700_000_000 }],
	["a schedule's id", scheduleSchema, { ...schedule, id: "x" }],
	["a schedule's name", scheduleSchema, { ...schedule, schedule_name: 7 }],
	["a schedule's cron", scheduleSchema, { ...schedule, cron_expression: ["0"] }],
	["a schedule's start", scheduleSchema, { ...schedule, start_after: 1_700_000_000 }],
	[
		"a schedule's pipeline",
		scheduleSchema,
		{ ...schedule, pipeline: { pipeline_id: 3 } },
	],
	["a pipeline's name", pipelineSchema, { pipeline_id: "p", name: 7 }],
	["a pipeline's status", pipelineSchema, { pipeline_id: "p", status: 3 }],
	[
		"a setting of a pipeline",
		pipelineSchema,
		{ pipeline_id: "p", requirements: ["numpy"] },
	],
	["the status of a pipeline's job", jobRunSchema, { status: 3 }],
	["a cluster's name", clusterSchema, { id: 1, name: 7 }],
])("%s decides something, so another type is refused", (_, schema, value) => {
	expect(schema.safeParse(value).success).toBe(false);
});
