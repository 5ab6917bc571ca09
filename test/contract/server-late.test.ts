import { describe, expect, it } from "vitest";
import { faultyServer } from "../helpers/server-faulty";
import { testServer } from "../helpers/server-harness";

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

	it("delays update, delete, settings and pause in the same way", async () => {
		const server = await faultyServer();
		const [a, b] = [
			(await server.create("a")).at("schedule.id"),
			(await server.create("b")).at("schedule.id"),
		];
		server.faults.add({ kind: "late-effect", ms: SECOND });
		expect((await server.update(a, { schedule_name: "a2" })).at("schedule.schedule_name")).toBe("a2");
		expect((await server.remove(b)).json).toEqual({ ok: true });
		expect((await server.settings({ workers: 4 })).at("pipeline.workers")).toBe(4);
		expect((await server.pause()).at("pipeline.status")).toBe("PAUSED");
		expect(await server.names()).toEqual(["a", "b"]);
		expect((await server.pipeline()).json).toMatchObject({ status: "COMPLETED", workers: null });
		server.clock.advance(SECOND);
		expect(await server.names()).toEqual(["a2"]);
		expect((await server.pipeline()).json).toMatchObject({ status: "PAUSED", workers: 4 });
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

	it("lets a schedule fire once it is there, and not after its deletion", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "late-effect", ms: SECOND });
		const id = (await server.create("daily")).at("schedule.id");
		server.clock.advance(86_400 * SECOND);
		expect((await server.get(id)).at("latest_run.schedule_name")).toBe("daily");
		const runs = server.team.pipelines().length;
		await server.remove(id);
		server.clock.advance(3 * 86_400 * SECOND);
		expect(server.team.pipelines()).toHaveLength(runs);
	});

	it("runs the jobs of a pipeline that appears late", async () => {
		const { api, clock, faults } = await testServer({ faults: true });
		faults.add({ kind: "late-effect", ms: SECOND });
		const made = await api.post("/pipeline/trigger", { datasets: ["dev.images.raw"] });
		const name = made.textAt("pipeline.name");
		expect((await api.get(`/pipeline/status?name=${name}`)).status).toBe(404);
		clock.advance(SECOND);
		expect((await api.get(`/pipeline/status?name=${name}`)).at("status")).toBe("RUNNING");
		clock.advance(60 * SECOND);
		expect((await api.get(`/pipeline/status?name=${name}`)).at("status")).toBe("COMPLETED");
	});

	it("refuses at once what is wrong, and then nothing happens", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "late-effect", ms: SECOND });
		expect((await server.remove(999)).status).toBe(404);
		expect((await server.update(999, { schedule_name: "x" })).status).toBe(404);
		server.clock.advance(SECOND);
		expect(await server.names()).toEqual([]);
	});

	it("comes together with a status after the work and with reads that lag", async () => {
		const server = await faultyServer();
		server.faults.add({ kind: "late-effect", ms: SECOND });
		server.faults.add({ kind: "stale-read", ms: SECOND });
		server.faults.add({ kind: "status", status: 502, afterWork: true, endpoint: "createSchedule" });
		expect((await server.create("a")).status).toBe(502);
		server.clock.advance(SECOND);
		expect(server.team.schedules()).toHaveLength(1);
		expect(await server.names()).toEqual([]);
		server.clock.advance(SECOND);
		expect(await server.names()).toEqual(["a"]);
	});
});
