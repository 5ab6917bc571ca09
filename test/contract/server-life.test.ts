import { expect, it } from "vitest";
import { testServer } from "../helpers/server-harness";

it("a schedule fires when it is due, each time a new pipeline, and remembers the latest", async () => {
	const { api, clock } = await testServer();
	const nightly = { schedule_name: "nightly", pipeline_name: "nightly-images", cron_expression: "0 3 * * *" };
	const id = (await api.post("/pipeline/create-schedule", nightly)).at("schedule.id");
	const runs = async () =>
		((await api.get("/pipeline/list?limit=1000")).json as Record<string, unknown>[]).filter(
			(run) => run.schedule_name === "nightly",
		);
	clock.set("2026-01-01T02:59:59Z");
	expect(await runs()).toHaveLength(0);
	clock.set("2026-01-01T03:00:00Z");
	expect(await runs()).toMatchObject([{ status: "RUNNING" }]);
	clock.set("2026-01-03T12:00:00Z");
	const names = (await runs()).map((run) => run.name);
	expect(new Set(names).size).toBe(3);
	const schedule = await api.get(`/pipeline/schedule?schedule_id=${id}`);
	expect(schedule.json).toMatchObject({
		next_run: "2026-01-04T03:00:00.000000+00:00",
		latest_run: {
			name: names[0],
			status: "COMPLETED",
			environment_variables: { LOG_LEVEL: "info" },
			total: 3,
		},
		pipeline: { name: "nightly-images", schedule_name: null },
	});
});
