import { randomUUID } from "node:crypto";
import type { EndpointName, ReplyOf, RequestOf } from "../schemas/wire/endpoints";
import type { User } from "../schemas/wire/schedule";
import { camelCase } from "../text/camel";
import { handlers } from "./handlers";
import {
	addPipeline,
	requirePipeline,
	setPaused,
	triggerPipeline,
	updateSettings,
} from "./pipelines";
import { createSchedule, deleteSchedule, updateSchedule } from "./schedules";
import {
	type JobRecord,
	newCluster,
	type PipelineRecord,
	pipelineById,
	type ScheduleRecord,
	type TeamState,
} from "./state";
import type { Call, World } from "./world";

/** Who does what no request asked for; never the user of a token, so that a creator tells the two apart. */
const COLLEAGUE = "colleague";

export interface NewTeam {
	/** Names of pipelines it has from the start: without jobs, not paused, made by a colleague. */
	readonly pipelines?: readonly string[];
	/** Datasets that pipelines can be triggered from, each with the query of the job that rebuilds it. */
	readonly datasets?: readonly {
		fullName: string;
		madeFrom?: readonly string[];
		query?: string;
	}[];
	readonly clusters?: readonly {
		name: string;
		maxWorkers: number;
		active?: boolean;
		isDefault?: boolean;
	}[];
}

type CamelCase<S> = S extends `${infer Head}_${infer Tail}`
	? `${Head}${Capitalize<CamelCase<Tail>>}`
	: S;
/** Instants are milliseconds since the epoch, people are their user names. */
type Seen<Name, Value> = Name extends `${string}_at` | "start_after" | "next_run"
	? number | Extract<Value, null>
	: Name extends "created_by"
		? string
		: Value;
/** A record in the names of JavaScript. */
type View<R> = {
	readonly [Name in keyof R as string extends Name
		? never
		: CamelCase<Name> & string]: Seen<Name, R[Name]>;
};

export interface ScheduleView extends View<ScheduleRecord> {
	readonly name: string;
	readonly pipelineName: string | undefined;
}

export interface PipelineView extends View<PipelineRecord> {
	readonly id: string;
	/** Null where nobody has set it. */
	readonly settings: {
		readonly pythonVersion: string | null;
		readonly requirements: string | null;
		readonly repository: string | null;
		readonly workers: number | null;
		readonly priority: number | null;
		readonly environment: Readonly<Record<string, string | null>>;
		readonly files: readonly string[];
		readonly credentialsNames: readonly string[];
	};
}

export interface JobView extends View<JobRecord> {
	readonly clusterId: JobRecord["compute_cluster_id"];
}

function viewOf<R extends object>(record: R): View<R> {
	const entries = Object.entries(record).map(([name, value]) => {
		const camel = camelCase(name);
		if (/_at$|^start_after$|^next_run$/.test(name))
			return [camel, value && Date.parse(value)];
		return [
			camel,
			name === "created_by" && typeof value === "object"
				? (value as User).username
				: value,
		];
	});
	return Object.fromEntries(entries) as View<R>;
}

const jobView = (job: JobRecord): JobView => ({
	...viewOf(job),
	clusterId: job.compute_cluster_id,
});

const scheduleView = (team: TeamState, schedule: ScheduleRecord): ScheduleView => ({
	...viewOf(schedule),
	name: schedule.schedule_name,
	pipelineName: pipelineById(team, schedule.pipeline_id)?.name,
});

const pipelineView = (pipeline: PipelineRecord): PipelineView => ({
	...viewOf(pipeline),
	id: pipeline.pipeline_id,
	settings: {
		pythonVersion: pipeline.python_version ?? null,
		requirements: pipeline.requirements ?? null,
		repository: pipeline.repository ?? null,
		workers: pipeline.workers ?? null,
		priority: pipeline.priority ?? null,
		environment: pipeline.environment_variables,
		files: pipeline.files,
		credentialsNames: pipeline.credentials_names,
	},
});

/** Somebody else at work in a team, past HTTP and its faults. What it reads is copied; what it writes has the API's fields. */
export interface Colleague {
	/** As they are, whatever a fault lets others see. Oldest first. */
	schedules(): readonly ScheduleView[];
	pipelines(): readonly PipelineView[];
	jobs(): readonly JobView[];
	trigger(datasets: readonly string[], paused: boolean): PipelineView;
	/** Deletes a pipeline and makes another one of its name: a new id, and no settings. Its schedules run the new one. */
	remakePipeline(name: string): PipelineView;
	/** As a service forgets what is old: no request of the API does it. */
	forgetPipeline(name: string): void;
	forgetJob(id: string): void;
	createSchedule(input: RequestOf<"createSchedule">): ScheduleView;
	updateSchedule(input: RequestOf<"updateSchedule">): ScheduleView;
	deleteSchedule(id: number): void;
	setSettings(input: RequestOf<"updateSettings">): PipelineView;
	/** Any name and any value, also those that NAME=VALUE lines cannot carry; undefined removes it. */
	setVariable(
		pipelineName: string,
		name: string,
		value: string | undefined,
	): PipelineView;
	pause(pipelineName: string): PipelineView;
	/** Any request of the API, past HTTP: what a kind needs that has no line above. */
	request<Name extends EndpointName>(name: Name, input: RequestOf<Name>): ReplyOf<Name>;
	resume(pipelineName: string): PipelineView;
}

export function addTeam(
	world: World,
	name: string,
	{ pipelines = [], datasets = [], clusters = [] }: NewTeam,
): void {
	if (world.team(name) !== undefined)
		throw new Error(`There is already a team "${name}".`);
	const team = world.addTeam(name);
	for (const pipeline of pipelines) {
		// As if its last run had been forgotten.
		const triggeredFrom = `@${COLLEAGUE}.default.${pipeline}@1.0.0`;
		addPipeline(world, team, {
			created_by: COLLEAGUE,
			name: pipeline,
			triggered_from: triggeredFrom,
		});
	}
	team.datasets = datasets.map(({ fullName, madeFrom = [], query = "" }) => ({
		fullName,
		madeFrom: [...madeFrom],
		query,
		versions: [{ version: "1.0.0", jobId: randomUUID() }],
	}));
	team.clusters = clusters.map(
		({ name: cluster, maxWorkers, active = true, isDefault = false }, index) =>
			newCluster({
				id: index + 1,
				name: cluster,
				max_workers: maxWorkers,
				default: isDefault,
				status: active ? "ACTIVE" : "INACTIVE",
			}),
	);
	world.changed(team);
}

export function removeTeam(world: World, name: string): void {
	const team = world.team(name);
	if (team === undefined) return;
	world.state.teams = world.state.teams.filter((other) => other !== team);
	world.changed(team);
}

export function colleagueIn(world: World, teamName: string): Colleague {
	const team = (): TeamState => {
		const state = world.team(teamName);
		if (state === undefined) throw new Error(`There is no team "${teamName}".`);
		return state;
	};
	const call = <Input>(input: Input): Call<Input> => ({
		world,
		team: team(),
		user: COLLEAGUE,
		input,
	});
	const seen = (schedule: ScheduleRecord): ScheduleView =>
		scheduleView(team(), schedule);
	return {
		schedules: () => team().schedules.map(seen),
		pipelines: () => team().pipelines.map(pipelineView),
		jobs: () => team().jobs.map(jobView),
		trigger: (datasets, review) =>
			pipelineView(triggerPipeline(call({ datasets: [...datasets], review }))),
		remakePipeline: (name) => {
			const old = requirePipeline(team(), { name });
			team().pipelines = team().pipelines.filter((pipeline) => pipeline !== old);
			const made = addPipeline(world, team(), {
				created_by: COLLEAGUE,
				name,
				triggered_from: old.triggered_from,
			});
			for (const schedule of team().schedules)
				if (schedule.pipeline_id === old.pipeline_id)
					schedule.pipeline_id = made.pipeline_id;
			world.changed(team());
			return pipelineView(made);
		},
		forgetPipeline: (name) => {
			team().pipelines = team().pipelines.filter((pipeline) => pipeline.name !== name);
			world.changed(team());
		},
		forgetJob: (id) => {
			team().jobs = team().jobs.filter((job) => job.id !== id);
			world.changed(team());
		},
		createSchedule: (input) => seen(createSchedule(call(input))),
		updateSchedule: (input) => seen(updateSchedule(call(input))),
		deleteSchedule: (id) => deleteSchedule(call({ schedule_id: id })),
		setSettings: (input) => pipelineView(updateSettings(call(input))),
		setVariable: (pipelineName, name, value) => {
			const pipeline = requirePipeline(team(), { name: pipelineName });
			const others = Object.entries(pipeline.environment_variables).filter(
				([other]) => other !== name,
			);
			const variables = value === undefined ? others : [...others, [name, value]];
			pipeline.environment_variables = Object.fromEntries(variables);
			pipeline.updated_at = world.timestamp();
			world.changed(team());
			return pipelineView(pipeline);
		},
		request: (name, input) => {
			const handler = handlers[name] as (
				call: Call<typeof input>,
			) => ReplyOf<typeof name>;
			return handler(call(input));
		},
		pause: (name) => pipelineView(setPaused(call({ name }), true)),
		resume: (name) => pipelineView(setPaused(call({ name }), false)),
	};
}
