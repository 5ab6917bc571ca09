import * as datachain from "pulumi-datachain";

/** This dataset, and every dataset that it depends on. The new pipeline is paused, so nothing runs yet. */
const images = new datachain.Pipeline("images", { datasets: "dev.images.final_result" });

/** A file that the pipeline's jobs may use. */
const labels = new datachain.JobFile("labels", { name: "labels.txt", text: "cat\ndog\n" });

const settings = new datachain.PipelineSettings("images", {
	pipelineName: images.name,
	workers: 2,
	environment: { MODEL: "clip" },
	files: [labels],
});

/**
 * A schedule never runs a paused pipeline. `paused: false` resumes the pipeline, which starts its first run. The name comes
 * from the settings, so that Pulumi writes them before anything runs.
 */
const nightly = new datachain.PipelineSchedule("images", {
	pipelineName: settings.pipelineName,
	cronExpression: "0 3 * * *",
	paused: false,
});

export const pipeline = images.name;
export const nextRun = nightly.nextRun;
