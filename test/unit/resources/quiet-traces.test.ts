import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PipelineSchedule } from "../../../src/resources/pipeline-schedule";
import { registered } from "../resources/program";

const usual = Error.stackTraceLimit;

/** What an error made inside the constructor looks like to the program. */
function thrownBy(opts: object): unknown {
	try {
		Reflect.construct(PipelineSchedule, ["nightly", { pipelineName: "etl" }, opts]);
		return undefined;
	} catch (error) {
		return error;
	}
}

describe("while a resource is constructed", () => {
	beforeEach(async () => {
		await registered(() => []);
	});
	afterEach(() => {
		Error.stackTraceLimit = usual;
	});

	test("no trace is taken, and afterwards as many frames as before", async () => {
		const limits: number[] = [];
		// The SDK asks for the options' aliases while it constructs.
		const opts = {
			get aliases() {
				limits.push(Error.stackTraceLimit);
				return [];
			},
		};
		await registered(() => [new PipelineSchedule("nightly", { pipelineName: "etl" }, opts)]);
		expect(limits).toContain(0);
		expect(Error.stackTraceLimit).toBe(usual);
	});

	test("an error of the SDK still leads to the program's line", () => {
		const error = thrownBy({ provider: "no provider" });
		expect(error).toMatchObject({ stack: expect.stringContaining("quiet-traces.test.ts") });
		expect(Error.stackTraceLimit).toBe(usual);
	});

	test("an error in a transformation keeps its own trace", () => {
		const transformations = [
			function breaksHere(): pulumi.ResourceTransformationResult {
				throw new Error("broken");
			},
		];
		expect(thrownBy({ transformations })).toMatchObject({ stack: expect.stringContaining("breaksHere") });
		const parent = new pulumi.ComponentResource("shop:index:Group", "team");
		Object.assign(parent, { __transformations: transformations });
		expect(thrownBy({ parent })).toMatchObject({ stack: expect.stringContaining("breaksHere") });
	});
});
