import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const nightly = (args: object = {}, name = "nightly", opts: object = {}): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: { scheduleName: "nightly", pipelineName: "rusty-vise", cronExpression: "0 3 * * *", ...args },
	opts: { ...opts },
});

describe("a schedule whose place another one takes", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
	});
	afterAll(() => test?.dispose());

	const named = async (...names: string[]) =>
		(await test.client.schedules.list()).filter((item) => names.includes(item.schedule_name ?? ""));

	it("is not deleted for a replacement that may not have its new name", async () => {
		test.declare(nightly({ scheduleName: "kept" }, "kept"));
		await test.up();
		const before = await named("kept");
		test.server.team("vision").createSchedule({
			schedule_name: "foreign",
			pipeline_name: "rusty-vise",
			cron_expression: "30 1 * * *",
		});
		test.declare(nightly({ scheduleName: "foreign", pipelineName: "nightly-images", adopt: true }, "kept"));
		expect(await test.refused()).toContain("another pipeline");
		expect([await named("kept"), (await named("foreign")).length]).toEqual([before, 1]);
	});

	it("is not taken for the child of the same name under another kind of component", async () => {
		const component = (name: string, type: string): Declared => ({ kind: "Component", name, args: { type } });
		const children = (first: string, second: string) =>
			test.declare(
				component("one", "acme:Reports"),
				nightly({ scheduleName: first }, "child", { parent: "one" }),
				component("two", "acme:Cleanups"),
				nightly({ scheduleName: second }, "child", { parent: "two" }),
			);
		children("one", "two");
		await test.up();
		children("two", "one");
		await test.up();
		const names = (await named("one", "two")).map((item) => item.schedule_name);
		expect(names.sort()).toEqual(["one", "two"]);
		await test.expectSettled();
	});
});
