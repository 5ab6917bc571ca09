import { expect, it } from "vitest";
import { manualClock } from "../../../src/server";
import { testServer } from "../../helpers/server-harness";

const TEAM = "audio";

/** A team without schedules, and what its list shows of those that are made. */
async function listedTeam() {
	const clock = manualClock("2026-01-01T00:00:00Z");
	const server = await testServer({ empty: true, faults: true, clock });
	server.addTeam(TEAM, { pipelines: ["p1"] });
	return {
		...server,
		clock,
		create: (schedule_name: string) =>
			server.api.post("/pipeline/create-schedule", {
				team_name: TEAM,
				pipeline_name: "p1",
				schedule_name,
				cron_expression: "0 3 * * *",
			}),
		listed: async () => {
			const { json } = await server.api.get(`/pipeline/schedules?team_name=${TEAM}`);
			return (json as { schedule_name: string }[]).map((each) => each.schedule_name);
		},
	};
}

it("shows what a late effect hid as soon as the rules are cleared", async () => {
	const { faults, create, listed } = await listedTeam();
	faults.add({ kind: "late-effect", ms: 60_000 });
	await create("late");
	expect(await listed()).toEqual([]);
	faults.clear();
	expect(await listed()).toEqual(["late"]);
});

it("a stale list does not show what lists do not show yet", async () => {
	const { faults, clock, create, listed } = await listedTeam();
	faults.add({ kind: "stale-list", ms: 5_000 });
	faults.add({ kind: "late-effect", ms: 10_000, listsOnly: true, times: 1 });
	await create("late");
	clock.advance(8_000);
	expect(await listed()).toEqual([]);
	clock.advance(8_000);
	expect(await listed()).toEqual(["late"]);
});
