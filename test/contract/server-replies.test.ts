import { describe, expect, it } from "vitest";
import { manualClock } from "../../src/server";
import { faultyServer } from "../helpers/server-faulty";
import { testServer } from "../helpers/server-harness";

describe("capped-list", () => {
	it("shows the oldest or the newest, and single reads as they are", async () => {
		const server = await faultyServer();
		const ids: unknown[] = [];
		for (const name of ["a", "b", "c"]) ids.push((await server.create(name)).at("schedule.id"));
		const oldest = server.faults.add({ kind: "capped-list", limit: 2, which: "oldest" });
		expect(await server.names()).toEqual(["a", "b"]);
		expect((await server.pipelines()).json).toMatchObject([{ name: "p2" }, { name: "p1" }]);
		for (const id of ids) expect((await server.get(id)).status).toBe(200);
		oldest();
		server.faults.add({ kind: "capped-list", limit: 2, which: "newest" });
		expect(await server.names()).toEqual(["b", "c"]);
		expect((await server.pipelines()).json).toMatchObject([{ name: "p3" }, { name: "p2" }]);
		server.faults.clear();
		server.faults.add({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listSchedules" });
		expect(await server.names()).toEqual([]);
		expect((await server.pipelines()).json).toHaveLength(3);
	});
});

describe("rewrite", () => {
	it("answers a create with a wrong id, or with no schedule, after the work", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "rewrite", endpoint: "createSchedule", set: { "schedule.id": 999 }, times: 1 });
		server.faults.add({
			kind: "rewrite",
			endpoint: "createSchedule",
			remove: ["schedule"],
			skip: 1,
			times: 1,
		});
		expect((await server.create("a")).json).toMatchObject({
			ok: true,
			schedule: { id: 999, schedule_name: "a" },
		});
		expect((await server.create("b")).json).toEqual({ ok: true });
		expect((await server.create("c")).at("schedule.schedule_name")).toBe("c");
		expect(await server.names()).toEqual(["a", "b", "c"]);
		expect(server.team.schedules().map(({ id }) => id)).not.toContain(999);
	});

	it("makes one element of a list odd, or all of them, and changes nothing that is kept", async () => {
		const server = await faultyServer();
		const undo = server.faults.add({
			kind: "rewrite",
			endpoint: "listPipelines",
			set: {
				"1.environment_variables": { X: null },
				"1.workers": "2",
				"*.priority": 9,
				"7.name.x": "nowhere",
			},
		});
		expect((await server.pipelines()).json).toMatchObject([
			{ name: "p3", environment_variables: {}, workers: null, priority: 9 },
			{ name: "p2", environment_variables: { X: null }, workers: "2", priority: 9 },
			{ name: "p1", environment_variables: {}, workers: null, priority: 9 },
		]);
		undo();
		expect((await server.pipelines()).at("1")).toMatchObject({ environment_variables: {}, workers: null });
	});

	it("applies every rule that matches, and the words of a status fault stay", async () => {
		const server = await faultyServer();
		const id = (await server.create("a")).at("schedule.id");
		server.faults.add({ kind: "rewrite", set: { schedule_name: "x", extra: 1 } });
		server.faults.add({ kind: "rewrite", set: { schedule_name: "y" }, remove: ["pipeline.name"] });
		const reply = await server.get(id);
		expect(reply.json).toMatchObject({ schedule_name: "y", extra: 1 });
		expect(reply.at("pipeline")).not.toHaveProperty("name");
		server.faults.add({ kind: "status", status: 503, message: "busy" });
		expect(await server.get(id)).toMatchObject({ status: 503, json: { message: "busy" } });
	});

	it("gives instants another precision in a list than elsewhere", async () => {
		const clock = manualClock("2026-01-01T00:00:00.120Z");
		const { api, faults } = await testServer({ faults: true, clock });
		const body = { schedule_name: "a", pipeline_name: "nightly-images", cron_expression: "@daily" };
		const id = (await api.post("/pipeline/create-schedule", body)).at("schedule.id");
		faults.add({
			kind: "rewrite",
			endpoint: "listSchedules",
			fraction: { "*.created_at": 0, "*.updated_at": 2 },
		});
		const listed = await api.get("/pipeline/schedules");
		expect(listed.at("1.created_at")).toBe("2026-01-01T00:00:00+00:00");
		expect(listed.at("1.updated_at")).toBe("2026-01-01T00:00:00.12+00:00");
		const single = await api.get(`/pipeline/schedule?schedule_id=${id}`);
		expect(single.at("created_at")).toBe("2026-01-01T00:00:00.120000+00:00");
	});
});

describe("rate-limit", () => {
	it("counts writes of all endpoints in a window, refuses the rest without work, and lets reads pass", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "rate-limit", shape: "window", limit: 3, windowMs: 5_000 });
		expect((await server.create("a")).status).toBe(200);
		server.clock.advance(1_500);
		expect((await server.pause()).status).toBe(200);
		expect((await server.settings({ workers: 1 })).status).toBe(200);
		const refused = await server.create("b");
		expect(refused).toMatchObject({ status: 429, json: { message: expect.any(String) } });
		expect(refused.headers.get("retry-after")).toBe("4");
		expect(await server.names()).toEqual(["a"]);
		server.clock.advance(3_499);
		expect((await server.create("b")).headers.get("retry-after")).toBe("1");
		server.clock.advance(1);
		for (const name of ["b", "c", "d"]) expect((await server.create(name)).status).toBe(200);
		expect((await server.create("e")).status).toBe(429);
	});

	it("gives a bucket's tokens back one by one", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "rate-limit", shape: "bucket", limit: 2, perSecond: 0.5 });
		for (const name of ["a", "b"]) expect((await server.create(name)).status).toBe(200);
		expect((await server.create("c")).headers.get("retry-after")).toBe("2");
		server.clock.advance(1_999);
		expect((await server.create("c")).headers.get("retry-after")).toBe("1");
		server.clock.advance(1);
		expect((await server.create("c")).status).toBe(200);
		expect((await server.create("d")).status).toBe(429);
		server.clock.advance(60_000);
		for (const name of ["d", "e"]) expect((await server.create(name)).status).toBe(200);
		expect((await server.create("f")).status).toBe(429);
	});

	it("lets other faults strike what it lets through, and spares them for what it refuses", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "rate-limit", shape: "window", limit: 2, windowMs: 1_000 });
		server.faults.add({ kind: "status", status: 500, endpoint: "createSchedule", skip: 1, times: 2 });
		const seen: number[] = [];
		for (const name of ["a", "b", "c", "d"]) seen.push((await server.create(name)).status);
		server.clock.advance(1_000);
		for (const name of ["e", "f"]) seen.push((await server.create(name)).status);
		expect(seen).toEqual([200, 500, 429, 429, 500, 200]);
		expect(await server.names()).toEqual(["a", "f"]);
	});

	it("can be for one endpoint, and for one team", async () => {
		const server = await faultyServer();
		server.addTeam("other");
		server.faults.add({
			kind: "rate-limit",
			shape: "window",
			limit: 1,
			windowMs: 1_000,
			endpoint: "createSchedule",
			team: "ml",
		});
		const seen = [await server.create("a"), await server.pause(), await server.create("b")];
		expect(seen.map(({ status }) => status)).toEqual([200, 200, 429]);
		expect((await server.in("other").create("c")).status).toBe(200);
	});
});

describe("a rule for one team", () => {
	it("strikes that team's requests only, whether the query or the body names it", async () => {
		const server = await faultyServer();
		server.addTeam("other");
		server.faults.add({ kind: "status", status: 500, team: "other", times: 2 });
		expect((await server.create("a")).status).toBe(200);
		expect((await server.list()).status).toBe(200);
		expect((await server.in("other").create("a")).status).toBe(500);
		expect((await server.in("other").list()).status).toBe(500);
		expect(await server.in("other").names()).toEqual([]);
	});
});
