import { addPipeline } from "./domain/pipeline-build";
import { requirePipeline, setPaused } from "./domain/pipelines";
import { armSchedule, createSchedule, deleteSchedule, updateSchedule } from "./domain/schedules";
import { updateSettings } from "./domain/settings";
import type { PipelineRecord, ScheduleRecord, TeamState } from "./state";
import type { World } from "./world";

/** Who does what no request asked for; never the user of a token, so that a creator tells the two apart. */
const COLLEAGUE = "colleague";

export interface NewTeam {
	/** Names of pipelines it has from the start: without jobs, not paused, made by a colleague. */
	readonly pipelines?: readonly string[];
}

export type ScheduleView = Readonly<ScheduleRecord> & { readonly pipelineName: string | undefined };
export type PipelineView = Readonly<PipelineRecord>;

/** Somebody else at work in a team, past HTTP and its faults. What it reads is copied; what it writes has the API's fields. */
export interface Colleague {
	/** As they are, whatever a fault lets others see. Oldest first. */
	schedules(): readonly ScheduleView[];
	pipelines(): readonly PipelineView[];
	createSchedule(input: Parameters<typeof createSchedule>[3]): ScheduleView;
	updateSchedule(input: Parameters<typeof updateSchedule>[2]): ScheduleView;
	deleteSchedule(id: number): void;
	setSettings(input: Parameters<typeof updateSettings>[2]): PipelineView;
	/** Any name and any value, also those that NAME=VALUE lines cannot carry; undefined removes it. */
	setVariable(pipelineName: string, name: string, value: string | undefined): PipelineView;
	pause(pipelineName: string): PipelineView;
	resume(pipelineName: string): PipelineView;
}

export function addTeam(world: World, name: string, { pipelines = [] }: NewTeam): TeamState {
	if (world.team(name) !== undefined) throw new Error(`There is already a team "${name}".`);
	const team = world.addTeam(name);
	for (const pipeline of pipelines) addPipeline(world, team, COLLEAGUE, pipeline);
	world.changed(team);
	return team;
}

/** A team that is gone does nothing by itself any more. */
export function removeTeam(world: World, name: string): void {
	const team = world.team(name);
	if (team === undefined) return;
	for (const schedule of team.schedules) armSchedule(world, team, schedule, null);
	for (const job of team.jobs) world.setTimer(`job:${job.id}`, null, () => {});
	world.removeTeam(team);
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
	const paused = (name: string, wanted: boolean): PipelineView => {
		const pipeline = requirePipeline(team(), { name });
		setPaused(world, team(), pipeline, wanted);
		return { ...pipeline };
	};
	return {
		schedules: () => team().schedules.map(scheduleView),
		pipelines: () => team().pipelines.map((pipeline) => ({ ...pipeline })),
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
		pause: (name) => paused(name, true),
		resume: (name) => paused(name, false),
	};
}
