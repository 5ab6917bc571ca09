import { beforeEach, describe, expect, it } from "vitest";
import type { Props } from "../../src/provider/model/props";
import { WRITES } from "../helpers/provider-harness";
import {
	freshStack,
	jobFile,
	named,
	stack,
	there,
	tuned,
	world,
} from "../helpers/provider-scene";
import type { Who } from "../model/process";

freshStack();

const program = [
	named("a", "a"),
	tuned({ pipelineName: "p2", workers: 2, environment: { A: "1" } }),
];

it("one odd pipeline in the team is left out and named, once in a run and without its values", async () => {
	await stack.up(program);
	// The newest pipeline is listed first: p3, which no resource manages.
	const set = { "0.environment_variables": "TOKEN=secret-of-theirs", "0.workers": [] };
	world.fault({ kind: "rewrite", endpoint: "listPipelines", set });
	const { steps, notices } = await stack.refresh();
	expect([...steps].sort()).toEqual(["read a", "read s"]);
	expect(notices).toEqual([
		expect.stringMatching(
			/^The response to listPipelines has an element that was left out .*: id [\w-]+, .*environment_variables/,
		),
	]);
	expect(notices.join("")).not.toContain("secret-of-theirs");
});

it("a schedule whose reply shows neither pipeline nor creator is made and changed, and has no drift", async () => {
	world.fault({
		kind: "rewrite",
		endpoint: "getSchedule",
		remove: ["pipeline", "created_by"],
	});
	const declared = (cronExpression: string) => [
		named("a", "a", { paused: false, cronExpression }),
	];
	expect((await stack.up(declared("0 3 * * *"))).failures).toEqual([]);
	expect((await stack.up(declared("0 4 * * *"))).failures).toEqual([]);
	// No list has it, so that the schedule itself is asked for.
	world.fault({
		kind: "rewrite",
		endpoint: "listPipelines",
		set: { "*.name": "another" },
	});
	expect((await stack.refresh()).steps).toEqual(["read a"]);
	expect(stack.entry("a").inputs).toMatchObject({ pipelineName: "p1", paused: false });
});

it("a new schedule's pipeline that no list has is not called missing by a 404 of others", async () => {
	world.fault({
		kind: "rewrite",
		endpoint: "listPipelines",
		set: { "*.name": "another" },
	});
	world.fault({ kind: "html", status: 404, endpoint: "pipelineStatus" });
	const { failures } = await stack.preview([named("a", "a")]);
	expect(failures).toEqual([expect.stringMatching(/^a: .*404/s)]);
	expect(failures[0]).not.toMatch(/has no pipeline/);
});

describe("a schedule that is gone, of which the service says so in another way", () => {
	beforeEach(() => stack.up([named("a", "a")]));

	it.each([
		{ kind: "status", status: 400, message: "Invalid id." },
		{ kind: "status", status: 422, message: "Unprocessable." },
		{ kind: "html", status: 404 },
	] as const)(
		"is deleted after $kind $status where the list does not have it either",
		async (fault) => {
			world.fault({ ...fault, endpoint: "getSchedule" });
			const heal = world.fault({
				kind: "html",
				status: 404,
				endpoint: "deleteSchedule",
			});
			expect((await stack.destroy()).failures).not.toEqual([]);
			expect(stack.ids()).toHaveProperty("a");
			heal();
			expect((await stack.destroy()).failures).toEqual([]);
			expect(there()).toEqual([]);
		},
	);

	it("leaves the state at the next refresh, by the words of a 400 and the list", async () => {
		world.colleague.deleteSchedule(Number(stack.ids().a));
		const message = "PipelineSchedule does not exist.";
		world.fault({ kind: "status", status: 400, message, endpoint: "getSchedule" });
		expect((await stack.refresh()).steps).toEqual(["gone a"]);
	});

	it("stays in the state where a 400 says something else", async () => {
		world.colleague.deleteSchedule(Number(stack.ids().a));
		world.fault({
			kind: "status",
			status: 400,
			message: "Invalid id.",
			endpoint: "getSchedule",
		});
		await expect(stack.refresh()).rejects.toThrow("Invalid id.");
		expect(stack.ids()).toHaveProperty("a");
	});
});

it("replies with another precision of the moment of creation name the same schedule", async () => {
	world.server.clock.advance(123);
	await stack.up([named("a", "a")]);
	world.fault({
		kind: "rewrite",
		endpoint: "listSchedules",
		fraction: { "*.created_at": 0 },
	});
	world.fault({
		kind: "rewrite",
		endpoint: "getSchedule",
		fraction: { created_at: 3 },
	});
	expect((await stack.refresh()).steps).toEqual(["read a"]);
	expect(
		(await stack.up([named("a", "a", { cronExpression: "0 4 * * *" })])).failures,
	).toEqual([]);
	expect((await stack.destroy()).failures).toEqual([]);
	expect(there()).toEqual([]);
});

it("a replica that lags behind the others does not hide a pipeline from the deployment that created it", async () => {
	const process = world.process();
	const make = async (who: Who, declared: Props) =>
		process.create(who, await process.check(who, declared));
	const { outs } = await make(
		{ kind: "Pipeline", name: "images" },
		{ datasets: ["dev.images.clean"] },
	);
	world.fault({ kind: "status", endpoint: "pipelineStatus", status: 404, times: 2 });
	world.fault({
		kind: "capped-list",
		endpoint: "listPipelines",
		limit: 3,
		which: "oldest",
		times: 2,
	});
	const declared = { pipelineName: String(outs.name), workers: 2 };
	expect(
		(await make({ kind: "PipelineSettings", name: "x" }, declared)).outs,
	).toMatchObject(declared);
});

it("a service whose replies to writes leave out ok, or say nothing, can be used, and each write is sent once", async () => {
	const silent = (...remove: string[]) => {
		for (const endpoint of WRITES) world.fault({ kind: "rewrite", endpoint, remove });
	};
	silent("ok");
	expect((await stack.up(program)).failures).toEqual([]);
	silent("ok", "schedule", "pipeline");
	world.writes();
	const tunedP2 = tuned({ pipelineName: "p2", workers: 3, paused: true });
	const changed = [named("a", "a", { cronExpression: "0 4 * * *" }), tunedP2];
	expect((await stack.up(changed)).failures).toEqual([]);
	expect(world.writes()).toEqual(["updateSchedule", "updateSettings", "pausePipeline"]);
	expect((await stack.destroy()).failures).toEqual([]);
	expect(there()).toEqual([]);
});

it("numbers that a service sends as strings are read, ids of schedules among them", async () => {
	world.fault({
		kind: "rewrite",
		endpoint: "createSchedule",
		set: { "schedule.id": "1" },
	});
	world.fault({ kind: "rewrite", endpoint: "getSchedule", set: { id: "1" } });
	world.fault({ kind: "rewrite", endpoint: "uploadFile", set: { size: "2" } });
	const file = jobFile("f", { name: "f.txt", text: "hi" });
	expect((await stack.up([named("a", "a"), file])).failures).toEqual([]);
	expect(stack.entry("a").outs).toMatchObject({ scheduleId: 1 });
	world.fault({ kind: "rewrite", endpoint: "listSchedules", set: { "0.id": "1" } });
	expect([...(await stack.refresh()).steps].sort()).toEqual(["read a", "read f"]);
});
