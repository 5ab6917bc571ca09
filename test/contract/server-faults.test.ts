import { describe, expect, it } from "vitest";
import { type FaultRule, startServer } from "../../src/server";
import { type Api, bearer, send, testServer } from "../helpers/server-harness";

const trigger = (api: Api) => api.post("/pipeline/trigger", { datasets: ["dev.images.raw"], review: true });
const failure = async (call: Promise<unknown>): Promise<string> => {
	try {
		await call;
		return "no failure";
	} catch (error) {
		const cause = error instanceof Error ? error.cause : undefined;
		return cause instanceof Error && "code" in cause ? String(cause.code) : String(error);
	}
};
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

	it("reset-before drops the connection and does nothing", async () => {
		const { api, faults } = await testServer({ faults: true });
		faults.add({ endpoint: "triggerPipeline", kind: "reset-before", times: 1 });
		expect(await failure(trigger(api))).toBe("ECONNRESET");
		expect(await pipelines(api)).toBe(seeded);
	});

	it("reset-after drops the connection with the work done", async () => {
		const { api, faults, requests } = await testServer({ faults: true });
		faults.add({ endpoint: "triggerPipeline", kind: "reset-after", times: 1 });
		expect(await failure(trigger(api))).toBe("ECONNRESET");
		expect(await pipelines(api)).toBe(seeded + 1);
		expect(requests.count({ endpoint: "triggerPipeline", status: 0 })).toBe(1);
	});

	it("late-commit drops the connection and does the work later", async () => {
		const { api, faults, clock } = await testServer({ faults: true });
		faults.add({ endpoint: "triggerPipeline", kind: "late-commit", ms: 200, times: 1 });
		expect(await failure(trigger(api))).toBe("ECONNRESET");
		clock.advance(199);
		expect(await pipelines(api)).toBe(seeded);
		clock.advance(1);
		expect(await pipelines(api)).toBe(seeded + 1);
	});

	it("status answers with that status, Retry-After and message, and does nothing", async () => {
		const { api, faults } = await testServer({ faults: true });
		faults.add({ kind: "status", status: 429, retryAfter: 2, message: "slow down", times: 1 });
		const reply = await trigger(api);
		expect(reply).toMatchObject({ status: 429, json: { message: "slow down" } });
		expect(reply.headers.get("retry-after")).toBe("2");
		expect(await pipelines(api)).toBe(seeded);
	});

	it("status and html say so with the work done, where that is asked for", async () => {
		const { api, faults } = await testServer({ faults: true });
		faults.add({ kind: "status", status: 500, afterWork: true, times: 1 });
		expect((await trigger(api)).status).toBe(500);
		faults.add({ kind: "html", status: 502, afterWork: true, times: 1 });
		expect((await trigger(api)).status).toBe(502);
		expect(await pipelines(api)).toBe(seeded + 2);
	});

	it("html answers like a proxy", async () => {
		const { api, faults } = await testServer({ faults: true });
		faults.add({ kind: "html", status: 503, times: 1 });
		const reply = await api.get("/clusters/");
		expect(reply).toMatchObject({ status: 503, json: undefined, text: expect.stringContaining("<html>") });
		expect(reply.headers.get("content-type")).toContain("text/html");
	});

	it("truncated-json does the work and answers with broken JSON", async () => {
		const { api, faults } = await testServer({ faults: true });
		faults.add({ endpoint: "triggerPipeline", kind: "truncated-json", times: 1 });
		const reply = await trigger(api);
		expect(reply.status).toBe(200);
		expect(reply.json).toBeUndefined();
		expect(reply.text.length).toBeGreaterThan(10);
		expect(await pipelines(api)).toBe(seeded + 1);
	});

	it("endless-body never ends, until the client leaves", async () => {
		const { url, token, faults, api } = await testServer({ faults: true });
		faults.add({ endpoint: "listClusters", kind: "endless-body", times: 1 });
		const leave = new AbortController();
		const response = await fetch(`${url}/api/datachain/clusters/`, {
			headers: bearer(token),
			signal: leave.signal,
		});
		let size = 0;
		for await (const chunk of response.body ?? []) {
			size += chunk.length;
			if (size > 8 * 1024 * 1024) break;
		}
		leave.abort();
		expect(size).toBeGreaterThan(8 * 1024 * 1024);
		expect((await api.get("/clusters/")).status).toBe(200);
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

	it("failed-upload takes the file and reports that it failed", async () => {
		const { url, token, faults } = await testServer({ faults: true });
		faults.add({ kind: "failed-upload", message: "disk full", times: 1 });
		const form = new FormData();
		form.append("file", new Blob(["x"]), "a");
		const reply = await send(`${url}/api/datachain/jobs/files`, {
			method: "POST",
			headers: bearer(token),
			body: form,
		});
		expect(reply).toMatchObject({ status: 200, json: { state: "failed", error: "disk full" } });
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

	it("draws by chance the same way each time", async () => {
		const draw = async () => {
			const { api, faults } = await testServer({ faults: true });
			faults.add({ kind: "status", status: 500, probability: 0.5, seed: 7 });
			const seen: number[] = [];
			for (let i = 0; i < 12; i++) seen.push((await api.get("/clusters/")).status);
			return seen;
		};
		const first = await draw();
		expect(new Set(first)).toEqual(new Set([200, 500]));
		expect(await draw()).toEqual(first);
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
