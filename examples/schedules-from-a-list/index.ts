import * as datachain from "pulumi-datachain";

/** One row per schedule. The preview checks names, cron expressions and pipelines before anything is sent. */
const table = [
	{ name: "hourly-thumbnails", pipelineName: "rusty-vise", cronExpression: "@hourly" },
	{ name: "nightly-images", pipelineName: "nightly-images", cronExpression: "0 3 * * *" },
	{ name: "monday-report", pipelineName: "nightly-images", cronExpression: "30 6 * * mon" },
];

/** Each resource has the name of its row, not its position, so a new or removed row does not move the others. */
const schedules = table.map(
	({ name, ...row }) => new datachain.PipelineSchedule(name, { scheduleName: name, ...row }),
);

export const overview = schedules.map((schedule) => ({
	name: schedule.scheduleName,
	means: schedule.cronDescription,
	nextRun: schedule.nextRun,
}));
