import * as datachain from "pulumi-datachain";

new datachain.PipelineSchedule(
	"images-nightly",
	{
		pipelineName: "nightly-images",
		cronExpression: "0 3 * * *",
		scheduleName: "nightly",
	},
	{ aliases: [{ name: "nightly" }] },
);
