import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { Job } from "../../../src/resources/job";
import { JobFile } from "../../../src/resources/job-file";
import { Pipeline } from "../../../src/resources/pipeline";
import { ScheduledPipeline } from "../../../src/resources/scheduled-pipeline";
import { inputsOf, registered } from "./program";

describe("a program's declaration of runs", () => {
	test("one dataset is sent as a list of one, also if it is known only later", async () => {
		expect(await inputsOf(() => new Pipeline("a", { datasets: "dev.images.raw" }))).toEqual({
			datasets: ["dev.images.raw"],
		});
		const later = () => new Pipeline("a", { datasets: pulumi.output("dev.images.raw") });
		expect(await inputsOf(later)).toEqual({ datasets: ["dev.images.raw"] });
		const list = () => new Pipeline("a", { datasets: [pulumi.output("dev.images.raw"), "dev.images.clean"] });
		expect(await inputsOf(list)).toEqual({ datasets: ["dev.images.raw", "dev.images.clean"] });
	});

	test("a job's password in a URL is marked as a secret, and its files are ids", async () => {
		const declared = () =>
			new Job("train", { query: "x", repository: "https://ada:hunter2@example.com/repo.git", files: ["7"] });
		expect(await inputsOf(declared)).toMatchObject({ files: ["7"], __secret: ["repository"] });
	});

	/** The parts of a component, as it has them. */
	const partsOf = ({ pipeline, files, settings, schedule }: ScheduledPipeline) => [
		pipeline,
		...files,
		...(settings ? [settings] : []),
		schedule,
	];

	test("ScheduledPipeline registers its parts under its own name, and resumes the pipeline", async () => {
		const declared = () => {
			const own = new JobFile("own", { text: "a", name: "a.txt" });
			return partsOf(
				new ScheduledPipeline("images", {
					datasets: "dev.images.raw",
					schedule: { cronExpression: "0 3 * * *" },
					settings: { workers: 2 },
					files: [own, { source: "./labels.txt" }],
					teamName: "ml",
				}),
			);
		};
		const found = (await registered(declared)).map(({ type, name, inputs }) => [
			type.replace(/^.*:/, ""),
			name,
			inputs.paused,
			inputs.teamName,
		]);
		expect(found).toEqual([
			["Pipeline", "images", undefined, "ml"],
			["JobFile", "own", undefined, undefined],
			["JobFile", "images-labels.txt", undefined, "ml"],
			["PipelineSettings", "images", undefined, "ml"],
			["PipelineSchedule", "images", false, "ml"],
		]);
	});

	test("ScheduledPipeline without settings and files has no settings resource", async () => {
		const schedule = { cronExpression: "0 3 * * *" };
		const declared = () => partsOf(new ScheduledPipeline("images", { datasets: "a.b.c", schedule }));
		const kinds = (await registered(declared)).map(({ type }) => type.replace(/^.*:/, ""));
		expect(kinds).toEqual(["Pipeline", "PipelineSchedule"]);
	});
});
