import { describe, expect, it } from "vitest";
import { findUnmanaged } from "../../../src/commands/drift-team";
import { type DriftTeam, driftTeam, secret } from "../../helpers/drift-team";

describe("what nobody manages", () => {
	const resource = (kind: string, id: string, pipelineName: string) => ({
		...{ urn: id, kind, name: id, id, stateUrn: undefined },
		...{ inputs: { pipelineName }, outputs: {}, secretPaths: new Set<string>() },
	});
	const pipeline = (name: string, more: object = {}) => ({ pipeline_id: `id-${name}`, name, ...more });

	it("is every schedule and pipeline that the stack has no part in", () => {
		const resources = [
			resource("PipelineSchedule", "1", "scheduled"),
			resource("PipelineSettings", "t/set", "set"),
			resource("OfANewerVersion", "x", "newer"),
		];
		const schedules = [
			{ id: 1 },
			{ id: 2 },
			{ id: 3, schedule_name: "theirs", created_by: { username: "ann" } },
		];
		const pipelines = [
			...["scheduled", "set", "newer"].map((name) => pipeline(name)),
			pipeline("run", { schedule_name: "theirs", is_template: false }),
			pipeline("template", { schedule_name: "theirs", is_template: true }),
			pipeline("by-hand", { created_at: "2026-01-01T00:00:00Z" }),
		];
		const state = { resources, leavingIds: ["2"] };
		const found = findUnmanaged(state, { team: "t", schedules, pipelines }, () => "t");
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

describe("a second schedule of a managed name", () => {
	/** A team with a managed schedule and, unless told otherwise, a second one of its name. */
	async function doubled(second: (team: DriftTeam) => unknown = (team) => team.schedule("nightly")) {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		second(team);
		return { ...team, ours };
	}

	it("is a duplicate that runs the pipeline a second time, and not just unmanaged", async () => {
		const team = await doubled();
		team.schedule("another");
		const report = await team.check([team.ours]);
		expect(report.twins).toEqual([
			{
				id: expect.any(String),
				name: "nightly",
				team: "audio",
				createdBy: "colleague",
				createdAt: expect.stringMatching(/^\d{4}-/),
				pipeline: "p1",
				samePipeline: true,
				twinOf: expect.objectContaining({ id: team.ours.id, resource: "nightly" }),
			},
		]);
		expect(report.twins[0]?.id).not.toBe(team.ours.id);
		const unmanaged = report.unmanaged.filter(({ kind }) => kind === "schedule");
		expect(unmanaged.map(({ name }) => name)).toEqual(["another"]);
		expect(report).toMatchObject({ summary: { twins: 1, unchanged: 1 }, requests: 3 });
	});

	it("is a duplicate although the stack has both", async () => {
		const team = await doubled(() => {});
		const second = team.managed(team.schedule("nightly"));
		const report = await team.check([team.ours, second]);
		expect(report.twins).toMatchObject([
			{ id: second.id, name: "nightly", samePipeline: true, twinOf: { id: team.ours.id } },
		]);
		expect(report.summary).toMatchObject({ twins: 1, unchanged: 2 });
	});

	it("may run another pipeline", async () => {
		const team = await doubled(({ schedule }) => schedule("nightly", "p2"));
		expect((await team.check([team.ours])).twins).toMatchObject([{ pipeline: "p2", samePipeline: false }]);
	});

	it("is still one where it cannot be asked for its pipeline", async () => {
		const team = await doubled();
		team.server.faults.add({ kind: "status", endpoint: "getSchedule", status: 403 });
		const report = await team.check([team.ours]);
		expect(report.twins).toMatchObject([{ pipeline: null, samePipeline: null }]);
		expect(report.failed).toEqual([]);
	});

	it("is none where it is gone, and only the list still shows it", async () => {
		const team = await doubled((made) => {
			const twin = made.schedule("nightly");
			made.server.faults.add({ kind: "stale-list", endpoint: "listSchedules", ms: 60_000 });
			made.others.deleteSchedule(twin.id);
		});
		expect((await team.check([team.ours])).summary).toMatchObject({ twins: 0, unmanaged: 1 });
	});

	it("is none where the managed one is missing: nothing runs twice", async () => {
		const team = await doubled();
		team.others.deleteSchedule(Number(team.ours.id));
		const report = await team.check([team.ours]);
		expect(report.summary).toMatchObject({ twins: 0, missing: 1 });
		expect(report.unmanaged.map(({ name }) => name)).toContain("nightly");
	});

	it("is found under the name that somebody gave the managed one, and under the declared name", async () => {
		const team = await doubled();
		team.others.updateSchedule({ schedule_id: Number(team.ours.id), schedule_name: "renamed" });
		team.schedule("renamed");
		const { twins } = await team.check([team.ours]);
		expect(twins.map(({ name }) => name).sort()).toEqual(["nightly", "renamed"]);
	});

	it("cannot be ignored by its name", async () => {
		const team = await doubled();
		expect((await team.check([team.ours], ["*"])).summary).toMatchObject({ twins: 1, unmanaged: 0 });
	});

	it("in another team is none", async () => {
		const team = await doubled(() => {});
		const elsewhere = team.server.addTeam("video", { pipelines: ["p1"] });
		elsewhere.createSchedule({ schedule_name: "nightly", pipeline_name: "p1", cron_expression: "@daily" });
		const settings = {
			...team.settings("p1"),
			...{ urn: "urn:pulumi:dev::songs::t::v", id: "video/p1" },
			...{ inputs: { teamName: "video", pipelineName: "p1" }, outputs: { teamName: "video" } },
		};
		const report = await team.check([team.ours, settings]);
		expect(report.twins).toEqual([]);
		expect(report.unmanaged).toContainEqual(expect.objectContaining({ name: "nightly", team: "video" }));
	});

	it("of a name that the program keeps secret does not give it away", async () => {
		const team = await driftTeam();
		const schedule = team.schedule("canary-name");
		const ours = team.managed({ ...schedule, name: "s" }, { scheduleName: secret("canary-name") });
		team.schedule("canary-name");
		const report = await team.check([ours]);
		expect(report.twins).toHaveLength(1);
		expect(JSON.stringify(report)).not.toContain("canary");
	});
});
