const datachain = require("pulumi-datachain");

/** BENCH_N schedules and as many settings, on a pipeline each, and a fifth as many files. */
const count = Number(process.env.BENCH_N);
const cronExpression = process.env.BENCH_CRON;

for (let number = 0; number < count; number++) {
	const pipelineName = `pipeline-${number}`;
	new datachain.PipelineSchedule(`schedule-${number}`, {
		pipelineName,
		cronExpression,
	});
	new datachain.PipelineSettings(`settings-${number}`, {
		pipelineName,
		environment: { CRON: cronExpression },
	});
}
for (let number = 0; number < count / 5; number++)
	new datachain.JobFile(`file-${number}`, {
		name: `file-${number}.py`,
		text: `print(${number}, ${JSON.stringify(cronExpression)})`,
	});
