import { expect, it } from "vitest";
import { handlerOf } from "../../src/provider/hosts/hosting";
import type { Props } from "../../src/provider/model/props";
import { dynamicType } from "../../src/schemas/kinds";
import type { Colleague } from "../../src/server";
import { driftTeam } from "../helpers/drift-team";
import { KINDS_UNDER_TEST } from "../helpers/provider-kinds";
import { StackModel } from "../model/engine-model";
import { Process, urnOf } from "../model/process";
import { ServerTime } from "../model/server-time";
import type { What } from "../model/stack";

type Change =
	| "pause"
	| "resume"
	| Omit<Parameters<Colleague["updateSchedule"]>[0], "schedule_id">;
type SettingsChange =
	| "pause"
	| "resume"
	| Omit<Parameters<Colleague["setSettings"]>[0], "pipeline_name">;
/** The field, what happens to it, what is declared (of settings the field's value), and what somebody sends. */
type ScheduleLine = readonly [
	covers: string,
	what: string,
	declared: Props,
	change: Change,
];
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
	[
		"cronExpression",
		"a cron where none was",
		{ startAfter: START },
		{ cron_expression: "9 9 * * *" },
	],
	[
		"utcCron",
		"another cron",
		{ ...daily, timeZone: "Asia/Kolkata" },
		{ cron_expression: "0 3 * * *" },
	],
	["startAfter", "another start", started, { start_after: "2031-05-05T00:00:00Z" }],
	["paused", "paused", { ...daily, paused: false }, "pause"],
	[
		"paused",
		"paused through the schedule",
		{ ...daily, paused: false },
		{ pause_pipeline: true },
	],
	["paused", "resumed", { ...daily, paused: true }, "resume"],
];

const SAME_SCHEDULES: readonly ScheduleLine[] = [
	[
		"cronExpression",
		"@weekly",
		{ cronExpression: "0 0 * * 7" },
		{ cron_expression: "@weekly" },
	],
	[
		"utcCron",
		"03:00 in Kolkata",
		{ ...daily, timeZone: "Asia/Kolkata" },
		{ cron_expression: "30 21 * * 0-6" },
	],
	[
		"startAfter",
		"in another zone",
		started,
		{ start_after: "2030-01-01 01:00:00.000000+01" },
	],
	["startAfter", "a start that nobody declared", daily, { start_after: START }],
	["paused", "paused where nobody declared it", daily, "pause"],
	[
		"scheduleName",
		"everything sent again",
		daily,
		{ cron_expression: daily.cronExpression },
	],
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
	[
		"requirements",
		"another version",
		requirements,
		{ requirements: "pillow\ntorch==2.6" },
	],
	["repository", "another revision", repository, { repository: `${repository}-2` }],
	["workers", "more", 1, { workers: 20 }],
	["workers", "none", 1, { workers: 0 }],
	["paused", "paused", false, "pause"],
	["paused", "resumed", true, "resume"],
	[
		"environment",
		"a value",
		environment,
		{ environment: "MODE=fast\nKEY=theirs" },
		["KEY"],
	],
	["environment", "one less", environment, { environment: "MODE=fast" }, ["KEY"]],
	["environment", "all gone", environment, { environment: "" }, ["KEY", "MODE"]],
	[
		"environment",
		"an inherited name",
		{ constructor: "1" },
		{ environment: "" },
		["constructor"],
	],
	[
		"storage",
		"a parameter",
		storage,
		inS3(`{${stored},"use_ssl":true}`),
		["s3.useSsl"],
	],
	[
		"storage",
		"one more",
		storage,
		inS3(`{${stored},"use_ssl":false,"added_here":1}`),
		["s3.addedHere"],
	],
	[
		"storage",
		"gone",
		storage,
		{ environment: "" },
		["s3.key", "s3.secret", "s3.useSsl"],
	],
];

const others = {
	python_version: "3.9",
	requirements: "x",
	repository: "y",
	priority: 1,
	environment: "A=1",
};

/** White space that pip ignores, order, and what nobody declared. */
const SAME_SETTINGS: readonly SettingsLine[] = [
	[
		"requirements",
		"blanks",
		requirements,
		{ requirements: "\n pillow \n\n\ttorch==2.5\n" },
	],
	[
		"environment",
		"one more",
		environment,
		{ environment: "MODE=fast\nKEY=ours\nADDED=1" },
	],
	[
		"environment",
		"comments",
		environment,
		{ environment: "# x\n\nKEY=ours\nMODE=fast\n" },
	],
	[
		"storage",
		"another order and spaces",
		storage,
		inS3(`{ "use_ssl": false, ${stored} }`),
	],
	["workers", "settings that nobody declared", 2, others],
	["repository", "paused meanwhile", repository, "pause"],
];

/** Fields that nobody can change behind Pulumi's back: instructions to the provider, and what no request moves. */
const NOT_ON_THE_SERVICE = [
	"pipelineName",
	"teamName",
	"timeZone",
	"adopt",
	"onDestroy",
];
/** Fields that the service never shows. */
const NEVER_SHOWN = ["files", "credentialsNames"];
const EXEMPT: readonly string[] = [...NOT_ON_THE_SERVICE, ...NEVER_SHOWN];

const scheduleCase = (
	[covers, what, declared, change]: ScheduleLine,
	named = [covers],
) => ({
	kind: "PipelineSchedule" as const,
	covers,
	what,
	declared,
	named,
	change: (team: Colleague, pipeline: string, id: number) =>
		typeof change === "string"
			? team[change](pipeline)
			: team.updateSchedule({ schedule_id: id, ...change }),
});

const settingsCase = (
	[covers, what, declared, change, names]: SettingsLine,
	same = false,
) => ({
	kind: "PipelineSettings" as const,
	covers,
	what,
	declared: { [covers]: declared },
	/** What must be named; nothing where the change means the same. */
	named: same ? [] : (names?.map((name) => `${covers}.${name}`) ?? [covers]),
	change: (team: Colleague, pipeline: string) =>
		typeof change === "string"
			? team[change](pipeline)
			: team.setSettings({ pipeline_name: pipeline, ...change }),
});

const listed = [...SCHEDULES, ...SETTINGS].map(([covers]) => covers);
/** A value that is not the declared one. */
const byHand = (value: unknown): unknown =>
	typeof value === "string" ? `${value} by hand` : Number(value) + 1;

/** A field without a line of its own: declared as the required cases edit it, and changed to something else. */
const otherCases = (["PipelineSchedule", "PipelineSettings"] as const).flatMap(
	(kind) => {
		const fields = Object.entries(handlerOf(kind).fields);
		const others = fields.filter(
			([name, { fromLive: read }]) =>
				read && !EXEMPT.includes(name) && !listed.includes(name),
		);
		return others.map(([name, { wire = "" }]) => {
			const value = KINDS_UNDER_TEST[kind].edits[name]?.to[name];
			const change = { [wire]: byHand(value) };
			return kind === "PipelineSchedule"
				? scheduleCase([name, "changed", { ...daily, [name]: value }, change])
				: settingsCase([name, "changed", value, change]);
		});
	},
);

/** Each field that a request can change, in each way it can; and what is no drift: other spellings, what is not managed. */
const CASES = [
	...SCHEDULES.map((line) => scheduleCase(line)),
	...SETTINGS.map((line) => settingsCase(line)),
	...otherCases,
	...SAME_SCHEDULES.map((line) => scheduleCase(line, [])),
	...SAME_SETTINGS.map((line) => settingsCase(line, true)),
];

/** Names of what was found, by the resource's name in the program. */
type Found = Record<string, string[]>;

const DAY = 24 * 60 * 60_000;

it.each(["PipelineSchedule", "PipelineSettings"] as const)(
	"every field of %s has a case below",
	(kind) => {
		const covered = CASES.filter(
			(each) => each.kind === kind && each.named.length > 0,
		).map(({ covers }) => covers);
		const without = Object.keys(handlerOf(kind).fields).filter(
			(field) => !covered.includes(field),
		);
		expect(without.filter((field) => !EXEMPT.includes(field))).toEqual([]);
	},
);

it("drift names exactly the fields that somebody changed and agrees with refresh, and up repairs them", async () => {
	// Each case has a pipeline and a resource of its own, made by the provider.
	const program = CASES.map(({ kind, covers, declared }, index) => {
		return {
			kind,
			name: `${index} ${covers}`,
			args: { ...declared, pipelineName: `pipeline-${index}` },
		};
	});
	const pipelines = program.map(({ args }) => args.pipelineName);
	// Spellings are stored as they are sent.
	const { server, env, others, check } = await driftTeam(pipelines, {
		normalise: false,
	});
	const time = new ServerTime(server.clock, server.requests);
	const stack = new StackModel();
	const run = async (what: What, refresh = false): Promise<readonly string[]> => {
		const options = { parallel: 8, refresh };
		const done = await stack.command(
			what,
			program,
			options,
			(each) => new Process({ ...each, env, time }),
		);
		expect(done.failures).toEqual([]);
		return done.steps;
	};
	const byCommand = async (): Promise<Found> => {
		const { changed, missing, failed } = await check(
			stack.entries.map(({ kind, name, id, inputs, outs }) => ({
				urn: urnOf(kind, name),
				type: dynamicType(kind),
				id,
				inputs,
				outputs: outs,
			})),
		);
		expect(failed).toEqual([]);
		const verdicts = [
			...changed.map(({ resource }) => `changed ${resource}`),
			...missing.map(({ resource }) => `gone ${resource}`),
		];
		const refreshed = (await run("drift")).filter((step) => !step.startsWith("read "));
		expect([...refreshed].sort()).toEqual(verdicts.sort());
		return Object.fromEntries(
			changed.map(({ resource, fields }) => [
				resource,
				fields.map(({ field }) => field).sort(),
			]),
		);
	};
	await run("up");
	expect(await byCommand()).toEqual({});
	// A day passes: schedules run, jobs end, next_run and latest_run change. None of it is drift.
	server.clock.advance(DAY);
	const found: Found = {};
	for (const [index, { change, named }] of CASES.entries()) {
		const name = program[index]?.name ?? "";
		const { scheduleId = 0 } =
			stack.entries.find((entry) => entry.name === name)?.outs ?? {};
		change(others, `pipeline-${index}`, Number(scheduleId));
		if (named.length > 0) found[name] = [...named].sort();
	}
	const [first] = stack.entries;
	others.deleteSchedule(Number(first?.id));
	delete found[first?.name ?? ""];
	expect(await byCommand()).toEqual(found);
	await run("up", true);
	expect(await byCommand()).toEqual({});
});
