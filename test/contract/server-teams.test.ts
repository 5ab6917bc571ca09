import { describe, expect, it } from "vitest";
import { faultyServer } from "../helpers/server-faulty";
import { bearer, send, testServer } from "../helpers/server-harness";

const daily = { pipeline_name: "p1", cron_expression: "@daily" };

describe("a team that is added", () => {
	it("has its pipelines and nothing else, and is seen by the main token only", async () => {
		const tokens = [{ token: "other-token", user: "other", teams: ["vision"], read: true, write: true }];
		const { api, addTeam } = await testServer({ tokens });
		addTeam("ml", { pipelines: ["p1", "p2"] });
		expect((await api.get("/pipeline/list?team_name=ml")).json).toMatchObject([
			{ name: "p2", status: "COMPLETED", job_runs: [], environment_variables: {} },
			{ name: "p1" },
		]);
		expect((await api.get("/pipeline/schedules?team_name=ml")).json).toEqual([]);
		expect((await api.get("/pipeline/schedules?team_name=ml", "other-token")).status).toBe(403);
		// The main team stays the one that is meant where none is named.
		expect((await api.get("/pipeline/schedules")).at("0.schedule_name")).toBe("nightly-images-by-hand");
	});

	it("is apart from the others", async () => {
		const server = await faultyServer();
		server.addTeam("other");
		const id = (await server.create("a")).at("schedule.id");
		await server.pause();
		await server.settings({ workers: 2 });
		const other = server.in("other");
		expect(await other.names()).toEqual([]);
		expect((await other.get(id)).status).toBe(404);
		expect((await other.remove(id)).status).toBe(404);
		expect((await other.pipeline()).json).toMatchObject({ status: "COMPLETED", workers: null });
		expect(await server.names()).toEqual(["a"]);
	});

	it("cannot have the name of another, until that one is removed", async () => {
		const { addTeam, removeTeam, team } = await testServer();
		addTeam("ml", { pipelines: ["p1"] });
		expect(() => addTeam("ml")).toThrow('There is already a team "ml".');
		removeTeam("ml");
		expect(() => team("ml").schedules()).toThrow('There is no team "ml".');
		expect(addTeam("ml").pipelines()).toEqual([]);
	});

	it("is gone with everything it would have done", async () => {
		const { api, addTeam, removeTeam, clock, faults } = await testServer({ faults: true });
		const ml = addTeam("ml", { pipelines: ["p1"] });
		ml.createSchedule({ schedule_name: "a", ...daily });
		faults.add({ kind: "late-effect", ms: 1_000, times: 1 });
		faults.add({ kind: "late-commit", ms: 1_000, endpoint: "createSchedule", skip: 1, times: 1 });
		const create = () =>
			api.post("/pipeline/create-schedule", { schedule_name: "b", team_name: "ml", ...daily });
		await create();
		await expect(create()).rejects.toThrow();
		removeTeam("ml");
		expect((await api.get("/pipeline/schedules?team_name=ml")).status).toBe(403);
		const again = addTeam("ml", { pipelines: ["p1"] });
		clock.advance(3 * 86_400_000);
		expect(again.schedules()).toEqual([]);
		expect(again.pipelines()).toHaveLength(1);
	});

	it("costs little: two thousand come and go, each with a rule, a write and a read", async () => {
		const { api, addTeam, removeTeam, faults } = await testServer({ faults: true });
		const began = performance.now();
		for (let at = 0; at < 2_000; at++) {
			const name = `team-${at}`;
			const team = addTeam(name, { pipelines: ["p1", "p2", "p3"] });
			const undo = faults.add({ kind: "stale-read", ms: 1_000, team: name });
			team.createSchedule({ schedule_name: "a", ...daily });
			if (at % 100 === 0) expect((await api.get(`/pipeline/schedules?team_name=${name}`)).json).toEqual([]);
			undo();
			removeTeam(name);
		}
		expect(performance.now() - began).toBeLessThan(5_000);
	});
});

describe("a colleague", () => {
	it("is another creator than the token's user, and may use a name twice", async () => {
		const server = await faultyServer();
		const theirs = server.team.createSchedule({ schedule_name: "a", ...daily });
		const ours = await server.create("a");
		expect(ours.status).toBe(200);
		expect(theirs).toMatchObject({
			name: "a",
			pipelineName: "p1",
			createdBy: "colleague",
			cronExpression: "0 0 * * *",
		});
		expect((await server.list()).json).toMatchObject([
			{ id: theirs.id, schedule_name: "a", created_by: { username: "colleague" } },
			{ id: ours.at("schedule.id"), schedule_name: "a", created_by: { username: "developer" } },
		]);
		expect(server.team.schedules().map(({ createdBy }) => createdBy)).toEqual(["colleague", "developer"]);
	});

	it("changes and deletes what is there, under the API's own rules", async () => {
		const server = await faultyServer();
		const id = Number((await server.create("a")).at("schedule.id"));
		server.team.updateSchedule({ schedule_id: id, schedule_name: "b" });
		expect(await server.names()).toEqual(["b"]);
		server.team.setSettings({ pipeline_name: "p1", workers: 3, environment: "A=1" });
		server.team.pause("p1");
		expect((await server.pipeline()).json).toMatchObject({ status: "PAUSED", workers: 3 });
		server.team.resume("p1");
		expect((await server.pipeline()).at("status")).toBe("COMPLETED");
		expect(() => server.team.createSchedule({ schedule_name: "c", ...daily, cron_expression: "no" })).toThrow(
			"cron_expression",
		);
		server.team.deleteSchedule(id);
		expect(await server.names()).toEqual([]);
		expect(() => server.team.deleteSchedule(id)).toThrow(`no schedule with id ${id}`);
	});

	it("sets variables that lines cannot carry", async () => {
		const server = await faultyServer();
		await server.settings({ environment: "A=1" });
		server.team.setVariable("p1", "my-var", "two\nlines");
		server.team.setVariable("p1", "__proto__", "x");
		expect((await server.pipeline()).text).toContain(
			'"environment_variables":{"A":"1","my-var":"two\\nlines","__proto__":"x"}',
		);
		server.team.setVariable("p1", "my-var", undefined);
		server.team.setVariable("p1", "__proto__", undefined);
		expect((await server.pipeline()).at("environment_variables")).toEqual({ A: "1" });
	});

	it("sees what is, and what it saw does not change", async () => {
		const server = await faultyServer();
		const before = server.team.pipelines();
		server.faults.add({ kind: "stale-read", ms: 1_000 });
		await server.pause();
		expect((await server.pipeline()).at("status")).toBe("COMPLETED");
		expect(server.team.pipelines()[0]?.paused).toBe(true);
		expect(before[0]?.paused).toBe(false);
	});
});

describe("the fault switch over HTTP", () => {
	it("takes the rules with a shape, and says what is wrong with others", async () => {
		const { url, token, api } = await testServer({ faults: true });
		const add = (rule: unknown) =>
			send(`${url}/api/_test/faults`, { method: "POST", headers: bearer(token), body: JSON.stringify(rule) });
		const rule = { kind: "rate-limit", shape: "window", limit: 1, windowMs: 1_000 };
		expect((await add({ ...rule, shape: "cloud" })).status).toBe(400);
		expect((await add({ ...rule, perSecond: 1 })).status).toBe(400);
		expect((await add({ kind: "capped-list", limit: 1 })).status).toBe(400);
		expect((await add(rule)).status).toBe(200);
		const pause = () => api.post("/pipeline/pause", { name: "nightly-images" });
		expect([(await pause()).status, (await pause()).status]).toEqual([200, 429]);
	});
});
