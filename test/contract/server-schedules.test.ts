import { describe, expect, it } from "vitest";
import { scheduleSchema } from "../../src/schemas/schedule";
import { type Api, testServer } from "../helpers/server-harness";

const PIPELINE = "rusty-vise";

async function create(api: Api, values: object = { cron_expression: "0 3 * * *" }) {
	const made = await api.post("/pipeline/create-schedule", {
		schedule_name: "nightly",
		pipeline_name: PIPELINE,
		...values,
	});
	expect(made.status, made.text).toBe(200);
	return made;
}

const get = (api: Api, id: unknown) => api.get(`/pipeline/schedule?team_name=vision&schedule_id=${id}`);

async function runsOf(
	api: Api,
	name: string,
): Promise<{ name: string; schedule_name: string; status: string }[]> {
	const { json } = await api.get("/pipeline/list?limit=1000");
	return (json as { name: string; schedule_name: string; status: string }[]).filter(
		(one) => one.schedule_name === name,
	);
}

describe("a schedule", () => {
	it("answers in the documented shape, with the next run in UTC", async () => {
		const { api } = await testServer();
		const made = await create(api, {
			cron_expression: "30 4 * * 1-5",
			start_after: "2026-01-05T06:00:00+02:00",
		});
		expect(scheduleSchema.parse(made.at("schedule"))).toMatchObject({
			schedule_name: "nightly",
			cron_expression: "30 4 * * 1-5",
			start_after: "2026-01-05T04:00:00.000000+00:00",
			next_run: "2026-01-05T04:30:00.000000+00:00",
			created_at: "2026-01-01T00:00:00.000000+00:00",
			latest_run: null,
			pipeline: { name: PIPELINE, is_template: true },
			created_by: { username: "developer" },
		});
		expect((await get(api, made.at("schedule.id"))).json).toEqual(made.at("schedule"));
	});

	it("is listed without its runs", async () => {
		const { api } = await testServer();
		await create(api);
		const { json } = await api.get("/pipeline/schedules?team_name=vision");
		expect(json).toMatchObject([
			{ schedule_name: "nightly-images-by-hand", created_by: { username: "ops-oncall" } },
			{ schedule_name: "nightly" },
		]);
		for (const item of json as object[]) expect(Object.keys(item)).not.toContain("pipeline");
	});

	it("may share its name with another; the ids differ", async () => {
		const { api } = await testServer();
		const first = await create(api);
		const second = await create(api);
		expect(first.at("schedule.id")).not.toBe(second.at("schedule.id"));
	});

	it("is stored in one spelling of its cron, and its missing start is filled in", async () => {
		const { api } = await testServer();
		expect((await create(api, { cron_expression: "@daily" })).at("schedule")).toMatchObject({
			cron_expression: "0 0 * * *",
			start_after: "2026-01-01T00:00:00.000000+00:00",
		});
		expect((await create(api, { cron_expression: " 0   3 * *\t1 " })).at("schedule.cron_expression")).toBe(
			"0 3 * * 1",
		);
	});

	it("keeps its cron as it was sent where normalising is off", async () => {
		const { api } = await testServer({ normalise: false });
		expect((await create(api, { cron_expression: "@daily" })).at("schedule.cron_expression")).toBe("@daily");
	});

	it("fires when it is due, each time a new pipeline, and remembers the latest", async () => {
		const { api, clock } = await testServer();
		const made = await create(api, { pipeline_name: "nightly-images", cron_expression: "0 3 * * *" });
		clock.set("2026-01-01T02:59:59Z");
		expect(await runsOf(api, "nightly")).toHaveLength(0);
		clock.set("2026-01-01T03:00:00Z");
		const [first] = await runsOf(api, "nightly");
		expect(first).toMatchObject({ status: "RUNNING" });
		clock.set("2026-01-03T12:00:00Z");
		const runs = await runsOf(api, "nightly");
		expect(runs).toHaveLength(3);
		expect(new Set(runs.map((run) => run.name)).size).toBe(3);
		const now = await get(api, made.at("schedule.id"));
		expect(now.json).toMatchObject({
			next_run: "2026-01-04T03:00:00.000000+00:00",
			latest_run: {
				name: runs[0]?.name,
				status: "COMPLETED",
				environment_variables: { LOG_LEVEL: "info" },
				total: 3,
			},
			pipeline: { name: "nightly-images", schedule_name: null },
		});
	});

	it("without a cron fires once, at its start", async () => {
		const { api, clock } = await testServer();
		const made = await create(api, { start_after: "2026-01-02T00:00:00Z" });
		expect(made.at("schedule.next_run")).toBe("2026-01-02T00:00:00.000000+00:00");
		clock.set("2026-01-09T00:00:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(1);
		expect((await get(api, made.at("schedule.id"))).at("next_run")).toBeNull();
	});

	it("does not fire before its start", async () => {
		const { api, clock } = await testServer();
		const made = await create(api, { cron_expression: "@hourly", start_after: "2026-01-01T05:00:00Z" });
		expect(made.at("schedule.next_run")).toBe("2026-01-01T05:00:00.000000+00:00");
		clock.set("2026-01-01T06:30:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(2);
	});

	it("of a paused pipeline does not fire, and goes on counting", async () => {
		const { api, clock } = await testServer();
		const made = await create(api);
		const id = made.at("schedule.id");
		const paused = await api.post("/pipeline/update-schedule", { schedule_id: id, pause_pipeline: true });
		expect(paused.at("schedule.pipeline.status")).toBe("PAUSED");
		clock.set("2026-01-02T12:00:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(0);
		expect((await get(api, id)).at("next_run")).toBe("2026-01-03T03:00:00.000000+00:00");
		await api.post("/pipeline/update-schedule", { schedule_id: id, pause_pipeline: false });
		expect((await get(api, id)).at("pipeline.status"), "false resumes nothing").toBe("PAUSED");
		await api.post("/pipeline/resume", { name: PIPELINE });
		clock.set("2026-01-03T12:00:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(1);
	});
});

describe("updating a schedule", () => {
	it("changes what is given and nothing else", async () => {
		const { api, clock } = await testServer();
		const made = await create(api, { cron_expression: "0 3 * * *", start_after: "2026-01-02T00:00:00Z" });
		const id = made.at("schedule.id");
		clock.advance(1_000);
		const renamed = await api.post("/pipeline/update-schedule", {
			schedule_id: id,
			schedule_name: "renamed",
			cron_expression: null,
		});
		const before = made.at("schedule") as object;
		expect(renamed.at("schedule")).toEqual({
			...before,
			schedule_name: "renamed",
			updated_at: "2026-01-01T00:00:01.000000+00:00",
		});
		const moved = await api.post("/pipeline/update-schedule", {
			schedule_id: id,
			cron_expression: "0 6 * * *",
		});
		expect(moved.at("schedule")).toMatchObject({
			schedule_name: "renamed",
			start_after: "2026-01-02T00:00:00.000000+00:00",
			next_run: "2026-01-02T06:00:00.000000+00:00",
		});
	});

	it("moves the next firing", async () => {
		const { api, clock } = await testServer();
		const id = (await create(api)).at("schedule.id");
		await api.post("/pipeline/update-schedule", { schedule_id: id, cron_expression: "0 23 * * *" });
		clock.set("2026-01-01T22:00:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(0);
		clock.set("2026-01-01T23:00:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(1);
	});
});

describe("deleting a schedule", () => {
	it("ends its firing and keeps its pipeline; a second delete finds nothing", async () => {
		const { api, clock } = await testServer();
		const id = (await create(api)).at("schedule.id");
		expect(
			(await api.post("/pipeline/delete-schedule", { schedule_id: id, team_name: "vision" })).json,
		).toEqual({ ok: true });
		clock.set("2026-01-05T00:00:00Z");
		expect(await runsOf(api, "nightly")).toHaveLength(0);
		expect((await get(api, id)).status).toBe(404);
		expect((await api.post("/pipeline/delete-schedule", { schedule_id: id })).status).toBe(404);
		expect((await api.get(`/pipeline/status?name=${PIPELINE}`)).at("is_template")).toBe(false);
	});
});

describe("a schedule that fires every minute", () => {
	it("leaves a bounded history, its latest run in it", async () => {
		const { api, clock } = await testServer({ empty: false, jobStepMillis: 1 });
		const id = (await create(api, { cron_expression: "* * * * *" })).at("schedule.id");
		clock.advance(24 * 3_600_000);
		expect((await runsOf(api, "nightly")).length).toBeLessThan(400);
		expect((await get(api, id)).at("latest_run.created_at")).toBe("2026-01-02T00:00:00.000000+00:00");
		expect(((await api.get("/jobs/?limit=100000")).json as unknown[]).length).toBeLessThan(1_500);
	});
});
