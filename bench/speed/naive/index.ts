import { Schedule } from "./schedule";

const count = Number(process.env.BENCH_N);

for (let number = 0; number < count; number++) {
	new Schedule(`schedule-${number}`, {
		scheduleName: `bench-dev-schedule-${number}`,
		pipelineName: "rusty-vise",
		cronExpression: process.env.BENCH_CRON ?? "",
	});
}
