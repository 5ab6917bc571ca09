import { describe, expect, it } from "vitest";
import { driftTeam, secret } from "../../helpers/drift-team";

describe("a second schedule of a managed name", () => {
	it("is a twin that runs the pipeline a second time, and not just unmanaged", async () => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		const twin = team.schedule("nightly");
		team.schedule("another");
		const report = await team.check([ours]);
		expect(report.twins).toEqual([
			{
				id: String(twin.id),
				name: "nightly",
				team: "audio",
				createdBy: "colleague",
				createdAt: expect.stringMatching(/^\d{4}-/),
				pipeline: "p1",
				samePipeline: true,
				twinOf: expect.objectContaining({ id: ours.id, resource: "nightly" }),
			},
		]);
		expect(report.unmanaged.filter(({ kind }) => kind === "schedule").map(({ name }) => name)).toEqual([
			"another",
		]);
		expect(report.summary).toMatchObject({ twins: 1, unchanged: 1 });
		expect(report.requests).toBe(3);
	});

	it("is a twin although the stack has both", async () => {
		const team = await driftTeam();
		const [first, second] = [team.managed(team.schedule("nightly")), team.managed(team.schedule("nightly"))];
		const report = await team.check([first, second]);
		expect(report.twins).toEqual([
			expect.objectContaining({
				id: second.id,
				name: "nightly",
				samePipeline: true,
				twinOf: expect.objectContaining({ id: first.id }),
			}),
		]);
		expect(report.summary).toMatchObject({ twins: 1, unchanged: 2 });
	});

	it("may run another pipeline", async () => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		team.schedule("nightly", "p2");
		const [twin] = (await team.check([ours])).twins;
		expect([twin?.pipeline, twin?.samePipeline]).toEqual(["p2", false]);
	});

	it("is still one where it cannot be asked for its pipeline", async () => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		team.schedule("nightly");
		team.server.faults.add({ kind: "status", endpoint: "getSchedule", status: 403 });
		const report = await team.check([ours]);
		expect(report.twins).toEqual([expect.objectContaining({ pipeline: null, samePipeline: null })]);
		expect(report.failed).toEqual([]);
	});

	it("is none where it is gone, and only the list still shows it", async () => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		const twin = team.schedule("nightly");
		team.server.faults.add({ kind: "stale-list", endpoint: "listSchedules", ms: 60_000 });
		team.others.deleteSchedule(twin.id);
		const report = await team.check([ours]);
		expect(report.summary).toMatchObject({ twins: 0, unmanaged: 1 });
	});

	it("is none where the managed one is missing: nothing runs twice", async () => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		team.schedule("nightly");
		team.others.deleteSchedule(Number(ours.id));
		const report = await team.check([ours]);
		expect(report.summary).toMatchObject({ twins: 0, missing: 1 });
		expect(report.unmanaged.map(({ name }) => name)).toContain("nightly");
	});

	it("is found under the name that somebody gave the managed one, and under the declared name", async () => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		team.others.updateSchedule({ schedule_id: Number(ours.id), schedule_name: "renamed" });
		team.schedule("renamed");
		team.schedule("nightly");
		const { twins } = await team.check([ours]);
		expect(twins.map(({ name }) => name).sort()).toEqual(["nightly", "renamed"]);
	});

	it("cannot be ignored by its name", async () => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		team.schedule("nightly");
		expect((await team.check([ours], ["*"])).summary).toMatchObject({ twins: 1, unmanaged: 0 });
	});

	it("in another team is none", async () => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		const elsewhere = team.server.addTeam("video", { pipelines: ["p1"] });
		elsewhere.createSchedule({ schedule_name: "nightly", pipeline_name: "p1", cron_expression: "@daily" });
		const settings = {
			...team.settings("p1"),
			...{ urn: "urn:pulumi:dev::songs::t::v", id: "video/p1" },
			...{ inputs: { teamName: "video", pipelineName: "p1" }, outputs: { teamName: "video" } },
		};
		const report = await team.check([ours, settings]);
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
