import { analyse, type ForecastInput } from "../../src/team/forecast-analyse";
import type { ForecastReport } from "../../src/team/forecast-report";
import { windowOf } from "../../src/team/forecast-runs";
import {
	type ForecastSchedule,
	type PipelineFacts,
	pipelineKey,
} from "../../src/team/forecast-schedules";

export const FROM = Date.parse("2026-03-02T00:00:00Z");
export const MINUTE = 60_000;

export const scheduleOf = (
	name: string,
	more: Partial<ForecastSchedule> = {},
): ForecastSchedule => ({
	team: "ml",
	name,
	pipeline: `pipeline-of-${name}`,
	id: null,
	resource: name,
	cron: "0 3 * * *",
	startAfter: undefined,
	declared: null,
	timeZone: null,
	...more,
});

export const factsOf = (more: Partial<PipelineFacts> = {}): PipelineFacts => ({
	paused: false,
	workers: 1,
	lengths: [],
	cluster: undefined,
	...more,
});

export const factsFor = (
	facts: Readonly<Record<string, PipelineFacts>>,
): Map<string, PipelineFacts> =>
	new Map(
		Object.entries(facts).map(([pipeline, each]) => [
			pipelineKey("ml", pipeline),
			each,
		]),
	);

export const forecastOf = (
	schedules: readonly ForecastSchedule[],
	more: Partial<ForecastInput> & { days?: number } = {},
): ForecastReport =>
	analyse({
		schedules,
		pipelines: new Map(),
		clusters: [],
		window: windowOf(FROM, more.days ?? 7),
		timeZone: "UTC",
		source: "stack",
		stack: "dev",
		notes: [],
		mostListed: Number.POSITIVE_INFINITY,
		...more,
	});

/** A team as large ones are: most run a few times a day, some every few minutes, and some have something about them. */
export function largeTeam(count: number): ForecastReport {
	const hours = [2, 3, 3, 4, 1, 3, 2, 5, 22, 23, 6, 12, 0, 17, 9];
	const days = ["* * *", "* * *", "* * 1-5", "* * 0", "* * 1-5", "1 * *"];
	const cronOf = (index: number) =>
		index % 50 === 7
			? "*/30 * * * *"
			: `${(index * 5) % 60} ${hours[index % hours.length]} ${days[(index * 7) % days.length]}`;
	const schedules = Array.from({ length: count }, (_, index) =>
		scheduleOf(`team-prod-schedule-${String(index).padStart(4, "0")}`, {
			pipeline: `pipeline-${index % 400}`,
			cron: cronOf(index),
			...(index % 97 === 0 && { cron: null, startAfter: FROM - MINUTE }),
			...(index % 41 === 0 && {
				declared: "0 4 * * *",
				timeZone: "Europe/Berlin",
				cron: "0 3 * * *",
			}),
		}),
	);
	const pipelines = Object.fromEntries(
		Array.from({ length: 400 }, (_, index) => [
			`pipeline-${index}`,
			factsOf({
				workers: 1 + (index % 3),
				lengths: [(5 + (index % 40)) * MINUTE],
				paused: index % 61 === 0,
			}),
		]),
	);
	return forecastOf(schedules, {
		pipelines: factsFor(pipelines),
		clusters: [{ team: "ml", name: "default", default: true, max_workers: 60 }],
		window: windowOf(Date.parse("2026-03-25T08:00:00Z"), 7),
	});
}
