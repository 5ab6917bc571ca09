import type { Props } from "../../src/provider/handler";
import type { Colleague } from "../../src/server";

/** One change behind Pulumi's back, to a resource that nothing else happens to. */
export interface DriftCase {
	readonly kind: "PipelineSchedule" | "PipelineSettings";
	/** The field of the schema that it is about. */
	readonly covers: string;
	readonly what: string;
	/** As a program declares it, without the pipeline. */
	readonly declared: Props;
	/** Made by somebody else; the id is the schedule's, 0 for settings. */
	change(there: { team: Colleague; pipeline: string; id: number }): unknown;
	/** What must be named; nothing where the change means the same. */
	readonly named: readonly string[];
}

type Change = "pause" | "resume" | Omit<Parameters<Colleague["updateSchedule"]>[0], "schedule_id">;
type SettingsChange = "pause" | "resume" | Omit<Parameters<Colleague["setSettings"]>[0], "pipeline_name">;
/** The field, what happens to it, what is declared (of settings the field's value), and what somebody sends. */
type ScheduleLine = readonly [covers: string, what: string, declared: Props, change: Change];
type SettingsLine = readonly [
	covers: string,
	what: string,
	value: unknown,
	change: SettingsChange,
	names?: string[],
];

const START = "2030-01-01T00:00:00Z";
const daily = { cronExpression: "0 3 * * *" };
const started = { ...daily, startAfter: START };

const SCHEDULES: readonly ScheduleLine[] = [
	["scheduleName", "renamed", daily, { schedule_name: "renamed by somebody" }],
	["cronExpression", "another cron", daily, { cron_expression: "9 9 * * *" }],
	["cronExpression", "a cron where none was", { startAfter: START }, { cron_expression: "9 9 * * *" }],
	["utcCron", "another cron", { ...daily, timeZone: "Asia/Kolkata" }, { cron_expression: "0 3 * * *" }],
	["utcCron", "another cron", { cronExpression: "H 3 * * *" }, { cron_expression: "0 4 * * *" }],
	["startAfter", "another start", started, { start_after: "2031-05-05T00:00:00Z" }],
	["startAfter", "a second later", started, { start_after: "2030-01-01T00:00:01Z" }],
	["paused", "paused", { ...daily, paused: false }, "pause"],
	["paused", "paused through the schedule", { ...daily, paused: false }, { pause_pipeline: true }],
	["paused", "resumed", { ...daily, paused: true }, "resume"],
];

const SAME_SCHEDULES: readonly ScheduleLine[] = [
	["cronExpression", "@weekly", { cronExpression: "0 0 * * 7" }, { cron_expression: "@weekly" }],
	[
		"utcCron",
		"03:00 in Kolkata",
		{ ...daily, timeZone: "Asia/Kolkata" },
		{ cron_expression: "30 21 * * 0-6" },
	],
	["startAfter", "in another zone", started, { start_after: "2030-01-01 01:00:00.000000+01" }],
	["startAfter", "a start that nobody declared", daily, { start_after: START }],
	["paused", "paused where nobody declared it", daily, "pause"],
	["scheduleName", "everything sent again", daily, { cron_expression: daily.cronExpression }],
];

const environment = { MODE: "fast", KEY: "ours" };
const requirements = ["pillow", "torch==2.5"];
const repository = "https://example.com/ours.git@main";
const storage = { s3: { key: "ours", secret: "ours", useSsl: false } };
/** Of the variable that carries it; what differs in any config of any kind, test/unit/storage/compare.test.ts shows. */
const stored = '"key":"ours","secret":"ours"';
const inS3 = (value: string): SettingsChange => ({ environment: `FSSPEC_S3=${value}` });

const SETTINGS: readonly SettingsLine[] = [
	["pythonVersion", "another version", "3.12", { python_version: "3.11" }],
	["pythonVersion", "cleared", "3.12", { python_version: "" }],
	["pythonVersion", "set where none was meant", "", { python_version: "3.9" }],
	["requirements", "another version", requirements, { requirements: "pillow\ntorch==2.6" }],
	["requirements", "another order", requirements, { requirements: "torch==2.5\npillow" }],
	["requirements", "cleared", "pillow", { requirements: "" }],
	["repository", "another revision", repository, { repository: `${repository}-2` }],
	["repository", "cleared", repository, { repository: "" }],
	["workers", "more", 1, { workers: 20 }],
	["workers", "none", 1, { workers: 0 }],
	["priority", "sooner", 3, { priority: 0 }],
	["priority", "the default", 3, { priority: 5 }],
	["paused", "paused", false, "pause"],
	["paused", "resumed", true, "resume"],
	["environment", "a value", environment, { environment: "MODE=fast\nKEY=theirs" }, ["KEY"]],
	["environment", "a space at the end", environment, { environment: "MODE=fast\nKEY=ours " }, ["KEY"]],
	["environment", "a value emptied", environment, { environment: "MODE=fast\nKEY=" }, ["KEY"]],
	["environment", "one less", environment, { environment: "MODE=fast" }, ["KEY"]],
	["environment", "one more", environment, { environment: "MODE=fast\nKEY=ours\nADDED=1" }, ["ADDED"]],
	["environment", "all gone", environment, { environment: "" }, ["KEY", "MODE"]],
	["environment", "one where none was meant", {}, { environment: "ADDED=1" }, ["ADDED"]],
	["environment", "an inherited name", {}, { environment: "constructor=1" }, ["constructor"]],
	["storage", "a parameter", storage, inS3(`{${stored},"use_ssl":true}`), ["s3.useSsl"]],
	["storage", "one less", storage, inS3(`{${stored}}`), ["s3.useSsl"]],
	["storage", "one more", storage, inS3(`{${stored},"use_ssl":false,"added_here":1}`), ["s3.addedHere"]],
	["storage", "unreadable", storage, inS3('{"'), ["s3.key", "s3.secret", "s3.useSsl"]],
	["storage", "gone", storage, { environment: "" }, ["s3.key", "s3.secret", "s3.useSsl"]],
];

const others = { python_version: "3.9", requirements: "x", repository: "y", priority: 1, environment: "A=1" };

/** White space that pip ignores, order, and what nobody declared. */
const SAME_SETTINGS: readonly SettingsLine[] = [
	["requirements", "blanks", requirements, { requirements: "\n pillow \n\n\ttorch==2.5\n" }],
	["requirements", "nothing for nothing", [], { requirements: " \n" }],
	["environment", "comments", environment, { environment: "# x\n\nKEY=ours\nMODE=fast\n" }],
	["environment", "none for none", {}, { environment: "\n" }],
	["storage", "another order and spaces", storage, inS3(`{ "use_ssl": false, ${stored} }`)],
	["workers", "settings that nobody declared", 2, others],
	["pythonVersion", "the same again", "3.12", { python_version: "3.12" }],
	["repository", "paused meanwhile", repository, "pause"],
];

const scheduleCase = ([covers, what, declared, change]: ScheduleLine, named = [covers]): DriftCase => ({
	kind: "PipelineSchedule",
	covers,
	what,
	declared,
	named,
	change: ({ team, pipeline, id }) =>
		typeof change === "string" ? team[change](pipeline) : team.updateSchedule({ schedule_id: id, ...change }),
});

const settingsCase = ([covers, what, declared, change, names]: SettingsLine, same = false): DriftCase => ({
	kind: "PipelineSettings",
	covers,
	what,
	declared: { [covers]: declared },
	named: same ? [] : (names?.map((name) => `${covers}.${name}`) ?? [covers]),
	change: ({ team, pipeline }) =>
		typeof change === "string"
			? team[change](pipeline)
			: team.setSettings({ pipeline_name: pipeline, ...change }),
});

/** Each field that a request can change, in each way it can; and what is no drift: other spellings, what is not managed. */
export const driftCases: readonly DriftCase[] = [
	...SCHEDULES.map((line) => scheduleCase(line)),
	...SETTINGS.map((line) => settingsCase(line)),
	...SAME_SCHEDULES.map((line) => scheduleCase(line, [])),
	...SAME_SETTINGS.map((line) => settingsCase(line, true)),
];
