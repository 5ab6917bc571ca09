import { expect, it } from "vitest";
import { jobsCalled } from "../../../src/operations/pipelines";

it("a job is called by its id before another one is by its name", () => {
	const job_runs = [{ name: "a" }, { name: "b", job_id: "a" }, { name: "a" }];
	expect(jobsCalled({ pipeline_id: "p", job_runs }, "a")).toEqual([job_runs[1]]);
	expect(jobsCalled({ pipeline_id: "p", job_runs }, "b")).toEqual([job_runs[1]]);
});
