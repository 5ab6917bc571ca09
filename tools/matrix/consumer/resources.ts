import * as datachain from "pulumi-datachain";

/** One of each class that stands for something on the service; the matrix deploys them to the local server. */
const script = new datachain.JobFile("script", {
	name: "prepare.py",
	text: "print('prepared')\n",
});

const settings = new datachain.PipelineSettings("settings", {
	pipelineName: "rusty-vise",
	pythonVersion: "3.12",
	environment: { MODEL: "clip" },
	storage: [datachain.storage.s3({ anon: true })],
	files: [script],
});

const nightly = new datachain.PipelineSchedule("nightly", {
	pipelineName: "rusty-vise",
	cronExpression: "0 3 * * *",
});

const review = new datachain.Pipeline("review", {
	datasets: ["dev.images.raw", "dev.images.clean"],
});

const smokeTest = new datachain.Job("smoke-test", {
	query: "print('ok')\n",
	triggers: { release: "1" },
});

export const runtime =
	process.versions.bun === undefined ? `v${process.versions.node}` : "bun";
export const nextRun = nightly.nextRun;
export const made = [script.id, settings.id, nightly.id, review.id, smokeTest.id];
