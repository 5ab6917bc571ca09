import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { managedResources } from "../../tools/stack";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const nightly = (args: object = {}, name = "nightly", opts: object = {}): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: { scheduleName: "nightly", pipelineName: "rusty-vise", cronExpression: "0 3 * * *", ...args },
	opts: { ...opts },
});

describe("a schedule that already exists", () => {
	let test: TestDeployment;
	let theirs: number;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());
	beforeEach(async () => {
		if (managedResources(test.stack.checkpoint()).length > 0) {
			expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		}
		for (const item of await test.client.schedules.list())
			await test.client.schedules.delete({ schedule_id: item.id });
		const made = test.server.team("vision").createSchedule({
			schedule_name: "nightly",
			pipeline_name: "rusty-vise",
			cron_expression: "30 1 * * *",
		});
		theirs = made.id;
	});

	const ids = async () => (await test.client.schedules.list()).map((item) => item.id);

	it("is taken over with adopt, not recreated, and the preview says what will change", async () => {
		test.declare(nightly({ adopt: true }));
		expect(await test.preview()).toMatch(
			/Adopting schedule "nightly" .* will change it: cronExpression is "30 1 \* \* \*" there and "0 3 \* \* \*" here/,
		);
		await test.up();
		expect(await ids()).toEqual([theirs]);
		expect((await test.client.schedules.get({ schedule_id: theirs })).cron_expression).toBe("0 3 * * *");
		expect((await test.resource("nightly")).outputs).toMatchObject({ adopted: true, scheduleId: theirs });

		// An alias keeps it under another name of the resource, and the new name of the caller is no drift.
		test.declare(nightly({ adopt: true }, "renamed", { aliases: [{ name: "nightly" }] }));
		await test.up();
		expect(await ids()).toEqual([theirs]);
		expect((await test.resource("renamed")).id).toBe(String(theirs));
		expect(await test.drift()).toBe("");
		await test.expectSettled();
	});

	it("is not lost when a replacement is told to create before it deletes", async () => {
		test.declare(nightly({ adopt: true }));
		await test.up();
		test.declare(
			nightly({ adopt: true, pipelineName: "nightly-images" }, "nightly", { deleteBeforeReplace: false }),
		);
		await test.up();
		expect((await ids()).map(String)).toEqual([(await test.resource("nightly")).id]);
	});

	it("is kept by protect, and left on the service with retainOnDelete", async () => {
		test.declare(nightly({ adopt: true }, "nightly", { protect: true, retainOnDelete: true }));
		await test.up();
		expect((await test.stack.destroy(["--skip-preview"])).code).not.toBe(0);
		expect((await test.resource("nightly")).id).toBe(String(theirs));
		test.declare(nightly({ adopt: true }, "nightly", { protect: false, retainOnDelete: true }));
		await test.up();
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		expect(await ids()).toEqual([theirs]);
	});
});

describe("programs that contradict themselves", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const preview = async () => {
		const { code, stdout, stderr } = await test.stack.preview();
		expect(code, stdout).not.toBe(0);
		return stdout + stderr;
	};

	const settings: Declared = {
		kind: "PipelineSettings",
		name: "images",
		args: { pipelineName: "rusty-vise", paused: false },
	};

	it.each<[string, Declared[], RegExp]>([
		[
			"one schedule name twice",
			[nightly(), nightly({}, "twin")],
			/scheduleName: "(twin|nightly)" and "(twin|nightly)" both declare schedule "nightly" in team "vision"/,
		],
		[
			"one pipeline paused and not",
			[nightly({ paused: true }), settings],
			/declares pipeline "rusty-vise" (not )?paused, and "(images|nightly)" the opposite/,
		],
	])("are refused at preview with both names: %s", async (_what, declared, message) => {
		test.declare(...declared);
		expect(await preview()).toMatch(message);
	});

	it("are told what to do instead of the import option", async () => {
		test.declare(nightly({}, "nightly", { import: "7" }));
		expect(await preview()).toMatch(
			/PipelineSchedule "nightly": the import option does not work .* set adopt: true/s,
		);
	});

	it("do not include the same child name under two kinds of component", async () => {
		const component = (name: string, type: string): Declared => ({ kind: "Component", name, args: { type } });
		test.declare(
			component("one", "acme:Reports"),
			nightly({ scheduleName: "one" }, "child", { parent: "one" }),
			component("two", "acme:Cleanups"),
			nightly({ scheduleName: "two" }, "child", { parent: "two" }),
		);
		await test.up();
		test.declare(
			component("one", "acme:Reports"),
			nightly({ scheduleName: "two" }, "child", { parent: "one" }),
			component("two", "acme:Cleanups"),
			nightly({ scheduleName: "one" }, "child", { parent: "two" }),
		);
		await test.up();
		const names = (await test.client.schedules.list()).map((item) => item.schedule_name);
		expect(names.filter((name) => name === "one" || name === "two").sort()).toEqual(["one", "two"]);
		await test.expectSettled();
	});
});
