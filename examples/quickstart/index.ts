import * as datachain from "pulumi-datachain";

/** A file that the pipeline's jobs may use; uploaded again when its bytes change. */
const thresholds = new datachain.JobFile("thresholds", {
	name: "thresholds.json",
	text: JSON.stringify({ blur: 0.4, minSide: 256 }),
});

/** Only the keys and variables declared here are managed. Others stay as they are. */
const settings = new datachain.PipelineSettings("images", {
	pipelineName: "rusty-vise",
	pythonVersion: "3.12",
	requirements: ["pillow==11.0.0"],
	environment: { LOG_LEVEL: "info" },
	files: [thresholds],
	onDestroy: "reset",
});

const nightly = new datachain.PipelineSchedule("nightly", {
	pipelineName: settings.pipelineName,
	cronExpression: "0 3 * * *",
});

export const cluster = datachain.getComputeClusterOutput({ default: true }).name;
export const nightlyMeans = nightly.cronDescription;
export const nextRun = nightly.nextRun;
