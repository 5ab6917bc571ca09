import * as pulumi from "@pulumi/pulumi";

interface ScheduleArgs {
	pipelineName: pulumi.Input<string>;
	cronExpression: pulumi.Input<string>;
}

/**
 * The same resource as ours from a native plugin. Type and package are as long as `pulumi-nodejs:dynamic/datachain:…`
 * (the package names have thirteen letters both), so that URNs, which the state repeats often, cost the same.
 */
class PipelineSchedule extends pulumi.CustomResource {
	declare readonly scheduleId: pulumi.Output<number>;

	constructor(name: string, args: ScheduleArgs, opts?: pulumi.CustomResourceOptions) {
		const scheduleName = `${pulumi.getProject()}-${pulumi.getStack()}-${name}`;
		const outputs = {
			scheduleId: undefined,
			nextRun: undefined,
			createdAt: undefined,
			updatedAt: undefined,
			createdBy: undefined,
			latestRun: undefined,
			pipeline: undefined,
			adopted: undefined,
			cronDescription: undefined,
			serviceUrl: undefined,
		};
		const inputs = { ...args, scheduleName, paused: false };
		super("schedulefloor:dynamic/datachain:PipelineSchedule", name, { ...outputs, ...inputs }, opts);
	}
}

const count = Number(process.env.BENCH_N);

for (let number = 0; number < count; number++) {
	new PipelineSchedule(`schedule-${number}`, {
		pipelineName: "rusty-vise",
		cronExpression: process.env.BENCH_CRON ?? "",
	});
}
