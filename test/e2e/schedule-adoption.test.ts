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

	it("is not lost when a replacement is told to create before it deletes", async () => {
		test.server.team("vision").createSchedule({
			schedule_name: "nightly",
			pipeline_name: "rusty-vise",
			cron_expression: "30 1 * * *",
		});
		test.declare(nightly({ adopt: true }));
		await test.up();
		test.declare(
			nightly({ adopt: true, pipelineName: "nightly-images" }, "nightly", { deleteBeforeReplace: false }),
		);
		await test.up();
		const ids = (await named("nightly")).map(({ id }) => String(id));
		expect(ids).toEqual([(await test.resource("nightly")).id]);
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
