import * as datachain from "pulumi-datachain";

/** This dataset, and all it is made from, rebuilt every night with these settings. */
const images = new datachain.ScheduledPipeline("images", {
	datasets: "dev.images.final_result",
	schedule: { cronExpression: "0 3 * * *" },
	settings: { workers: 2, environment: { MODEL: "clip" } },
	files: [{ text: "cat\ndog\n", name: "labels.txt" }],
});

/** A pipeline alone, for those who want the parts: made paused, and nothing runs until somebody resumes it. */
const review = new datachain.Pipeline("review", { datasets: ["dev.images.raw", "dev.images.clean"] });

export const pipeline = images.pipelineName;
export const nextRun = images.nextRun;
export const toBeReviewed = review.name;
