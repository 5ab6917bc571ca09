import * as datachain from "pulumi-datachain";

/** One row a schedule. Names, crons and pipelines are checked at preview, before anything is sent. */
const table = [
	{ name: "hourly-thumbnails", pipelineName: "rusty-vise", cronExpression: "@hourly" },
	{ name: "nightly-images", pipelineName: "nightly-images", cronExpression: "0 3 * * *" },
	{
		name: "monday-report",
		pipelineName: "nightly-images",
		cronExpression: "30 6 * * mon",
		startAfter: "2030-01-01T00:00:00Z",
	},
];

/** Each resource has its row's name, not its position: a row that is added or removed then moves no other. */
const schedules = table.map(
	({ name, ...row }) => new datachain.PipelineSchedule(name, { scheduleName: name, ...row }),
);

/** What each schedule means, and when it runs next. */
export const overview = schedules.map((schedule) => ({
	name: schedule.scheduleName,
	means: schedule.cronDescription,
	nextRun: schedule.nextRun,
}));
