import { randomUUID } from "node:crypto";
import { addPipeline, triggerPipeline } from "./domain/pipeline-build";
import { requirePipeline, setPaused, updateSettings } from "./domain/pipelines";
import { newCluster } from "./domain/records";
import { armSchedule, createSchedule, deleteSchedule, updateSchedule } from "./domain/schedules";
import type { JobRecord, PipelineRecord, ScheduleRecord, TeamState } from "./state";
import type { World } from "./world";

/** Who does what no request asked for; never the user of a token, so that a creator tells the two apart. */
const COLLEAGUE = "colleague";

export interface NewTeam {
	/** Names of pipelines it has from the start: without jobs, not paused, made by a colleague. */
	readonly pipelines?: readonly string[];
	/** Datasets that pipelines can be triggered from, each with the query of the job that rebuilds it. */
	readonly datasets?: readonly { fullName: string; madeFrom?: readonly string[]; query?: string }[];
	readonly clusters?: readonly { name: string; maxWorkers: number; active?: boolean; isDefault?: boolean }[];
}

export type ScheduleView = Readonly<ScheduleRecord> & { readonly pipelineName: string | undefined };
export type PipelineView = Readonly<PipelineRecord>;
export type JobView = Readonly<JobRecord>;

/** Somebody else at work in a team, past HTTP and its faults. What it reads is copied; what it writes has the API's fields. */
export interface Colleague {
	/** As they are, whatever a fault lets others see. Oldest first. */
	schedules(): readonly ScheduleView[];
	pipelines(): readonly PipelineView[];
	jobs(): readonly JobView[];
	trigger(datasets: readonly string[], paused: boolean): PipelineView;
	/** As a service forgets what is old: no request of the API does it. */
	forgetPipeline(name: string): void;
	forgetJob(id: string): void;
	createSchedule(input: Parameters<typeof createSchedule>[3]): ScheduleView;
	updateSchedule(input: Parameters<typeof updateSchedule>[2]): ScheduleView;
	deleteSchedule(id: number): void;
	setSettings(input: Parameters<typeof updateSettings>[2]): PipelineView;
	/** Any name and any value, also those that NAME=VALUE lines cannot carry; undefined removes it. */
	setVariable(pipelineName: string, name: string, value: string | undefined): PipelineView;
	pause(pipelineName: string): PipelineView;
	resume(pipelineName: string): PipelineView;
}

export function addTeam(
	world: World,
	name: string,
	{ pipelines = [], datasets = [], clusters = [] }: NewTeam,
): void {
	if (world.team(name) !== undefined) throw new Error(`There is already a team "${name}".`);
	const team = world.addTeam(name);
	for (const pipeline of pipelines) {
		// As if its last run had been forgotten.
		const triggeredFrom = `@${COLLEAGUE}.default.${pipeline}@1.0.0`;
		addPipeline(world, team, { createdBy: COLLEAGUE, name: pipeline, triggeredFrom });
	}
	team.datasets = datasets.map(({ fullName, madeFrom = [], query = "" }) => ({
		fullName,
		madeFrom: [...madeFrom],
		query,
		versions: [{ version: "1.0.0", jobId: randomUUID() }],
	}));
	team.clusters = clusters.map(({ active = true, isDefault = false, ...cluster }, index) =>
		newCluster({ ...cluster, id: index + 1, isDefault, status: active ? "ACTIVE" : "INACTIVE" }),
	);
	world.changed(team);
}

/** A team that is gone does nothing by itself any more. */
export function removeTeam(world: World, name: string): void {
	const team = world.team(name);
	if (team === undefined) return;
	for (const schedule of team.schedules) armSchedule(world, team, schedule, null);
	for (const job of team.jobs) world.setTimer(`job:${job.id}`, null, () => {});
	world.state.teams = world.state.teams.filter((other) => other !== team);
	world.changed(team);
}

export function colleagueIn(world: World, teamName: string): Colleague {
	const team = (): TeamState => {
		const found = world.team(teamName);
		if (found === undefined) throw new Error(`There is no team "${teamName}".`);
		return found;
	};
	const scheduleView = (schedule: ScheduleRecord): ScheduleView => ({
		...schedule,
		pipelineName: team().pipelines.find((one) => one.id === schedule.pipelineId)?.name,
	});
	return {
		schedules: () => team().schedules.map(scheduleView),
		pipelines: () => team().pipelines.map((pipeline) => ({ ...pipeline })),
		jobs: () => team().jobs.map((job) => ({ ...job })),
		trigger: (datasets, review) => ({ ...triggerPipeline(world, team(), COLLEAGUE, datasets, review) }),
		forgetPipeline: (name) => {
			team().pipelines = team().pipelines.filter((pipeline) => pipeline.name !== name);
			world.changed(team());
		},
		forgetJob: (id) => {
			world.setTimer(`job:${id}`, null, () => {});
			team().jobs = team().jobs.filter((job) => job.id !== id);
			world.changed(team());
		},
		createSchedule: (input) => scheduleView(createSchedule(world, team(), COLLEAGUE, input)),
		updateSchedule: (input) => scheduleView(updateSchedule(world, team(), input)),
		deleteSchedule: (id) => deleteSchedule(world, team(), id),
		setSettings: (input) => ({ ...updateSettings(world, team(), input) }),
		setVariable: (pipelineName, name, value) => {
			const pipeline = requirePipeline(team(), { name: pipelineName });
			const others = Object.entries(pipeline.settings.environment).filter(([other]) => other !== name);
			const environment = Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
			pipeline.settings = { ...pipeline.settings, environment };
			pipeline.updatedAt = world.now();
			world.changed(team());
			return { ...pipeline };
		},
		pause: (name) => ({ ...setPaused(world, team(), { name }, true) }),
		resume: (name) => ({ ...setPaused(world, team(), { name }, false) }),
	};
}
