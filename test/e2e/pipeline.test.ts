import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { eventually } from "../helpers/server-harness";

const CLEAN = "dev.images.clean";
const pipeline = (args: object, name = "images"): Declared => ({
	kind: "Pipeline",
	name,
	args: { datasets: CLEAN, ...args },
});
const nightly = (args: object): Declared => ({
	kind: "PipelineSchedule",
	name: "nightly",
	args: { pipelineName: { $from: "images.name" }, cronExpression: "0 3 * * *", ...args },
});

describe("Pipeline, one life on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ jobStepMillis: 100 });
	});
	afterAll(() => test?.dispose());

	const live = async (name: string) => {
		const { outputs } = await test.resource(name);
		return test.client.pipelines.status({ name: String(outputs?.name) });
	};

	it("is made paused, a schedule and settings use its name, and nothing runs", async () => {
		test.declare(
			pipeline({}),
			{
				kind: "PipelineSettings",
				name: "tuning",
				args: { pipelineName: { $from: "images.name" }, workers: 2 },
			},
			nightly({}),
		);
		const preview = await test.preview();
		expect(preview).toMatch(/Pipeline {1,4}images {1,4}create/);
		expect(preview).toMatch(/If it is "images", it is created paused, and the schedule never runs it/);
		await test.up();
		const { outputs } = await test.resource("nightly");
		expect(await live("images")).toMatchObject({ status: "PAUSED", completed: 0, total: 2, workers: 2 });
		expect(outputs).toMatchObject({ pipelineName: (await live("images")).name });
		expect(test.printed()).toMatch(/is paused, so schedule "nightly" never runs it/);
		await test.expectSettled();
	});

	it("of other datasets is another one: schedule and settings follow, and the old one is paused", async () => {
		const before = await live("images");
		await test.client.pipelines.resume({ name: String(before.name) });
		test.declare(
			pipeline({ datasets: ["dev.images.raw"] }),
			{
				kind: "PipelineSettings",
				name: "tuning",
				args: { pipelineName: { $from: "images.name" }, workers: 2 },
			},
			nightly({ paused: false }),
		);
		expect(await test.preview()).toMatch(/Pipeline {1,4}images {1,4}replace/);
		await test.up();
		const [schedule] = (await test.client.schedules.list()).filter((item) =>
			item.schedule_name?.endsWith("nightly"),
		);
		const after = await test.client.schedules.get({ schedule_id: schedule?.id ?? 0 });
		expect(after.pipeline?.name).toBe((await live("images")).name);
		expect(after.pipeline?.name).not.toBe(before.name);
		expect(await test.client.pipelines.status({ name: String(before.name) })).toMatchObject({
			status: "PAUSED",
		});
		await test.expectSettled();
	});

	it("has jobs taken out, starts without them, and is paused and kept by a destroy that says so", async () => {
		test.declare(pipeline({ removeJobs: ["dev.images.raw"], start: true }, "short"));
		await test.up();
		const { name } = await live("short");
		await eventually(async () => ((await live("short")).status === "COMPLETED" ? true : undefined));
		expect((await live("short")).total).toBe(1);
		const result = await test.stack.destroy(["--skip-preview"]);
		expect(result.code).toBe(0);
		expect(result.stdout).toContain(
			`Pipeline "${name}" in team "vision" was paused and stays on the service`,
		);
		expect(await test.client.pipelines.status({ name: String(name) })).toMatchObject({ status: "PAUSED" });
	});
});

describe("ScheduledPipeline on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ jobStepMillis: 100 });
	});
	afterAll(() => test?.dispose());

	const whole = (args: object = {}): Declared => ({
		kind: "ScheduledPipeline",
		name: "images",
		args: {
			datasets: CLEAN,
			schedule: { cronExpression: "0 3 * * *" },
			settings: { workers: 3, environment: { KEY: { $secret: "sesame-open-42" } } },
			files: [{ text: "a", name: "a.txt" }],
			...args,
		},
	});

	it("takes in the resources that a program had without it, under the same ids", async () => {
		test.declare(pipeline({}));
		await test.up();
		const before = (await test.resource("images")).id;
		test.declare(whole());
		const { stdout } = await test.up();
		expect(stdout).not.toMatch(/replac|delet/);
		const ids = test.stack
			.checkpoint()
			.deployment.resources?.filter(({ urn }) => urn.endsWith("datachain:Pipeline::images"))
			.map(({ id }) => id);
		expect(ids).toEqual([before]);
		await test.expectSettled();
	});

	it("writes the settings before anything runs, and leaves the pipeline running by the clock", async () => {
		const [job] = (await test.client.jobs.list({ limit: 50 })).filter(({ name }) => name === CLEAN);
		await eventually(async () => {
			const now = await test.client.jobs.list({ job_id: job?.id });
			return now[0]?.status === "COMPLETE" ? true : undefined;
		});
		const [ran] = await test.client.jobs.list({ job_id: job?.id });
		expect(ran).toMatchObject({ workers: 3, environment: { KEY: "sesame-open-42" } });
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain("sesame-open-42");
		expect(await test.drift()).toBe("");
		const result = await test.stack.destroy(["--skip-preview"]);
		expect(result.code, result.stdout).toBe(0);
	});
});
