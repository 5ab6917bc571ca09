import { isPausedPipeline } from "../schemas/pipeline-status";
import type { Pipeline } from "../schemas/wire/pipeline";
import type { Schedule, ScheduleItem } from "../schemas/wire/schedule";
import type { Fields } from "./expression";
import { type ObjectNames, objectNames } from "./identifiers";
import { describeSchedule } from "./schedule";
import { describeSettings, type StoredSecret } from "./settings";

/** The team as the service shows it. */
export interface LiveTeam {
	/** Every schedule of the team: a name is only unique among all of them. */
	readonly all: readonly ScheduleItem[];
	/** Those to export, in full. */
	readonly schedules: readonly Schedule[];
	/** The pipelines they run, as far as they could be read. */
	readonly pipelines: readonly Pipeline[];
}

export interface ModelOptions {
	/** Written into each resource; left out, the connection names the team. */
	readonly teamName?: string | undefined;
	/** Leaves variables that look like no secret in the code. */
	readonly plainValues?: boolean | undefined;
	/** The program is YAML, which reads its configuration in ways of its own. */
	readonly yaml?: boolean | undefined;
	/** Tells start times that have passed from those ahead. Default: the time at which it is called. */
	readonly now?: number | undefined;
}

/** A resource of the exported program. */
export interface ExportedResource extends ObjectNames {
	readonly args: Fields;
	/** Sentences that stand above it as comments. */
	readonly notes?: readonly string[] | undefined;
}

/** Something that is on the service but cannot be declared. Names are the service's own: escape them. */
export interface LeftOut {
	readonly what: "schedule" | "setting";
	/** Ids of schedules, or the name of a setting. */
	readonly which: string;
	/** Name of the schedule or of the pipeline. */
	readonly name: string;
	readonly why: string;
}

/** What the exported project says. Values of secrets are only in `secrets`. */
export interface TeamModel {
	readonly schedules: readonly ExportedResource[];
	readonly settings: readonly ExportedResource[];
	readonly secrets: readonly StoredSecret[];
	readonly leftOut: readonly LeftOut[];
}

/** Turns the live team into what the program declares. The same team gives the same model, in whatever order it came. */
export function modelOf(team: LiveTeam, options: ModelOptions = {}): TeamModel {
	const schedules = modelSchedules(team, options);
	const settings = modelSettings(team.pipelines, options);
	return {
		schedules: schedules.resources,
		settings: settings.resources,
		secrets: settings.secrets,
		leftOut: [...schedules.leftOut, ...settings.leftOut],
	};
}

function modelSchedules({ all, schedules }: LiveTeam, options: ModelOptions) {
	const idsByName = new Map<string, number[]>();
	for (const { id, schedule_name: name } of all)
		if (typeof name === "string") idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
	const sorted = [...schedules].sort(
		(a, b) => compare(a.schedule_name ?? "", b.schedule_name ?? "") || a.id - b.id,
	);
	const pausedPipelines = new Set<string>();
	const found = sorted.map((schedule) => {
		const pipeline = schedule.pipeline?.name ?? "";
		const result = describeSchedule(schedule, {
			ids: idsByName.get(schedule.schedule_name ?? "") ?? [],
			// A pipeline is paused, not a schedule: one of them says so for all.
			paused: isPausedPipeline(schedule.pipeline) && !pausedPipelines.has(pipeline),
			teamName: options.teamName,
			now: options.now ?? Date.now(),
		});
		if (result.args !== undefined && isPausedPipeline(schedule.pipeline)) pausedPipelines.add(pipeline);
		return { name: schedule.schedule_name ?? "", id: schedule.id, result };
	});
	const names = objectNames(
		found.flatMap(({ name, result }) => (result.args === undefined ? [] : [name])),
		"schedule",
	);
	const leftOut = found.flatMap(({ name, id, result }): LeftOut[] =>
		result.why === undefined ? [] : [{ what: "schedule", which: String(id), name, why: result.why }],
	);
	const resources = found.flatMap(({ name, result }) => named(names.get(name), result));
	return { resources, leftOut };
}

function modelSettings(pipelines: readonly Pipeline[], options: ModelOptions) {
	const byName = new Map(pipelines.map((pipeline) => [pipeline.name ?? "", pipeline]));
	const sorted = [...byName].sort(([a], [b]) => compare(a, b));
	const names = objectNames([...byName.keys()], "pipeline");
	const found = sorted.map(([name, pipeline]) => ({
		name,
		result: describeSettings(pipeline, names.get(name)?.resource ?? "pipeline", options),
	}));
	return {
		resources: found.flatMap(({ name, result }) => named(names.get(name), result)),
		secrets: found.flatMap(({ result }) => result.secrets),
		leftOut: found.flatMap(({ name, result }) =>
			result.leftOut.map(({ key, why }): LeftOut => ({ what: "setting", which: key, name, why })),
		),
	};
}

function named(
	names: ObjectNames | undefined,
	result: { readonly args?: Fields | undefined; readonly notes?: readonly string[] | undefined },
): ExportedResource[] {
	if (names === undefined || result.args === undefined) return [];
	return [{ ...names, args: result.args, notes: result.notes }];
}

/** By code units: the order must not depend on the machine's language. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
