import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { Job } from "../../../src/resources/job";
import { Pipeline } from "../../../src/resources/pipeline";
import { inputsOf } from "./program";

describe("a program's declaration of runs", () => {
	test("one dataset is sent as a list of one, also if it is known only later", async () => {
		expect(
			await inputsOf(() => new Pipeline("a", { datasets: "dev.images.raw" })),
		).toEqual({
			datasets: ["dev.images.raw"],
		});
		const later = () =>
			new Pipeline("a", { datasets: pulumi.output("dev.images.raw") });
		expect(await inputsOf(later)).toEqual({ datasets: ["dev.images.raw"] });
		const list = () =>
			new Pipeline("a", {
				datasets: [pulumi.output("dev.images.raw"), "dev.images.clean"],
			});
		expect(await inputsOf(list)).toEqual({
			datasets: ["dev.images.raw", "dev.images.clean"],
		});
	});

	test("a job's password in a URL is marked as a secret, and its files are ids", async () => {
		const declared = () =>
			new Job("train", {
				query: "x",
				repository: "https://ada:hunter2@example.com/repo.git",
				files: ["7"],
			});
		expect(await inputsOf(declared)).toMatchObject({
			files: ["7"],
			__secret: ["repository"],
		});
	});
});
