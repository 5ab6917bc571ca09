import { describe, expect, it } from "vitest";
import { type FaultRule, manualClock, startServer } from "../../src/server";
import { type Api, bearer, faultyServer, send, testServer } from "../helpers/server-harness";

const trigger = (api: Api) => api.post("/pipeline/trigger", { datasets: ["dev.images.raw"], review: true });
const pipelines = async (api: Api) => ((await api.get("/pipeline/list?limit=1000")).json as unknown[]).length;
const seeded = 4;

describe("a fault", () => {
	it("delay answers late, and rightly", async () => {
		const { api, faults } = await testServer({ faults: true });
		faults.add({ kind: "delay", ms: 150, times: 1 });
		const began = performance.now();
		expect((await trigger(api)).status).toBe(200);
		expect(performance.now() - began).toBeGreaterThan(140);
	});

	it.each<[Exclude<FaultRule, { kind: "rate-limit" }>, object, number]>([
		[{ kind: "reset-before" }, { failure: "ECONNRESET" }, 0],
		[{ kind: "reset-after" }, { failure: "ECONNRESET" }, 1],
		[
			{ kind: "status", status: 429, retryAfter: 2, message: "slow down" },
			{ status: 429, json: { message: "slow down" }, retryAfter: "2" },
			0,
		],
		[{ kind: "status", status: 500, afterWork: true }, { status: 500 }, 1],
		[
			{ kind: "html", status: 503 },
			{ status: 503, json: undefined, text: expect.stringContaining("<html>"), type: "text/html" },
			0,
		],
		[{ kind: "html", afterWork: true }, { status: 502, type: "text/html" }, 1],
		[{ kind: "truncated-json" }, { status: 200, json: undefined, text: expect.stringMatching(/^\{"/) }, 1],
	])("%j is answered with %j, and so many pipelines are made: %i", async (rule, answer, made) => {
		const { api, faults, requests } = await testServer({ faults: true });
		faults.add({ endpoint: "triggerPipeline", times: 1, ...rule });
		const seen = await trigger(api).then(
			({ headers, ...reply }) => ({
				...reply,
				retryAfter: headers.get("retry-after"),
				type: headers.get("content-type")?.split(";")[0],
			}),
			(error: Error) => ({ failure: (error.cause as NodeJS.ErrnoException).code }),
		);
		expect(seen).toMatchObject(answer);
		expect(requests.count({ endpoint: "triggerPipeline", status: 0 })).toBe("failure" in seen ? 1 : 0);
		expect(await pipelines(api)).toBe(seeded + made);
	});

	it("late-commit drops the connection and does the work later", async () => {
		const { api, faults, clock } = await testServer({ faults: true });
		faults.add({ endpoint: "triggerPipeline", kind: "late-commit", ms: 200, times: 1 });
		await expect(trigger(api)).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
		clock.advance(199);
		expect(await pipelines(api)).toBe(seeded);
		clock.advance(1);
		expect(await pipelines(api)).toBe(seeded + 1);
	});

	it("slow-body trickles the whole reply", async () => {
		const { api, faults } = await testServer({ faults: true });
		faults.add({ endpoint: "listClusters", kind: "slow-body", ms: 10, times: 1 });
		const began = performance.now();
		expect((await api.get("/clusters/")).at("2.name")).toBe("legacy-gcp");
		expect(performance.now() - began).toBeGreaterThan(150);
	});

	it("stale-list answers a list as it was, and single reads as they are", async () => {
		const { api, faults, clock } = await testServer({ faults: true });
		faults.add({ endpoint: "listSchedules", kind: "stale-list", ms: 300 });
		const body = { schedule_name: "new", pipeline_name: "nightly-images", cron_expression: "@daily" };
		const id = (await api.post("/pipeline/create-schedule", body)).at("schedule.id");
		expect((await api.get("/pipeline/schedules")).json).toHaveLength(1);
		expect((await api.get(`/pipeline/schedule?schedule_id=${id}`)).status).toBe(200);
		clock.advance(300);
		expect((await api.get("/pipeline/schedules")).json).toHaveLength(2);
	});
});

const SECOND = 1_000;

describe("late-effect", () => {
	it("answers a create with its id, and shows the schedule later, as it was promised", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "late-effect", ms: 2 * SECOND });
		const made = await server.create("late");
		expect(made).toMatchObject({ status: 200, json: { ok: true, schedule: { schedule_name: "late" } } });
		const id = made.at("schedule.id");
		server.clock.advance(2 * SECOND - 1);
		expect((await server.get(id)).status).toBe(404);
		expect(await server.names()).toEqual([]);
		server.clock.advance(1);
		const shown = await server.get(id);
		for (const field of ["id", "schedule_name", "created_at", "next_run", "created_by"]) {
			expect(shown.at(field), field).toEqual(made.at(`schedule.${field}`));
		}
		expect(shown.at("pipeline.name")).toBe("p1");
		expect(await server.names()).toEqual(["late"]);
	});

	it("lets later writes see what earlier ones promised, and keeps their order", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "late-effect", ms: SECOND });
		const gone = (await server.create("gone")).at("schedule.id");
		const kept = (await server.create("kept")).at("schedule.id");
		expect(kept).not.toBe(gone);
		expect((await server.remove(gone)).status).toBe(200);
		expect((await server.remove(gone)).status).toBe(404);
		expect((await server.update(kept, { schedule_name: "renamed" })).status).toBe(200);
		await server.settings({ workers: 4 });
		await server.settings({ priority: 1 });
		server.clock.advance(SECOND);
		expect(await server.names()).toEqual(["renamed"]);
		expect((await server.pipeline()).json).toMatchObject({ workers: 4, priority: 1 });
	});

	it("leaves alone what somebody else changed in between", async () => {
		const server = await faultyServer();
		const id = (await server.create("a")).at("schedule.id");
		server.faults.add({ kind: "late-effect", ms: SECOND });
		await server.settings({ workers: 4 });
		await server.update(id, { schedule_name: "ours" });
		server.team.setSettings({ pipeline_name: "p1", priority: 2 });
		server.team.updateSchedule({ schedule_id: Number(id), cron_expression: "0 5 * * *" });
		server.clock.advance(SECOND);
		expect((await server.pipeline()).json).toMatchObject({ workers: 4, priority: 2 });
		expect((await server.get(id)).json).toMatchObject({
			schedule_name: "ours",
			cron_expression: "0 5 * * *",
		});
	});
});

describe("stale-read", () => {
	it("answers lists and single reads as they were, until the time has passed", async () => {
		const server = await faultyServer();
		const old = server.team.createSchedule({
			schedule_name: "old",
			pipeline_name: "p1",
			cron_expression: "@daily",
		});
		server.faults.add({ kind: "stale-read", ms: 15 * SECOND });
		const id = (await server.create("new")).at("schedule.id");
		await server.settings({ workers: 3 });
		await server.pause();
		server.clock.advance(15 * SECOND - 1);
		expect(await server.names()).toEqual(["old"]);
		expect((await server.get(id)).status).toBe(404);
		expect((await server.pipeline()).json).toMatchObject({ status: "COMPLETED", workers: null });
		expect((await server.pipelines()).at("2.workers")).toBe(null);
		server.clock.advance(1);
		expect(await server.names()).toEqual(["old", "new"]);
		expect((await server.get(id)).at("schedule_name")).toBe("new");
		expect((await server.pipeline()).json).toMatchObject({ status: "PAUSED", workers: 3 });
		expect((await server.pipelines()).at("2.workers")).toBe(3);
		await server.remove(old.id);
		expect((await server.get(old.id)).at("schedule_name")).toBe("old");
		expect(await server.names()).toEqual(["old", "new"]);
		server.clock.advance(15 * SECOND);
		expect((await server.get(old.id)).status).toBe(404);
		expect(await server.names()).toEqual(["new"]);
	});
});

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
});

describe("the fault switch", () => {
	it("hits the endpoint named, as often as said, after those let pass", async () => {
		const { api, faults } = await testServer({ faults: true });
		faults.add({ endpoint: "listJobs", kind: "status", status: 500, skip: 1, times: 2 });
		const seen: number[] = [];
		for (let i = 0; i < 4; i++) seen.push((await api.get("/jobs/")).status);
		expect(seen).toEqual([200, 500, 500, 200]);
		expect((await api.get("/clusters/")).status).toBe(200);
	});

	it("is cleared at once", async () => {
		const { api, faults } = await testServer({ faults: true });
		const undo = faults.add({ kind: "status", status: 500 });
		undo();
		faults.add({ kind: "status", status: 500 });
		faults.clear();
		expect((await api.get("/clusters/")).status).toBe(200);
	});

	it("never strikes without a token", async () => {
		const { url, faults } = await testServer({ faults: true });
		faults.add({ kind: "status", status: 500 });
		expect((await send(`${url}/api/datachain/clusters/`)).status).toBe(401);
	});

	it("is off unless asked for, in process and over HTTP", async () => {
		const { url, token, faults } = await testServer();
		const rule: FaultRule = { kind: "status", status: 500 };
		expect(() => faults.add(rule)).toThrow(/Faults are off/);
		const init = { method: "POST", headers: bearer(token), body: JSON.stringify(rule) };
		expect((await send(`${url}/api/_test/faults`, init)).status).toBe(404);
	});

	it("works over HTTP, with the write token only", async () => {
		const tokens = [{ token: "reader-token", user: "r", teams: ["vision"], read: true, write: false }];
		const { url, token, api } = await testServer({ faults: true, tokens });
		const call = (method: string, body: unknown, headers: Record<string, string>) =>
			send(`${url}/api/_test/faults`, {
				method,
				headers,
				body: method === "POST" ? JSON.stringify(body) : null,
			});
		const rule = { kind: "status", status: 502, endpoint: "listClusters" };
		expect((await call("POST", rule, {})).status).toBe(401);
		expect((await call("POST", rule, bearer("reader-token"))).status).toBe(403);
		expect((await call("DELETE", undefined, bearer("reader-token"))).status).toBe(403);
		expect((await call("POST", { kind: "explode" }, bearer(token))).status).toBe(400);
		expect((await call("POST", rule, bearer(token))).status).toBe(200);
		expect((await api.get("/clusters/")).status).toBe(502);
		expect((await call("DELETE", undefined, bearer(token))).status).toBe(200);
		expect((await api.get("/clusters/")).status).toBe(200);
	});
});

describe("the clock switch", () => {
	it("moves a manual clock over HTTP, and only that one", async () => {
		const manual = await testServer();
		const move = (server: { url: string; token: string }, body: unknown, headers = bearer(server.token)) =>
			send(`${server.url}/api/_test/clock`, { method: "POST", headers, body: JSON.stringify(body) });
		expect((await move(manual, { advance_ms: 1 }, {})).status).toBe(401);
		expect((await move(manual, { advance_ms: 60_000 })).at("now")).toBe("2026-01-01T00:01:00.000Z");
		expect((await move(manual, { set: "2026-02-01T00:00:00Z" })).at("now")).toBe("2026-02-01T00:00:00.000Z");
		expect((await move(manual, { set: "never" })).status).toBe(400);
		expect((await move(manual, { advance_ms: -1 })).status).toBe(400);
		const real = await startServer();
		expect((await move(real, { advance_ms: 1 })).status).toBe(404);
		await real.close();
	});
});

describe("the request log", () => {
	it("counts requests by endpoint and status, and how many were under way at once", async () => {
		const { api, requests, faults } = await testServer({ faults: true });
		faults.add({ kind: "delay", ms: 100 });
		await Promise.all([api.get("/clusters/"), api.get("/clusters/?team_name=x"), api.get("/jobs/")]);
		expect(requests.count()).toBe(3);
		expect(requests.count({ endpoint: "listClusters" })).toBe(2);
		expect(requests.count({ endpoint: "listClusters", status: 403 })).toBe(1);
		expect(requests.maxInFlight).toBe(3);
		expect(requests.inFlight).toBe(0);
		requests.clear();
		expect(requests.entries).toEqual([]);
	});
});
