import { beforeEach, describe, expect, it } from "vitest";
import type { Props } from "../../src/provider/handler";
import { settings } from "../helpers/provider-engine";
import { checked, created, type Process, type Who } from "../helpers/provider-harness";
import { freshStack, named, stack, there, world } from "../helpers/provider-scene";

freshStack();

const program = [named("a", "a"), settings("s", { pipelineName: "p2", workers: 2, environment: { A: "1" } })];

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

it("a schedule whose reply does not show its pipeline is made and changed, and has no drift", async () => {
	world.fault({ kind: "rewrite", endpoint: "getSchedule", remove: ["pipeline"] });
	const declared = (cronExpression: string) => [named("a", "a", { paused: false, cronExpression })];
	expect((await stack.up(declared("0 3 * * *"))).failures).toEqual([]);
	expect((await stack.up(declared("0 4 * * *"))).failures).toEqual([]);
	// No list has it, so that the schedule itself is asked for.
	world.fault({ kind: "rewrite", endpoint: "listPipelines", set: { "*.name": "another" } });
	expect((await stack.refresh()).steps).toEqual(["read a"]);
	expect(stack.entry("a").inputs).toMatchObject({ pipelineName: "p1", paused: false });
});

it("a new schedule's pipeline that no list has is not called missing by a 404 of others", async () => {
	world.fault({ kind: "rewrite", endpoint: "listPipelines", set: { "*.name": "another" } });
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
	] as const)("is deleted after $kind $status where the list does not have it either", async (fault) => {
		world.fault({ ...fault, endpoint: "getSchedule" });
		const heal = world.fault({ kind: "html", status: 404, endpoint: "deleteSchedule" });
		expect((await stack.destroy()).failures).not.toEqual([]);
		expect(stack.ids()).toHaveProperty("a");
		heal();
		expect((await stack.destroy()).failures).toEqual([]);
		expect(there()).toEqual([]);
	});

	it("leaves the state at the next refresh, by the words of a 400 and the list", async () => {
		world.colleague.deleteSchedule(Number(stack.ids().a));
		world.fault({
			kind: "status",
			status: 400,
			message: "PipelineSchedule does not exist.",
			endpoint: "getSchedule",
		});
		expect((await stack.refresh()).steps).toEqual(["gone a"]);
	});

	it("stays in the state where a 400 says something else", async () => {
		world.colleague.deleteSchedule(Number(stack.ids().a));
		world.fault({ kind: "status", status: 400, message: "Invalid id.", endpoint: "getSchedule" });
		await expect(stack.refresh()).rejects.toThrow("Invalid id.");
		expect(stack.ids()).toHaveProperty("a");
	});
});

const SECOND = 1_000;
const LAG = 15 * SECOND;
const nightly = (inputs: object = {}, more: object = {}) => [named("nightly", "nightly", inputs, more)];

describe("reads that lag behind writes", () => {
	it("do not show drift in a refresh right after an up, where only the lists lag", async () => {
		const program = (cronExpression: string, workers: number) => [
			...nightly({ cronExpression }),
			settings("p2", { pipelineName: "p2", workers }),
		];
		await stack.up(program("0 1 * * *", 2));
		world.server.clock.advance(60 * SECOND);
		world.fault({ kind: "stale-list", ms: LAG });
		await stack.up(program("0 2 * * *", 3));
		await stack.refresh();
		expect(stack.entry("nightly").inputs).toMatchObject({ cronExpression: "0 2 * * *" });
		expect(stack.entry("p2").inputs).toMatchObject({ workers: 3 });
		expect(stack.entry("nightly").outs.cronDescription).toBe("every day at 02:00 UTC");
		expect((await stack.up(program("0 2 * * *", 3))).steps).toEqual(["same nightly", "same p2"]);
	});
});

describe("replies that say something else than what is", () => {
	it("with another precision of the moment of creation name the same schedule", async () => {
		world.server.clock.advance(123);
		await stack.up(nightly());
		world.fault({ kind: "rewrite", endpoint: "listSchedules", fraction: { "*.created_at": 0 } });
		world.fault({ kind: "rewrite", endpoint: "getSchedule", fraction: { created_at: 3 } });
		expect((await stack.refresh()).steps).toEqual(["read nightly"]);
		expect((await stack.up(nightly({ cronExpression: "0 4 * * *" }))).failures).toEqual([]);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(there()).toEqual([]);
	});
});

describe("a replica that lags behind the others", () => {
	const deployed = async (process: Process, who: Who, declared: Props) =>
		created(process, who, await checked(process, who, declared));
	const createPipeline = async (process: Process) => {
		const made = await deployed(
			process,
			{ kind: "Pipeline", name: "images" },
			{ datasets: ["dev.images.clean"] },
		);
		return String(made.outs.name);
	};
	const missTheNewest = () => {
		world.fault({ kind: "status", endpoint: "pipelineStatus", status: 404, times: 2 });
		world.fault({ kind: "capped-list", endpoint: "listPipelines", limit: 3, which: "oldest", times: 2 });
	};

	it.each([
		["PipelineSettings", { workers: 2 }],
		["PipelineSchedule", { cronExpression: "0 1 * * *", scheduleName: "nightly", paused: false }],
	] as const)("does not hide a pipeline from %s of the deployment that created it", async (kind, inputs) => {
		const process = world.process();
		const declared = { pipelineName: await createPipeline(process), ...inputs };
		missTheNewest();
		expect((await deployed(process, { kind, name: "x" }, declared)).outs).toMatchObject(declared);
	});
});
