const pulumi = require("@pulumi/pulumi");

/**
 * Who does nothing for the resource: the native plugin `schedulefloor`, or `pulumi-nodejs`, which is Pulumi's host of
 * dynamic providers. The names have thirteen letters both, so that URNs, which the state repeats often, cost the same.
 */
const plugin = process.env.BENCH_PLUGIN;

/** The cheapest provider that the dynamic form allows: nothing to load but one file. */
const provider = {
	__provider: 'exports.handler=require(process.cwd()+"/provider.cjs").handler',
};

/** Of the same length as ours. */
const OUTPUTS = [
	...[
		"scheduleId",
		"nextRun",
		"createdAt",
		"updatedAt",
		"createdBy",
		"latestRun",
		"pipeline",
		"adopted",
	],
	...["cronDescription", "serviceUrl"],
];

/** The same resource as ours, with nothing behind it. */
for (let number = 0; number < Number(process.env.BENCH_N); number++) {
	const name = `schedule-${number}`;
	const inputs = {
		pipelineName: "rusty-vise",
		cronExpression: process.env.BENCH_CRON,
		scheduleName: `${pulumi.getProject()}-${pulumi.getStack()}-${name}`,
		paused: false,
		...(plugin === "pulumi-nodejs" ? provider : {}),
	};
	const outputs = Object.fromEntries(OUTPUTS.map((output) => [output, undefined]));
	// As our classes do: the SDK takes a stack trace for each promise of each property.
	const usual = Error.stackTraceLimit;
	Error.stackTraceLimit = 0;
	new pulumi.CustomResource(`${plugin}:dynamic/datachain:PipelineSchedule`, name, {
		...outputs,
		...inputs,
	});
	Error.stackTraceLimit = usual;
}
