import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const BASE = {
	scheduleName: "nightly",
	pipelineName: "nightly-images",
	cronExpression: "0 3 * * *",
	startAfter: "2031-01-01T00:00:00Z",
};

const schedule = (args: object = {}, name = "nightly"): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: { ...BASE, ...args },
});

describe("PipelineSchedule, one life on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const live = async () => {
		const found = (await test.client.schedules.list()).filter(
			(item) => item.created_by?.username === "developer",
		);
		expect(found).toHaveLength(1);
		return test.client.schedules.get({ schedule_id: found[0]?.id ?? 0 });
	};

	it("is created as declared, and settles", async () => {
		test.declare(schedule());
		await test.up();
		expect(await live()).toMatchObject({
			schedule_name: "nightly",
			cron_expression: "0 3 * * *",
			pipeline: { name: "nightly-images", status: "COMPLETED" },
		});
		const { outputs } = await test.resource("nightly");
		expect(outputs).toMatchObject({
			scheduleId: (await live()).id,
			adopted: false,
			cronDescription: "At 03:00, every day (UTC)",
			createdBy: { username: "developer" },
			nextRun: (await live()).next_run,
			pipeline: { name: "nightly-images" },
		});
		await test.expectSettled();
	});

	it("another spelling of the same meaning changes nothing", async () => {
		test.declare(schedule({ cronExpression: " 0  3 * * 0-6 ", startAfter: "2031-01-01T01:00:00+01:00" }));
		await test.expectSettled();
		test.declare(schedule());
		await test.expectSettled();
	});

	it.each([
		["cronExpression", { cronExpression: "15 4 * * mon-fri" }, { cron_expression: "15 4 * * mon-fri" }],
		["cronExpression as a macro", { cronExpression: "@weekly" }, { cron_expression: "0 0 * * 0" }],
		[
			"startAfter",
			{ startAfter: "2032-02-29T12:30:00Z" },
			{ start_after: "2032-02-29T12:30:00.000000+00:00" },
		],
		["scheduleName", { scheduleName: "nightly-renamed" }, { schedule_name: "nightly-renamed" }],
		["paused", { paused: true }, { pipeline: { status: "PAUSED" } }],
		["paused back to its default", {}, { pipeline: { status: "COMPLETED" }, schedule_name: "nightly" }],
	])("updates %s in place", async (_field, args, expected) => {
		const { id } = await live();
		test.declare(schedule(args));
		await test.up();
		expect(await live()).toMatchObject({ id, ...expected });
	});

	it("has settled after all these updates", async () => {
		await test.expectSettled();
	});

	it.each([
		[
			"cronExpression",
			{ cron_expression: "9 9 * * *" },
			/cronExpression *: "0 3 \* \* \*" => "9 9 \* \* \*"/,
		],
		[
			"startAfter",
			{ start_after: "2033-03-03T03:03:03Z" },
			/startAfter *: "2031-01-01T00:00:00Z" => "2033-03-03T03:03:03/,
		],
		[
			"scheduleName",
			{ schedule_name: "somebody-renamed-it" },
			/scheduleName *: "nightly" => "somebody-renamed-it"/,
		],
		["paused", { pause_pipeline: true }, /paused *: false => true/],
	])("a %s changed outside is named by refresh and repaired by up", async (_field, change, shown) => {
		const before = await live();
		await test.client.schedules.update({ schedule_id: before.id, ...change });
		expect(await test.drift()).toMatch(shown);
		await test.up(["--refresh"]);
		const { next_run: _n, updated_at: _u, latest_run: _l, ...after } = await live();
		expect(before).toMatchObject({ ...after, pipeline: { status: before.pipeline?.status } });
	});

	it("changes outside that mean the same are no drift", async () => {
		const { id } = await live();
		await test.client.schedules.update({
			schedule_id: id,
			cron_expression: "0 3 * * */1",
			start_after: "2031-01-01T00:00:00.000000+00:00",
		});
		expect(await test.drift()).toBe("");
	});

	it("is made again after it was deleted outside", async () => {
		const { id } = await live();
		await test.client.schedules.delete({ schedule_id: id });
		expect(await test.drift()).toMatch(/PipelineSchedule: \(delete\)/);
		await test.up(["--refresh"]);
		expect((await live()).id).not.toBe(id);
		await test.expectSettled();
	});

	it("is replaced, old one first, when its pipeline changes", async () => {
		const { id } = await live();
		test.declare(schedule({ pipelineName: "rusty-vise" }));
		await test.up();
		expect(await live()).toMatchObject({ pipeline: { name: "rusty-vise" } });
		expect((await live()).id).not.toBe(id);
		await test.expectSettled();
	});

	it("is replaced when its cron is taken away, because no request can do that", async () => {
		const { id } = await live();
		const once = {
			kind: "PipelineSchedule",
			name: "nightly",
			args: { ...BASE, pipelineName: "rusty-vise" },
		} as const;
		const { cronExpression: _, ...args } = once.args;
		test.declare({ ...once, args });
		await test.up();
		expect(await live()).toMatchObject({ cron_expression: null });
		expect((await live()).id).not.toBe(id);
		await test.expectSettled();
	});

	it("a removed startAfter starts the schedule now", async () => {
		const { startAfter: _, ...args } = BASE;
		test.declare({ kind: "PipelineSchedule", name: "nightly", args });
		await test.up();
		expect(Date.parse((await live()).start_after ?? "")).toBeLessThanOrEqual(Date.now());
		await test.expectSettled();
	});

	it("destroy deletes it and nothing else", async () => {
		const before = await test.client.schedules.list();
		const { id } = await live();
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		expect(await test.client.schedules.list()).toEqual(before.filter((item) => item.id !== id));
	});
});
