import { describe, expect, it } from "vitest";
import { fieldRows, uncheckedFields } from "../../../src/drift/compare";
import { driftReportSchema } from "../../../src/drift/report";
import { findUnmanaged } from "../../../src/drift/unmanaged";
import { hasDrift, outcomeOf, verdictOf } from "../../../src/drift/verdict";
import { sampleReport } from "../../helpers/drift-report";

const none = new Set<string>();

describe("a field that differs", () => {
	it("shows both values where neither can be secret", () => {
		expect(fieldRows("workers", 2, 3, none)).toEqual([
			{ field: "workers", how: "changed", hidden: false, declared: 2, live: 3 },
		]);
		expect(fieldRows("cronExpression", undefined, "@daily", none)).toMatchObject([
			{ how: "added", declared: null },
		]);
	});

	it("shows no value that the state marks as secret, in whole or in part", () => {
		expect(fieldRows("pythonVersion", "3.12", "3.13", new Set(["pythonVersion"]))).toEqual([
			{ field: "pythonVersion", how: "changed", hidden: true },
		]);
		expect(fieldRows("credentialsNames", ["a"], ["b"], new Set(["credentialsNames.0"]))).toEqual([
			{ field: "credentialsNames", how: "changed", hidden: true },
		]);
	});

	it.each(["requirements", "repository"])("shows no value of %s, which may hold a password", (field) => {
		expect(fieldRows(field, "canary-a", "canary-b", none)).toEqual([{ field, how: "changed", hidden: true }]);
	});

	it("names the variables of the environment that differ, and no others", () => {
		const rows = fieldRows("environment", { A: "1", B: "2", C: "3" }, { A: "1", B: "x", D: "4" }, none);
		expect(rows.map(({ field, how }) => [field, how])).toEqual([
			["environment.B", "changed"],
			["environment.C", "removed"],
			["environment.D", "added"],
		]);
		expect(JSON.stringify(rows)).not.toMatch(/declared|live/);
	});

	it("does not even name the variables of an environment that is secret as a whole", () => {
		expect(fieldRows("environment", { A: "1" }, { B: "1" }, new Set(["environment"]))).toEqual([
			{ field: "environment", how: "changed", hidden: true },
		]);
	});

	it("names the parameters of the storage that differ", () => {
		const s3 = (parameters: object) => ({ s3: parameters });
		const rows = fieldRows(
			"storage",
			s3({ key: "a", secret: "b" }),
			s3({ key: "a", secret: "c", anon: true }),
			none,
		);
		expect(rows.map(({ field, how }) => [field, how])).toEqual([
			["storage.s3.anon", "added"],
			["storage.s3.secret", "changed"],
		]);
	});
});

describe("what nobody manages", () => {
	const resource = (kind: string, id: string, pipelineName: string) => ({
		urn: id,
		kind,
		name: id,
		id,
		stateUrn: undefined,
		inputs: { pipelineName },
		outputs: {},
		secretPaths: none,
	});
	const pipeline = (name: string, more: object = {}) => ({ pipeline_id: `id-${name}`, name, ...more });

	it("is every schedule and pipeline that the stack has no part in", () => {
		const found = findUnmanaged(
			{
				resources: [
					resource("PipelineSchedule", "1", "scheduled"),
					resource("PipelineSettings", "t/set", "set"),
				],
				leavingIds: ["2"],
			},
			{
				team: "t",
				schedules: [
					{ id: 1 },
					{ id: 2 },
					{ id: 3, schedule_name: "theirs", created_by: { username: "ann" } },
				],
				pipelines: [
					pipeline("scheduled"),
					pipeline("set"),
					pipeline("run", { schedule_name: "theirs", is_template: false }),
					pipeline("template", { schedule_name: "theirs", is_template: true }),
					pipeline("by-hand", { created_at: "2026-01-01T00:00:00Z" }),
				],
			},
			() => "t",
		);
		expect(found.map(({ kind, name, createdBy }) => [kind, name, createdBy])).toEqual([
			["schedule", "theirs", "ann"],
			["pipeline", "by-hand", null],
			["pipeline", "template", null],
		]);
	});

	it("includes what another team manages under the same name", () => {
		const state = { resources: [resource("PipelineSettings", "other/set", "set")], leavingIds: [] };
		const content = { team: "t", schedules: [], pipelines: [pipeline("set")] };
		expect(findUnmanaged(state, content, () => "other")).toHaveLength(1);
		expect(findUnmanaged(state, content, () => "t")).toHaveLength(0);
	});
});

describe("the report", () => {
	it("has drift only of the kinds that are asked for", () => {
		const report = { ...sampleReport(), changed: [], missing: [], twins: [] };
		expect(hasDrift(report, ["changed", "missing", "twin"])).toBe(false);
		expect(hasDrift(report, ["unmanaged"])).toBe(true);
	});

	it("has a twin as drift of its own kind, and as something unmanaged", () => {
		const report = { ...sampleReport(), changed: [], missing: [], unmanaged: [] };
		expect(hasDrift(report, ["twin"])).toBe(true);
		expect(hasDrift(report, ["unmanaged"])).toBe(true);
		expect(hasDrift(report, ["changed", "missing"])).toBe(false);
	});

	it("does not pass for one without drift where something could not be checked", () => {
		const some = { ...sampleReport(), missing: [], unmanaged: [], twins: [] };
		expect(outcomeOf(some, ["changed"])).toBe("drift");
		expect(outcomeOf({ ...some, changed: [] }, ["changed"])).toBe("incomplete");
		expect(outcomeOf({ ...some, changed: [], failed: [] }, ["changed"])).toBe("none");
	});

	it("says the same at another time when nothing else is new", () => {
		const later = { ...sampleReport(), checkedAt: "2027-01-01T00:00:00.000Z", requests: 9 };
		expect(verdictOf(later)).toBe(verdictOf(sampleReport()));
		expect(verdictOf(sampleReport("other"))).not.toBe(verdictOf(sampleReport()));
		for (const section of ["twins", "failed", "unlisted"] as const) {
			expect(verdictOf({ ...sampleReport(), [section]: [] })).not.toBe(verdictOf(sampleReport()));
		}
	});

	it("survives its own JSON", () => {
		const text = JSON.stringify(sampleReport());
		expect(driftReportSchema.strict().parse(JSON.parse(text))).toEqual(sampleReport());
	});

	it("lists what cannot be checked", () => {
		const [ref] = sampleReport().missing;
		if (ref === undefined) throw new Error("the sample has nothing missing");
		expect(uncheckedFields({ ...ref, kind: "JobFile" }, {}).map(({ field }) => field)).toEqual(["content"]);
		const live = { uncheckedKeys: ["files", "credentialsNames"] };
		expect(uncheckedFields(ref, live).map(({ field }) => field)).toEqual(["files", "credentialsNames"]);
		expect(uncheckedFields(ref, {})).toEqual([]);
	});
});
