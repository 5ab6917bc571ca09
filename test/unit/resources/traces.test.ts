import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeAll, expect, test } from "vitest";
import { PipelineSchedule } from "../../../src/resources/pipeline-schedule";
import { registered } from "./program";

const usual = { limit: Error.stackTraceLimit, prepare: Error.prepareStackTrace };
beforeAll(async () => {
	await registered(() => []);
});
afterEach(() => {
	Error.stackTraceLimit = usual.limit;
	Error.prepareStackTrace = usual.prepare;
});

const breaksHere = (): pulumi.ResourceTransformationResult => {
	throw new Error("broken");
};
const transformed = () =>
	Object.assign(new pulumi.ComponentResource("shop:index:Group", "team"), {
		__transformations: [breaksHere],
	});
test.each<[string, () => object, string]>([
	[
		"the SDK leads to the program's line",
		() => ({ provider: "no provider" }),
		"traces.test.ts",
	],
	[
		"a transformation keeps its trace",
		() => ({ transformations: [breaksHere] }),
		"breaksHere",
	],
	[
		"a parent's transformation keeps its trace",
		() => ({ parent: transformed() }),
		"breaksHere",
	],
])("while a resource is declared, an error of %s", (_, opts, frame) => {
	const args = ["nightly", { pipelineName: "etl" }, opts()];
	const declare = () => Reflect.construct(PipelineSchedule, args);
	expect(declare).toThrow(
		expect.objectContaining({ stack: expect.stringContaining(frame) }),
	);
	expect(Error.stackTraceLimit).toBe(usual.limit);
});
