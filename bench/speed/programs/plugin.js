const datachain = require("pulumi-datachain");

const provider = new datachain.Provider("own");

for (let number = 0; number < Number(process.env.BENCH_N); number++) {
	new datachain.PipelineSchedule(
		`schedule-${number}`,
		{ pipelineName: "rusty-vise", cronExpression: process.env.BENCH_CRON },
		{ provider },
	);
}
