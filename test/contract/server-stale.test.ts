import { describe, expect, it } from "vitest";
import { startServer } from "../../src/server";
import { faultyServer } from "../helpers/server-faulty";
import { apiOf, eventually } from "../helpers/server-harness";

const SECOND = 1_000;

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

	it("shows each change after its own time, however many there are", async () => {
		const server = await faultyServer();
		const { id } = server.team.createSchedule({
			schedule_name: "0",
			pipeline_name: "p1",
			cron_expression: "@daily",
		});
		server.faults.add({ kind: "stale-read", ms: 10 * SECOND });
		for (let step = 1; step <= 500; step++) {
			server.clock.advance(SECOND);
			server.team.updateSchedule({ schedule_id: id, schedule_name: `${step}` });
			if (step % 100 === 0) expect((await server.get(id)).at("schedule_name")).toBe(`${step - 10}`);
		}
	});

	it("goes on to show a pipeline that somebody made the service forget", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "stale-read", ms: 10 * SECOND });
		server.clock.advance(SECOND);
		server.team.forgetPipeline("p1");
		server.clock.advance(9 * SECOND);
		expect((await server.pipeline()).status).toBe(200);
		server.clock.advance(SECOND);
		expect((await server.pipeline()).status).toBe(404);
	});

	it("goes no further back than when the rule was added, also at the same instant", async () => {
		const server = await faultyServer();
		await server.create("before");
		server.faults.add({ kind: "stale-read", ms: 10 * SECOND });
		await server.create("after");
		expect(await server.names()).toEqual(["before"]);
		server.faults.add({ kind: "stale-read", ms: 10 * SECOND, endpoint: "getSchedule" });
		expect(await server.names()).toEqual(["before"]);
	});

	it("can be for one endpoint, and for one team", async () => {
		const server = await faultyServer();
		const other = server.addTeam("other");
		server.faults.add({ kind: "stale-read", ms: SECOND, endpoint: "getSchedule", team: "ml" });
		const id = (await server.create("a")).at("schedule.id");
		expect((await server.get(id)).status).toBe(404);
		expect(await server.names()).toEqual(["a"]);
		const { id: there } = other.createSchedule({
			schedule_name: "b",
			pipeline_name: "p1",
			cron_expression: "@daily",
		});
		expect((await server.in("other").get(there)).status).toBe(200);
	});

	it("shows a team that was added meanwhile, with the pipelines it began with", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "stale-read", ms: SECOND });
		server.addTeam("young");
		const young = server.in("young");
		expect((await young.create("a")).status).toBe(200);
		expect((await young.pipelines()).json).toHaveLength(3);
		expect(await young.names()).toEqual([]);
	});

	it("comes together with a reply that says 500 after the work", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "status", status: 500, afterWork: true, endpoint: "createSchedule", times: 1 });
		server.faults.add({ kind: "stale-list", ms: 15 * SECOND });
		expect((await server.create("a")).status).toBe(500);
		expect(await server.names()).toEqual([]);
		expect(server.team.schedules().map(({ name }) => name)).toEqual(["a"]);
		server.clock.advance(15 * SECOND);
		expect(await server.names()).toEqual(["a"]);
	});

	it("takes real time on a server with the machine's clock", async () => {
		const server = await startServer({ faults: true });
		try {
			const api = apiOf(server);
			server.faults.add({ kind: "stale-read", ms: 300 });
			const body = { schedule_name: "new", pipeline_name: "nightly-images", cron_expression: "@daily" };
			const id = (await api.post("/pipeline/create-schedule", body)).at("schedule.id");
			expect((await api.get(`/pipeline/schedule?schedule_id=${id}`)).status).toBe(404);
			await eventually(async () => (await api.get(`/pipeline/schedule?schedule_id=${id}`)).status === 200);
		} finally {
			await server.close();
		}
	});
});
