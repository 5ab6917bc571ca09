import { describe, expect, it } from "vitest";
import { jobSchema } from "../../src/schemas/job";
import { testServer } from "../helpers/server-harness";

const job = { query: 'print("hello")\n', query_type: "PYTHON" };
const STEP = 1_000;

describe("a job", () => {
	it("moves through its states by the clock, and its log grows", async () => {
		const { api, clock } = await testServer();
		const made = await api.post("/jobs/", job);
		expect(made.at("status")).toBe("CREATED");
		const id = made.textAt("id");
		const seen: unknown[] = [];
		for (let step = 0; step < 7; step++) {
			const now = await api.get(`/jobs/?job_id=${id}`);
			if (seen.at(-1) !== now.at("0.status")) seen.push(now.at("0.status"));
			clock.advance(STEP);
		}
		expect(seen).toEqual(["CREATED", "QUEUED", "INIT", "RUNNING", "COMPLETE"]);
		const logs = await api.get(`/jobs/${id}/logs`);
		expect(logs.at("logs.2")).toEqual({ id: 3, message: "hello\n" });
		const ended = await api.get(`/jobs/?job_id=${id}`);
		expect(ended.at("0")).toMatchObject({
			exit_code: 0,
			error_message: null,
			finished_at: "2026-01-01T00:00:06.000000+00:00",
		});
	});

	it("answers in the documented shape, with nothing null that clients need", async () => {
		const { api, url } = await testServer();
		const made = await api.post("/jobs/", {
			...job,
			environment: "A=1\nB=x=y",
			query_name: "q.py",
			workers: null,
			files: null,
		});
		const parsed = jobSchema.parse(made.json);
		expect(parsed).toMatchObject({
			name: "q.py",
			team: "vision",
			workers: 1,
			environment: { A: "1", B: "x=y" },
			compute_cluster_name: "default",
			compute_cluster_id: 1,
			created_by: "developer",
			created_at: "2026-01-01T00:00:00.000000+00:00",
			url: `${url}/team/vision/datasets/jobs/${parsed.id}`,
		});
	});

	it("runs on the cluster that was asked for, by name, number or text id", async () => {
		const { api } = await testServer();
		const cluster = async (choice: object) =>
			(await api.post("/jobs/", { ...job, ...choice })).at("compute_cluster_name");
		expect(await cluster({ compute_cluster_name: "gpu" })).toBe("gpu");
		expect(await cluster({ compute_cluster_id: 2 })).toBe("gpu");
		expect(await cluster({ compute_cluster_id: "2" })).toBe("gpu");
		expect(await cluster({ compute_cluster_id: "k3f9x2mq7a" })).toBe("legacy-gcp");
	});

	it("fails where its query says so, and says why", async () => {
		const { api, clock } = await testServer();
		const id = (
			await api.post("/jobs/", { query: "import sys\nsys.exit(7)\n", query_type: "PYTHON" })
		).textAt("id");
		clock.advance(10 * STEP);
		const ended = await api.get(`/jobs/?job_id=${id}`);
		expect(ended.at("0")).toMatchObject({
			status: "FAILED",
			exit_code: 7,
			error_message: expect.stringContaining("7"),
		});
	});

	it("can be canceled while it runs, once; a finished one cannot", async () => {
		const { api, clock } = await testServer();
		const id = (await api.post("/jobs/", { ...job, query: "# local-server: hold" })).textAt("id");
		clock.advance(60 * STEP);
		expect((await api.get(`/jobs/?job_id=${id}`)).at("0.status")).toBe("RUNNING");
		expect((await api.post(`/jobs/${id}/cancel`, { team_name: "vision" })).status).toBe(200);
		expect((await api.post(`/jobs/${id}/cancel`)).status).toBe(200);
		expect((await api.get(`/jobs/?job_id=${id}`)).at("0.status")).toBe("CANCELING");
		clock.advance(STEP);
		expect((await api.get(`/jobs/?job_id=${id}`)).at("0.status")).toBe("CANCELED");
		expect(await api.post(`/jobs/${id}/cancel`, {})).toMatchObject({
			status: 409,
			json: { message: expect.stringContaining("CANCELED") },
		});
	});

	it("with an unknown rerun_from_job_id is made all the same", async () => {
		const { api } = await testServer();
		const body = { ...job, rerun_from_job_id: "11111111-1111-4111-8111-111111111111", reset: true };
		expect((await api.post("/jobs/", body)).at("rerun_from_job_id")).toBe(body.rerun_from_job_id);
	});

	it("with a cron becomes a task that makes a job each time, until it is canceled", async () => {
		const { api, clock } = await testServer();
		const task = await api.post("/jobs/", { ...job, query_name: "hourly.py", cron_expression: "@hourly" });
		expect(task.at("status")).toBe("SCHEDULED");
		const id = task.textAt("id");
		const runs = async () => {
			const { json } = await api.get("/jobs/?limit=100");
			return (json as { parent_job_id: string }[]).filter((one) => one.parent_job_id === id).length;
		};
		clock.set("2026-01-01T03:00:30Z");
		expect(await runs()).toBe(3);
		expect((await api.get(`/jobs/?job_id=${id}`)).at("0.status")).toBe("TASK");
		expect((await api.post(`/jobs/${id}/cancel`, {})).status).toBe(200);
		clock.set("2026-01-01T09:00:30Z");
		expect(await runs()).toBe(3);
		expect((await api.get(`/jobs/?job_id=${id}`)).at("0.status")).toBe("CANCELED");
	});

	it("with a start time alone runs once, then", async () => {
		const { api, clock } = await testServer();
		const task = await api.post("/jobs/", { ...job, start_after: "2026-01-01T01:00:00" });
		clock.set("2026-01-01T00:59:59Z");
		expect((await api.get(`/jobs/?job_id=${task.textAt("id")}`)).at("0.status")).toBe("SCHEDULED");
		clock.set("2026-01-03T00:00:00Z");
		const { json } = await api.get("/jobs/?limit=100");
		const runs = (json as { parent_job_id: string; status: string }[]).filter(
			(one) => one.parent_job_id === task.at("id"),
		);
		expect(runs).toMatchObject([{ status: "COMPLETE" }]);
	});
});

describe("the job list", () => {
	it("is newest first, twenty unless asked otherwise", async () => {
		const { api } = await testServer({ empty: true });
		for (let i = 0; i < 25; i++) await api.post("/jobs/", { ...job, query_name: `q${i}` });
		const names = async (query: string) =>
			((await api.get(`/jobs/${query}`)).json as { name: string }[]).map((one) => one.name);
		expect(await names("")).toHaveLength(20);
		expect(await names("?limit=3&team_name=vision")).toEqual(["q24", "q23", "q22"]);
		expect(await names("?limit=1000")).toHaveLength(25);
	});

	it("filters by status whatever its case, and by the groups ACTIVE and INACTIVE", async () => {
		const { api } = await testServer();
		const statuses = async (status: string) =>
			new Set(
				((await api.get(`/jobs/?limit=100&status=${status}`)).json as { status: string }[]).map(
					(one) => one.status,
				),
			);
		expect(await statuses("complete")).toEqual(new Set(["COMPLETE"]));
		expect(await statuses("Active")).toEqual(new Set(["RUNNING"]));
		expect(await statuses("INACTIVE")).toEqual(new Set(["COMPLETE", "FAILED", "PENDING"]));
	});

	it("shows steps only where they are asked for", async () => {
		const { api, clock } = await testServer({ empty: true });
		await api.post("/jobs/", job);
		clock.advance(20 * STEP);
		expect((await api.get("/jobs/")).at("0.steps")).toBeNull();
		expect((await api.get("/jobs/?include_steps=True")).at("0.steps")).toMatchObject([
			{
				name: "queued",
				started_at: "2026-01-01T00:00:01.000000+00:00",
				finished_at: "2026-01-01T00:00:02.000000+00:00",
			},
			{ name: "init" },
			{ name: "running", finished_at: "2026-01-01T00:00:06.000000+00:00" },
		]);
	});
});
