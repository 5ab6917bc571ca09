import type { LiveTeam } from "../../src/export/model";
import type { Pipeline } from "../../src/schemas/wire/pipeline";
import type { Schedule } from "../../src/schemas/wire/schedule";

export const livePipeline = (name: string, settings: Partial<Pipeline> = {}): Pipeline => ({
	pipeline_id: "7f1c2a34-0000-4000-8000-000000000001",
	name,
	status: "COMPLETED",
	...settings,
});

export const liveSchedule = (id: number, name: string | null, more: Partial<Schedule> = {}): Schedule => ({
	id,
	schedule_name: name,
	cron_expression: "0 3 * * *",
	start_after: "2026-01-01T00:00:00.000000+00:00",
	pipeline: livePipeline("rusty-vise"),
	...more,
});

/** A team as the command reads it: every schedule, and the pipelines they run. */
export const liveTeam = (schedules: readonly Schedule[], pipelines: readonly Pipeline[] = []): LiveTeam => ({
	all: schedules,
	schedules,
	pipelines,
});
