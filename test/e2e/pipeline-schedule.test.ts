import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { showInstant } from "../../src/schemas/instant";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const BASE = {
	scheduleName: "nightly",
	pipelineName: "nightly-images",
	cronExpression: "0 3 * * *",
	startAfter: "2031-01-01T00:00:00Z",
};

const schedule = (args: object = {}): Declared => ({
	kind: "PipelineSchedule",
	name: "nightly",
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
			cronDescription: "every day at 03:00 UTC",
			createdBy: { username: "developer" },
			nextRun: showInstant((await live()).next_run ?? ""),
			pipeline: { name: "nightly-images" },
		});
		expect(outputs).not.toHaveProperty("paused");
		await test.expectSettled();
	});

	it("updates cron, start, name and pause in place, and the preview says that the pipeline will be paused", async () => {
		const { id } = await live();
		test.declare(
			schedule({
				cronExpression: "15 4 * * mon-fri",
				startAfter: "2032-02-29T12:30:00Z",
				scheduleName: "nightly-renamed",
				paused: true,
			}),
		);
		const preview = await test.preview(["--diff"]);
		expect(preview).toMatch(/cronExpression *: .* => "15 4 \* \* mon-fri"/);
		expect(preview).toMatch(/Pipeline "nightly-images" in team "vision" will be paused: "nightly" declares/);
		await test.up();
		expect(await live()).toMatchObject({
			id,
			cron_expression: "15 4 * * mon-fri",
			start_after: "2032-02-29T12:30:00.000000+00:00",
			schedule_name: "nightly-renamed",
			pipeline: { status: "PAUSED" },
		});
	});

	it("what is changed outside is named by refresh, field by field, and repaired by up", async () => {
		test.declare(schedule({ paused: false, cronExpression: "@weekly" }));
		await test.up();
		const before = await live();
		expect(before.cron_expression).toBe("0 0 * * 0");
		await test.client.schedules.update({
			schedule_id: before.id,
			cron_expression: "9 9 * * *",
			start_after: "2033-03-03T03:03:03Z",
			schedule_name: "somebody-renamed-it",
			pause_pipeline: true,
		});
		const drift = await test.drift();
		expect(drift).toMatch(/cronExpression *: "@weekly" => "9 9 \* \* \*"/);
		expect(drift).toMatch(/startAfter *: "2031-01-01T00:00:00Z" => "2033-03-03T03:03:03/);
		expect(drift).toMatch(/scheduleName *: "nightly" => "somebody-renamed-it"/);
		expect(drift).toMatch(/paused *: false => true/);
		await test.up(["--refresh"]);
		const { next_run: _n, updated_at: _u, latest_run: _l, ...after } = await live();
		expect(before).toMatchObject({ ...after, pipeline: { status: before.pipeline?.status } });
	});

	it("destroy deletes it and nothing else", async () => {
		const before = await test.client.schedules.list();
		const { id } = await live();
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		expect(await test.client.schedules.list()).toEqual(before.filter((item) => item.id !== id));
	});
});
