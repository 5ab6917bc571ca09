import * as pulumi from "@pulumi/pulumi";

interface ScheduleArgs {
	pipelineName: pulumi.Input<string>;
	cronExpression: pulumi.Input<string>;
}

/**
 * Who does nothing for the resource: the native plugin `schedulefloor`, or `pulumi-nodejs`, which is Pulumi's host of
 * dynamic providers. The names have thirteen letters both, so that URNs, which the state repeats often, cost the same.
 */
const plugin = process.env.BENCH_PLUGIN ?? "";

/** The cheapest provider that the dynamic form allows: nothing to load but one file. */
const provider = { __provider: 'exports.handler=require(process.cwd()+"/provider.cjs").handler' };

/** The same resource as ours, with nothing behind it. */
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
		const inputs = { ...args, scheduleName, paused: false, ...(plugin === "pulumi-nodejs" ? provider : {}) };
		super(`${plugin}:dynamic/datachain:PipelineSchedule`, name, { ...outputs, ...inputs }, opts);
	}
}

const count = Number(process.env.BENCH_N);

for (let number = 0; number < count; number++) {
	new PipelineSchedule(`schedule-${number}`, {
		pipelineName: "rusty-vise",
		cronExpression: process.env.BENCH_CRON ?? "",
	});
}
