import { expect, it, onTestFinished } from "vitest";
import { testDeployment } from "../helpers/e2e-deployment";

it("the state has the line of the program that declares a resource, and no code or folder of the machine", async () => {
	const test = await testDeployment();
	onTestFinished(test.dispose);
	const args = { pipelineName: "rusty-vise", cronExpression: "0 3 * * *" };
	test.declare({ kind: "PipelineSchedule", name: "nightly", args });
	await test.up();
	const { sourcePosition, stackTrace, inputs } = await test.resource("nightly");
	expect(sourcePosition).toMatch(/^project:\/\/\/index\.js#\d+,\d+$/);
	expect(stackTrace).toEqual([{ sourcePosition }]);
	expect(inputs?.__provider).toBe('exports.handler=require("pulumi-datachain/provider").schedule');
});
