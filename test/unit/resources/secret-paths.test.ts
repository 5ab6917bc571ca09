import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { JobFile } from "../../../src/resources/job-file";
import { PipelineSettings } from "../../../src/resources/pipeline-settings";
import { secretPaths } from "../../../src/resources/values";
import { inputsOf, unknown } from "./program";

describe("the paths of secret inputs", () => {
	test("are sorted by name, and sent beside the inputs", async () => {
		const environment = {
			MODE: "fast",
			Z_KEY: pulumi.secret("z"),
			API_KEY: pulumi.secret("a"),
		};
		expect(
			await inputsOf(
				() => new PipelineSettings("etl", { pipelineName: "etl", environment }),
			),
		).toMatchObject({
			environment: { MODE: "fast" },
			__secret: ["environment.API_KEY", "environment.Z_KEY"],
		});
		expect(
			await inputsOf(() => new JobFile("f", { name: "f", text: pulumi.secret("t") })),
		).toMatchObject({
			__secret: ["text"],
		});
	});

	test("need no promise if all inputs are plain", () => {
		expect(secretPaths({ a: 1, b: ["x", { c: null }], d: undefined })).toBeUndefined();
	});

	test.each<[string, unknown, string[] | undefined]>([
		["a secret container", pulumi.secret({ A: "1" }), ["input"]],
		[
			"a secret inside an output",
			pulumi.output(1).apply(() => ({ A: pulumi.secret("1") }) as unknown),
			["input.A"],
		],
		[
			"a secret inside a promise",
			Promise.resolve({ A: { B: pulumi.secret("1") } }),
			["input.A.B"],
		],
		[
			"a secret in a list",
			["a", { b: pulumi.secret("1") }, pulumi.secret("2")],
			["input"],
		],
		["a secret that is not known yet", pulumi.secret(unknown()), ["input"]],
		["a value that is not known yet", unknown(), undefined],
	])("name %s", async (_, input, paths) => {
		expect(
			await secretPaths({ input: input as pulumi.Input<unknown>, plain: 1 }),
		).toEqual(paths);
	});

	test("do not hide the error of a value that fails", async () => {
		expect(
			await secretPaths({ input: Promise.reject(new Error("no such file")) }),
		).toBeUndefined();
	});
});
