import * as datachain from "pulumi-datachain";

new datachain.PipelineSchedule(
	"images-nightly",
	{
		pipelineName: "nightly-images",
		cronExpression: "0 3 * * *",
		scheduleName: "images-prod-nightly", // the name that the schedule already has
	},
	{ aliases: [{ name: "nightly" }] },
);
