import * as datachain from "pulumi-datachain";

/** A schedule that someone created by hand. `adopt` finds it by its name and keeps its id. */
const byHand = new datachain.PipelineSchedule("by-hand", {
	scheduleName: "nightly-images-by-hand",
	pipelineName: "nightly-images",
	cronExpression: "30 2 * * *",
	adopt: true,
});

/** The settings of its pipeline. Only these two keys are managed from now on. */
const settings = new datachain.PipelineSettings("nightly-images", {
	pipelineName: "nightly-images",
	pythonVersion: "3.12",
	environment: { LOG_LEVEL: "debug" },
	adopt: true,
});

export const adopted = { schedule: byHand.scheduleId, settings: settings.id };

/** Who created each schedule, to decide what to adopt next. */
export const team = datachain
	.getSchedulesOutput()
	.schedules.apply((all) =>
		all.map((schedule) => `${schedule.scheduleName} by ${schedule.createdBy?.username ?? "unknown"}`),
	);
