import { describe, expect, it } from "vitest";
import { describeChange, referTo } from "../../../src/drift/compare";
import { driftTeam, entry, TEAM } from "../../helpers/drift-team";

describe("runs in a drift report", () => {
	it("a pipeline of a Pipeline resource is managed, and one of nobody is not", async () => {
		const team = await driftTeam();
		const pipeline = team.others.pipelines()[0];
		if (pipeline === undefined) throw new Error("there is a pipeline");
		const outputs = {
			name: pipeline.name,
			datasets: ["a.b.c"],
			start: false,
			onDestroy: "pause",
			teamName: TEAM,
		};
		const managed = entry("Pipeline", "images", pipeline.id, outputs);
		const report = await team.check([managed]);
		expect(report.summary).toMatchObject({ managed: 1, unchanged: 1, missing: 0, failed: 0 });
		expect(report.unmanaged.map(({ name }) => name)).not.toContain(pipeline.name);
		expect((await team.check([])).unmanaged.map(({ name }) => name)).toContain(pipeline.name);
	});

	it.each([
		["Pipeline", "COMPLETED"],
		["Job", "COMPLETE"],
	])("a %s that was waited for and failed was to be %s, as the service calls it", (kind, status) => {
		const secretPaths = new Set<string>();
		const state = { urn: "u", kind, name: "n", id: "1", stateUrn: "u", inputs: {}, outputs: {}, secretPaths };
		const change = describeChange(referTo(state, TEAM), {}, state, { status: "FAILED" }, true);
		expect(change.fields).toMatchObject([{ field: "status", declared: status, live: "FAILED" }]);
	});

	it("a job that was waited for and failed is to be run again; one that the service forgot is not missing", async () => {
		const team = await driftTeam();
		const outputs = {
			jobId: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
			name: "train.py",
			contentHash: "abc",
			queryType: "PYTHON",
			status: "COMPLETE",
			wait: true,
			teamName: TEAM,
		};
		const forgotten = entry("Job", "done", outputs.jobId, outputs);
		const failed = entry("Job", "failed", outputs.jobId, { ...outputs, status: "FAILED" });
		const report = await team.check([forgotten, failed]);
		expect(report.summary).toMatchObject({ managed: 2, unchanged: 1, changed: 1, missing: 0 });
		expect(report.changed[0]).toMatchObject({
			resource: "failed",
			repair: "replace",
			fields: [{ field: "status", declared: "COMPLETE", live: "FAILED" }],
		});
	});
});
