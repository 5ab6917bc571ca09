import { describe, expect, it } from "vitest";
import { type Api, testServer } from "../helpers/server-harness";

/** What happens by itself in a team, and what no test of a client looks at. */
interface Run {
	readonly name: string;
	readonly schedule_name: string | null;
	readonly status: string;
}

const list = async (api: Api, path: string) => (await api.get(path)).json as readonly Run[];

async function create(api: Api, values: object = {}) {
	const nightly = { schedule_name: "nightly", pipeline_name: "nightly-images", cron_expression: "0 3 * * *" };
	const made = await api.post("/pipeline/create-schedule", { ...nightly, ...values });
	expect(made.status, made.text).toBe(200);
	const id = made.at("schedule.id");
	const get = () => api.get(`/pipeline/schedule?schedule_id=${id}`);
	const runs = async () =>
		(await list(api, "/pipeline/list?limit=1000")).filter((one) => one.schedule_name === "nightly");
	return { id, get, runs };
}

describe("a schedule", () => {
	it("fires when it is due, each time a new pipeline, and remembers the latest", async () => {
		const { api, clock } = await testServer();
		const schedule = await create(api);
		clock.set("2026-01-01T02:59:59Z");
		expect(await schedule.runs()).toHaveLength(0);
		clock.set("2026-01-01T03:00:00Z");
		expect(await schedule.runs()).toMatchObject([{ status: "RUNNING" }]);
		clock.set("2026-01-03T12:00:00Z");
		const runs = await schedule.runs();
		expect(new Set(runs.map((run) => run.name)).size).toBe(3);
		expect((await schedule.get()).json).toMatchObject({
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

	it("of a paused pipeline does not fire, and goes on counting", async () => {
		const { api, clock } = await testServer();
		const schedule = await create(api);
		await api.post("/pipeline/update-schedule", { schedule_id: schedule.id, pause_pipeline: true });
		clock.set("2026-01-02T12:00:00Z");
		expect(await schedule.runs()).toHaveLength(0);
		expect((await schedule.get()).json).toMatchObject({
			next_run: "2026-01-03T03:00:00.000000+00:00",
			pipeline: { status: "PAUSED" },
		});
		await api.post("/pipeline/resume", { name: "nightly-images" });
		clock.set("2026-01-03T12:00:00Z");
		expect(await schedule.runs()).toHaveLength(1);
	});

	it("leaves a bounded history, its latest run in it", async () => {
		const { api, clock } = await testServer({ jobStepMillis: 1 });
		const schedule = await create(api, { pipeline_name: "rusty-vise", cron_expression: "* * * * *" });
		clock.advance(24 * 3_600_000);
		expect((await schedule.runs()).length).toBeLessThan(400);
		expect((await schedule.get()).at("latest_run.created_at")).toBe("2026-01-02T00:00:00.000000+00:00");
		expect((await list(api, "/jobs/?limit=100000")).length).toBeLessThan(1_500);
	});
});

it("settings reach the jobs that start afterwards", async () => {
	const { api, clock } = await testServer();
	const settings = { environment: "STAGE=prod", workers: 5, python_version: "3.13" };
	await api.post("/pipeline/settings", { pipeline_name: "nightly-images", ...settings });
	await create(api);
	clock.set("2026-01-01T03:00:00Z");
	const { json } = await api.get("/jobs/?status=created");
	expect(json).toMatchObject([{ environment: { STAGE: "prod" }, workers: 5, python_version: "3.13" }]);
});
