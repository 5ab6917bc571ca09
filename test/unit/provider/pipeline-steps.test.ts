import { expect, it } from "vitest";
import { jobsCalled, stepsOfUpdate } from "../../../src/provider/pipeline-steps";

type Update = Parameters<typeof stepsOfUpdate>;

it.each<[string, object, Update[1], Update[2], string[]]>([
	["a start that was left and is still declared", { start: true }, [], ["start"], ["start"]],
	["a removal that was left", {}, [], ["removeJobs"], ["removeJobs"]],
	["a start and its wait", { start: true, wait: true }, ["start"], [], ["start", "wait"]],
	["a start without a wait", { start: true }, ["start"], [], ["start"]],
	["no start that is no longer declared", {}, [], ["start"], []],
	["nothing where the start is taken back", {}, ["start"], [], []],
	["a wait that was left and is still declared", { start: true, wait: true }, [], ["wait"], ["wait"]],
	["no wait that is no longer declared", { start: true }, [], ["wait"], []],
	["no wait for what was started before", { start: true, wait: true }, ["onDestroy"], [], []],
])("an update of a pipeline does %s", (_, args, changed, pending, steps) => {
	expect(stepsOfUpdate(args as Update[0], changed, pending)).toEqual(steps);
});

it("a job is called by its id before another one is by its name", () => {
	const job_runs = [{ name: "a" }, { name: "b", job_id: "a" }, { name: "a" }];
	expect(jobsCalled({ pipeline_id: "p", job_runs }, "a")).toEqual([job_runs[1]]);
	expect(jobsCalled({ pipeline_id: "p", job_runs }, "b")).toEqual([job_runs[1]]);
});
