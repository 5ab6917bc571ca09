import * as pulumi from "@pulumi/pulumi";

interface ScheduleArgs {
	pipelineName: pulumi.Input<string>;
	cronExpression: pulumi.Input<string>;
}

/**
 * The same resource as ours from the cheapest provider that the dynamic form allows: nothing to load but one file, no
 * request. What it needs more than the native floor is the price of Pulumi's own Node host.
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
		const provider = 'exports.handler=require(process.cwd()+"/provider.cjs").handler';
		const inputs = { ...args, scheduleName, paused: false, __provider: provider };
		super("pulumi-nodejs:dynamic/datachain:PipelineSchedule", name, { ...outputs, ...inputs }, opts);
	}
}

const count = Number(process.env.BENCH_N);

for (let number = 0; number < count; number++) {
	new PipelineSchedule(`schedule-${number}`, {
		pipelineName: "rusty-vise",
		cronExpression: process.env.BENCH_CRON ?? "",
	});
}
