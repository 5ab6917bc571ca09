import { describe, expect, it } from "vitest";
import { z } from "zod";
import { pipelineSchema } from "../../../src/schemas/pipeline";
import { scheduleItemSchema } from "../../../src/schemas/schedule";
import { camelKeys } from "../../../src/text/camel";

describe("wire objects as programs see them", () => {
	it("are camelCase at every depth, keep the user's own keys, and leave out nulls and unknown fields", () => {
		const wire = pipelineSchema.parse({
			pipeline_id: "p",
			error_message: null,
			environment_variables: { SOME_NAME: "x", other_name: "y" },
			job_runs: [{ job_id: "j", parent_job_ids: ["a_b"], status: null }],
			new_field: 1,
			workers: 0,
			is_template: false,
			requirements: "",
		});
		expect(camelKeys(pipelineSchema, wire)).toEqual({
			pipelineId: "p",
			environmentVariables: { SOME_NAME: "x", other_name: "y" },
			jobRuns: [{ jobId: "j", parentJobIds: ["a_b"] }],
			workers: 0,
			isTemplate: false,
			requirements: "",
		});
	});

	it("are camelCase also in a field that is read in several forms", () => {
		const creator = {
			username: "ann",
			first_name: "Ann",
			last_name: null,
			joined_at: "2026",
		};
		const shown = (created_by: unknown) =>
			camelKeys(scheduleItemSchema, scheduleItemSchema.parse({ id: 1, created_by }))
				.createdBy;
		expect(shown(creator)).toEqual({ username: "ann", firstName: "Ann" });
		expect(shown("ann")).toEqual({ username: "ann" });
	});

	it("keep a value of another type than the schema has", () => {
		const schema = z.looseObject({
			some_list: z.array(z.looseObject({ a_b: z.string() })).nullish(),
		});
		const odd = { some_list: "text" } as unknown as z.infer<typeof schema>;
		expect(camelKeys(schema, odd)).toEqual({ someList: "text" });
		const mixed = { some_list: ["text", null, { a_b: "x" }] } as unknown as z.infer<
			typeof schema
		>;
		expect(camelKeys(schema, mixed)).toEqual({
			someList: ["text", undefined, { aB: "x" }],
		});
	});
});
