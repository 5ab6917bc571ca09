import { cronProblem } from "../../cron";
import { SCHEDULE_FIELDS } from "../../provider/kinds/schedule/fields";
import { SETTINGS } from "../../provider/kinds/settings/fields";
import type { Field } from "../../provider/model/table";
import { PipelineSettingsOnDestroy } from "../../schemas/enums";
import { isPausedPipeline } from "../../schemas/pipeline-status";
import { foldName, objectName } from "../../schemas/primitives";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Schedule, ScheduleItem } from "../../schemas/wire/schedule";
import { parseInstant } from "../../text/instant";
import { ConfigSecret, type Expression, type Fields } from "./expression";
import { type ObjectNames, objectNames } from "./identifiers";
import { holdsCredential, isSecretVariable } from "./secrets";

/** The team as the service shows it. */
export interface LiveTeam {
	/** Every schedule of the team: a name is only unique among all of them. */
	readonly all: readonly ScheduleItem[];
	/** Those to export, in full. */
	readonly schedules: readonly Schedule[];
	/** The pipelines they run, as far as they could be read. */
	readonly pipelines: readonly Pipeline[];
}

interface ModelOptions {
	/** Written into each resource; left out, the connection names the team. */
	readonly teamName?: string | undefined;
	/** Leaves variables that look like no secret in the code. */
	readonly plainValues?: boolean | undefined;
	/** Leaves schedules on the service when their resources go. Settings have an input for that, `onDestroy`. */
	readonly retain?: boolean | undefined;
	/** The program is YAML, which reads its configuration in ways of its own. */
	readonly yaml?: boolean | undefined;
	/** Tells start times that have passed from those ahead. Default: the time at which it is called. */
	readonly now?: number | undefined;
}

/** A resource of the exported program. */
export interface ExportedResource extends ObjectNames {
	readonly kind: "PipelineSchedule" | "PipelineSettings";
	readonly args: Fields;
	/** Sentences that stand above it as comments. */
	readonly notes?: readonly string[];
	/** Leaves the object on the service when the resource goes. */
	readonly retain?: boolean | undefined;
}

/** Something that is on the service but cannot be declared. Names are the service's own: escape them. */
export type LeftOut =
	| { readonly schedule: string; readonly id: number; readonly why: string }
	| { readonly pipeline: string; readonly setting: string; readonly why: string };

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
		...schedules,
		...settings,
		leftOut: [...schedules.leftOut, ...settings.leftOut],
	};
}

function modelSchedules({ all, schedules: readable }: LiveTeam, options: ModelOptions) {
	const idsByName = new Map<string, number[]>();
	for (const { id, schedule_name: name } of all)
		if (typeof name === "string")
			idsByName.set(foldName(name), [...(idsByName.get(foldName(name)) ?? []), id]);
	const leftOut: LeftOut[] = [];
	const exported: Schedule[] = [];
	for (const schedule of [...readable].sort(
		(a, b) => compare(nameOf(a), nameOf(b)) || a.id - b.id,
	)) {
		const why = scheduleObstacle(
			schedule,
			idsByName.get(foldName(nameOf(schedule))) ?? [],
		);
		if (why === undefined) exported.push(schedule);
		else leftOut.push({ schedule: nameOf(schedule), id: schedule.id, why });
	}
	const namesFor = objectNames(exported.map(nameOf), "schedule");
	const pausedPipelines = new Set<string>();
	const schedules = exported.map((schedule): ExportedResource => {
		const pipeline = schedule.pipeline?.name ?? "";
		// A pipeline is paused, not a schedule: one of them says so for all.
		const paused =
			isPausedPipeline(schedule.pipeline) && !pausedPipelines.has(pipeline);
		if (paused) pausedPipelines.add(pipeline);
		const described = describeSchedule(schedule, paused, options);
		const { retain } = options;
		return {
			kind: "PipelineSchedule",
			...namesFor(nameOf(schedule)),
			...described,
			retain,
		};
	});
	return { schedules, leftOut };
}

const nameOf = ({ schedule_name: name }: Schedule): string => name ?? "";

function modelSettings(pipelines: readonly Pipeline[], options: ModelOptions) {
	const byName = new Map(pipelines.map((pipeline) => [pipeline.name ?? "", pipeline]));
	const namesFor = objectNames([...byName.keys()], "pipeline");
	const settings: ExportedResource[] = [];
	const secrets: StoredSecret[] = [];
	const leftOut: LeftOut[] = [];
	for (const [name, pipeline] of [...byName].sort(([a], [b]) => compare(a, b))) {
		const names = namesFor(name);
		const keep: Keep = (key, value) => {
			// In YAML a dot in a name reads as a property of what stands before it; no name here has two hyphens in a row.
			const configKey = `${names.resource}${options.yaml ? "--" : "."}${key}`;
			const base64 = options.yaml === true && isMoreThanText(value);
			secrets.push({
				key: configKey,
				value: base64 ? Buffer.from(value).toString("base64") : value,
				base64,
			});
			return new ConfigSecret(configKey, base64);
		};
		const omit = (setting: string, why: string) =>
			void leftOut.push({ pipeline: name, setting, why });
		const args = settingsArgs(pipeline, keep, omit, options);
		if (args !== undefined) settings.push({ kind: "PipelineSettings", ...names, args });
	}
	return { settings, secrets, leftOut };
}

/** By code units: the order must not depend on the machine's language. */
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The arguments that adopt a schedule as it is. `paused`: this is the one that declares its pipeline as paused. */
function describeSchedule(
	schedule: Schedule,
	paused: boolean,
	{ teamName, now = Date.now() }: ModelOptions,
) {
	const { cron, start, startMillis } = timesOf(schedule);
	// Beside a cron the service fills in a start of its own, which means nothing once it has passed.
	const startAfter =
		cron === undefined || (startMillis ?? now) > now ? start : undefined;
	const special = {
		scheduleName: schedule.schedule_name,
		pipelineName: schedule.pipeline?.name,
		cronExpression: cron,
		startAfter,
		paused: paused || undefined,
	};
	/** What a reader of the program should know; never a text of the service. */
	const notes: string[] = [];
	const others = Object.entries(SCHEDULE_FIELDS).flatMap(([name, field]) => {
		const value =
			name in special || field.hidden ? undefined : declarable(field, schedule);
		if (value === undefined) return [];
		if (
			field.schema.safeParse(value, HIDDEN).error === undefined &&
			isWellFormed(String(value))
		)
			return [[name, value] as const];
		notes.push(
			`The service shows a ${name} that cannot be declared; it stays as it is.`,
		);
		return [];
	});
	const args = declared({
		...special,
		...Object.fromEntries(others),
		teamName,
		adopt: true,
	});
	if (cron !== undefined && cronProblem(cron, new Date(now)) !== undefined)
		notes.push(
			"The service has this cron expression, so it is adopted; in a new schedule it would be refused.",
		);
	if (cron !== undefined && start !== undefined && startMillis === undefined)
		notes.push(
			"The service returns a start time that cannot be declared. It is not changed.",
		);
	return { args, notes };
}

/** The value of a field that stands for itself; undefined if the service has none. */
function declarable(
	{ fromLive: read, filledIn }: Field<Schedule>,
	schedule: Schedule,
): Expression | undefined {
	const value = filledIn ? undefined : read?.(schedule, {});
	return value === null || value === "" ? undefined : (value as Expression | undefined);
}

/** When it runs; a service may write an empty text for none. */
function timesOf({ cron_expression, start_after }: Schedule) {
	const start = start_after || undefined;
	const startMillis = start === undefined ? undefined : parseInstant(start);
	return { cron: cron_expression || undefined, start, startMillis };
}

/** Why no arguments can adopt it; undefined if some can. `ids` are those of all schedules of its name. */
function scheduleObstacle(
	schedule: Schedule,
	ids: readonly number[],
): string | undefined {
	const name = nameProblem(schedule.schedule_name);
	const { cron, start, startMillis } = timesOf(schedule);
	if (name !== undefined) return `its name ${name}; rename it on the service`;
	if (ids.length > 1) {
		const others = [...ids].sort((a, b) => a - b).join(", ");
		return `several schedules have this name, if only in another spelling (ids ${others}), and a schedule is adopted by its name; rename or delete all but one`;
	}
	if (!schedule.pipeline?.name)
		return "the service does not say which pipeline it runs";
	const pipeline = nameProblem(schedule.pipeline.name);
	if (pipeline !== undefined) return `the name of its pipeline ${pipeline}`;
	if (cron !== undefined && !isWellFormed(cron))
		return `its cron expression ${NOT_WELL_FORMED}`;
	if (cron === undefined && start === undefined)
		return "it has neither a cron expression nor a start time";
	if (cron === undefined && startMillis === undefined)
		return "its start time is not a date-time that can be declared";
	return undefined;
}

/** A value that belongs into the stack's configuration, encrypted. */
interface StoredSecret {
	readonly key: string;
	readonly value: string;
	/** The value is kept in base64: the language would read the text itself as more than a text. */
	readonly base64: boolean;
}

/** The arguments that adopt a pipeline's settings as they are; undefined if nothing is set that could be declared. */
function settingsArgs(
	pipeline: Pipeline,
	keep: Keep,
	omit: (setting: string, why: string) => void,
	options: ModelOptions,
): Fields | undefined {
	const problem = nameProblem(pipeline.name);
	if (problem !== undefined) {
		omit("all settings", `the pipeline's name ${problem}`);
		return undefined;
	}
	const settings: Record<string, Expression> = {};
	for (const key of Object.keys(SETTINGS)) {
		const value = liveSetting(key, pipeline);
		const why = value === undefined ? undefined : settingObstacle(key, value);
		if (why !== undefined) omit(key, why);
		else if (value !== undefined)
			settings[key] = expressionOf(key, value, keep, options);
	}
	if (Object.keys(settings).length === 0) return undefined;
	return declared({
		pipelineName: pipeline.name,
		...settings,
		teamName: options.teamName,
		adopt: true,
		onDestroy: PipelineSettingsOnDestroy.Keep,
	});
}

/**
 * A configuration value that its host takes for a number, a truth value or JSON, be it a text in quotes, reaches a program
 * in YAML as what it says, and not as its text.
 */
function isMoreThanText(value: string): boolean {
	if (GO_NUMBER.test(value) || GO_WORD.test(value)) return true;
	try {
		JSON.parse(value);
		return true;
	} catch {
		return false;
	}
}

/** A little more than Go reads as such: a text that is kept in base64 without need does no harm. */
const GO_NUMBER =
	/^[+-]?(0x[\da-f._]+p[+-]?\d+|[\d._]*\d[\d._]*(e[+-]?\d+)?|inf|infinity|nan)$/i;
const GO_WORD = /^(t|f|true|false)$/i;

type Variables = Readonly<Record<string, string | null>>;
type SettingValue = string | number | readonly string[] | Variables;
type Keep = (key: string, value: string) => Expression;

/** Messages show no value. */
const HIDDEN = { reportInput: false } as const;

/**
 * A setting as the service shows it, in the form in which a program declares it, if that can be declared: a list of
 * requirements reads better than a text. A pause belongs to a schedule.
 */
function liveSetting(key: string, pipeline: Pipeline): SettingValue | undefined {
	if (key === "paused") return undefined;
	if (key === "environment") return variables(pipeline.environment_variables ?? {});
	const { raw, declare, schema } = SETTINGS[key] ?? {};
	const value = raw?.(pipeline) as SettingValue | undefined;
	const form =
		value === undefined ? undefined : (declare?.(value) as SettingValue | undefined);
	if (form === undefined) return value;
	if (Array.isArray(form) && form.length === 0) return undefined;
	return schema?.safeParse(form, HIDDEN).error === undefined ? form : value;
}

function variables(map: Variables): Variables | undefined {
	const names = Object.keys(map).sort();
	return names.length === 0
		? undefined
		: Object.fromEntries(names.map((name) => [name, map[name] ?? null]));
}

/** Asks the provider's own rules: what they refuse must not be in the program. The reason never shows a value. */
function settingObstacle(key: string, value: SettingValue): string | undefined {
	// Objects lose this key on their way through Pulumi, and the environment is declared as a whole.
	if (typeof value === "object" && Object.hasOwn(value, "__proto__"))
		return "a variable is named __proto__, which cannot be declared";
	const entries =
		typeof value === "object" ? Object.entries(value) : [["", String(value)] as const];
	const [empty] = entries.find(([, text]) => text === null) ?? [];
	if (empty !== undefined)
		return `the variable ${JSON.stringify(empty)} is null, which cannot be declared`;
	if (!entries.flat().every((text) => isWellFormed(text ?? ""))) return NOT_WELL_FORMED;
	const error = SETTINGS[key]?.schema.safeParse(value, HIDDEN).error;
	return error && firstIssue(error);
}

function expressionOf(
	key: string,
	value: SettingValue,
	keep: Keep,
	options: ModelOptions,
): Expression {
	if (typeof value === "number") return value;
	// A variable's name has no "-", so these keys are never the key of a variable.
	if (key === "requirements" && Array.isArray(value)) {
		return value.map((line, index) =>
			holdsCredential(line) ? keep(`requirement-${index + 1}`, line) : line,
		);
	}
	if (typeof value === "string") {
		return key !== "pythonVersion" && holdsCredential(value)
			? keep(`${key}-text`, value)
			: value;
	}
	const fields = Object.entries(value).map(([name, set]) => {
		const text = set ?? "";
		// An empty value hides nothing, and a configuration value cannot be told from a missing one when it is empty.
		const plain =
			text === "" || (options.plainValues === true && !isSecretVariable(name, text));
		return [name, plain ? text : keep(name, text)];
	});
	return Object.fromEntries(fields);
}

/** Half of a surrogate pair is no character: it does not survive the way through Pulumi's engine, which speaks UTF-8. */
const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

const NOT_WELL_FORMED = "has half of a character in it, which cannot be declared";

const firstIssue = ({ issues }: { issues: { message: string }[] }): string =>
	issues[0]?.message ?? "cannot be declared";

/** Why a name cannot be declared; undefined if it can. */
function nameProblem(name: string | null | undefined): string | undefined {
	const { error } = objectName.safeParse(name);
	if (error !== undefined) return firstIssue(error);
	return isWellFormed(name ?? "") ? undefined : NOT_WELL_FORMED;
}

/** Only what is set is declared: an omitted argument and an empty one are different things. */
const declared = (
	fields: Readonly<Record<string, Expression | null | undefined>>,
): Fields =>
	Object.fromEntries(
		Object.entries(fields).flatMap(([name, value]) =>
			value == null ? [] : [[name, value]],
		),
	);
