import { describe, expect, it } from "vitest";
import { camelKeys } from "../../src/schemas/camel";
import { pipelineSchema } from "../../src/schemas/pipeline";

describe("wire objects as programs see them", () => {
	it("are camelCase inside out, keep the user's own keys, and leave out nulls and unknown fields", () => {
		const wire = pipelineSchema.parse({
			pipeline_id: "p",
			error_message: null,
			environment_variables: { SOME_NAME: "x", other_name: "y" },
			job_runs: [{ job_id: "j", parent_job_ids: ["a_b"], status: null }],
			new_field: 1,
		});
		expect(camelKeys(pipelineSchema, wire)).toEqual({
			pipelineId: "p",
			environmentVariables: { SOME_NAME: "x", other_name: "y" },
			jobRuns: [{ jobId: "j", parentJobIds: ["a_b"] }],
		});
	});
});
