import * as datachain from "pulumi-datachain";

const count = Number(process.env.BENCH_N);

for (let number = 0; number < count; number++) {
	new datachain.PipelineSchedule(`schedule-${number}`, {
		pipelineName: "rusty-vise",
		cronExpression: process.env.BENCH_CRON ?? "",
	});
}
