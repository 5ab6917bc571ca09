import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigSecret, type Fields } from "../../../src/commands/export/expression";
import { modelOf } from "../../../src/commands/export/model";
import { handlerOf } from "../../../src/provider/hosts/hosting";
import { SCHEDULE_FIELDS } from "../../../src/provider/kinds/schedule/fields";
import { toWire } from "../../../src/provider/model/table";
import { livePipeline, liveSchedule, liveTeam } from "../../helpers/export-teams";
import { KINDS_UNDER_TEST } from "../../helpers/provider-kinds";

const plain = (args: Fields | undefined): Fields => ({ ...args });

it("a team with everything set is exported with every field that the provider reads from the service", () => {
	const pipeline = livePipeline("p", {
		status: "PAUSED",
		python_version: "3.12",
		requirements: "numpy",
		repository: "https://git.example.com/a",
		workers: 2,
		priority: 1,
		environment_variables: { A: "1" },
	});
	const values = Object.assign(
		{},
		...Object.values(KINDS_UNDER_TEST.PipelineSchedule.edits).map(({ to }) => to),
	);
	const live = liveSchedule(1, "s", {
		...toWire(SCHEDULE_FIELDS, "update", values),
		pipeline,
	});
	const team = liveTeam([live], [pipeline]);
	const { schedules, settings } = modelOf(team);
	const exported = {
		PipelineSchedule: Object.keys(plain(schedules[0]?.args)),
		PipelineSettings: Object.keys(plain(settings[0]?.args)),
	};
	/** The compiled form of cronExpression; storage is exported as the variables that carry it; the schedule says paused. */
	const elsewhere = {
		PipelineSchedule: ["utcCron"],
		PipelineSettings: ["storage", "paused"],
	};
	for (const kind of ["PipelineSchedule", "PipelineSettings"] as const) {
		const fields = Object.entries(handlerOf(kind).fields).flatMap(
			([name, { fromLive: read }]) => (read ? [name] : []),
		);
		const expected = fields.filter((name) => !elsewhere[kind].includes(name));
		expect(exported[kind]).toEqual(expect.arrayContaining(expected));
	}
});

describe("a schedule", () => {
	const now = Date.parse("2026-06-15T12:00:00Z");
	const described = (more: object, name = "nightly") =>
		modelOf(liveTeam([liveSchedule(1, name, more)]), { now });

	it.each([
		["2026-06-15T12:00:01Z", true],
		["2026-06-15T12:00:00Z", false],
	])(
		"with a cron and a start at %s declares the start if it is ahead: %s",
		(start_after, ahead) => {
			const args = plain(described({ start_after }).schedules[0]?.args);
			expect(args.startAfter).toBe(ahead ? start_after : undefined);
			const once = described({ start_after, cron_expression: null });
			expect(plain(once.schedules[0]?.args)).toMatchObject({ startAfter: start_after });
		},
	);

	it.each([
		[{ cron_expression: "0 0 0 1 1 * 2030" }, "would be refused"],
		[{ cron_expression: "0 3 * * *", start_after: "soon" }, "start time"],
	])(
		"with a time that cannot be declared anew is exported as it is, with a comment: %j",
		(more, note) => {
			const model = described(more);
			expect(model.leftOut).toEqual([]);
			const { startAfter, ...args } = plain(model.schedules[0]?.args);
			expect(startAfter).toBeUndefined();
			expect(args).toMatchObject({ cronExpression: more.cron_expression, adopt: true });
			expect(model.schedules[0]?.notes).toEqual([expect.stringContaining(note)]);
		},
	);

	it("on a paused pipeline declares it paused, and only one of several does", () => {
		const paused = (name: string) => ({
			pipeline: livePipeline(name, { status: "PAUSED" }),
		});
		const { schedules } = modelOf(
			liveTeam([
				...["c", "b", "a "].map((name, id) => liveSchedule(id, name, paused("one"))),
				liveSchedule(4, "d", paused("other")),
				liveSchedule(5, "e", { pipeline: livePipeline("running") }),
			]),
		);
		const declared = schedules.filter(({ args }) => plain(args).paused === true);
		expect(declared.map(({ resource }) => resource)).toEqual(["b", "d"]);
		expect(schedules.filter(({ args }) => "paused" in plain(args))).toEqual(declared);
	});

	it.each([
		[
			"several of one name",
			[liveSchedule(4, "twin"), liveSchedule(2, "Twin")],
			/ids 2, 4/,
		],
		[
			"a name with white space at its end",
			[liveSchedule(1, "nightly ")],
			/white space/,
		],
		[
			"a name with half a character",
			[liveSchedule(1, "a\ud800")],
			/half of a character/,
		],
		["no name", [liveSchedule(1, null)], /its name/],
		["no pipeline", [liveSchedule(1, "nightly", { pipeline: null })], /which pipeline/],
		[
			"a cron with half a character",
			[liveSchedule(1, "nightly", { cron_expression: "0\ud800" })],
			/cron.*half/,
		],
		[
			"no time at all",
			[liveSchedule(1, "nightly", { cron_expression: null, start_after: null })],
			/neither/,
		],
	])("that cannot be adopted is left out, with the reason: %s", (_, schedules, why) => {
		const model = modelOf(liveTeam(schedules));
		expect(model.schedules).toEqual([]);
		expect(model.leftOut).toEqual(
			schedules
				.map(({ id, schedule_name }) => ({
					schedule: schedule_name ?? "",
					id,
					why: expect.stringMatching(why),
				}))
				.sort((a, b) => a.id - b.id),
		);
	});

	it("is left out as a duplicate also if the filter matches only one of the two", () => {
		const [one, other] = [liveSchedule(1, "twin"), liveSchedule(2, "twin")];
		expect(
			modelOf({ all: [one, other], schedules: [one], pipelines: [] }).schedules,
		).toEqual([]);
	});
});

describe("settings", () => {
	const described = (settings: object, options = {}) =>
		modelOf(liveTeam([], [livePipeline("images", settings)]), options);

	it("declare only what is set", () => {
		expect(
			described({ python_version: "", requirements: " \n", environment_variables: {} })
				.settings,
		).toEqual([]);
		expect(
			plain(described({ workers: 3, requirements: "b \r\n\na" }).settings[0]?.args),
		).toEqual({
			pipelineName: "images",
			requirements: ["b", "a"],
			workers: 3,
			adopt: true,
			onDestroy: "keep",
		});
	});

	it("keep every value of the environment out of the code, and with plainValues those that look secret", () => {
		const environment_variables = { B: "plain", A_TOKEN: "t0ken", EMPTY: "" };
		const hidden = described({ environment_variables });
		expect(plain(hidden.settings[0]?.args).environment).toStrictEqual({
			A_TOKEN: new ConfigSecret("images.A_TOKEN", false),
			B: new ConfigSecret("images.B", false),
			EMPTY: "",
		});
		const token = { key: "images.A_TOKEN", value: "t0ken", base64: false };
		expect(hidden.secrets).toEqual([
			token,
			{ key: "images.B", value: "plain", base64: false },
		]);
		expect(described({ environment_variables }, { plainValues: true }).secrets).toEqual(
			[token],
		);
	});

	// As the host of YAML reads a configuration value: Go's ParseInt, ParseBool and ParseFloat, then JSON.
	it.each([
		...["12", "+1", "-0", ".5", "5.", "1e5", "-0x1p-2", "NaN", "-Inf", "infinity"],
		...[
			"t",
			"F",
			"True",
			"FALSE",
			"true",
			"null",
			"[1]",
			'{"a":1}',
			' "b" ',
			'"quoted"',
		],
	])("in YAML keep %j in base64, because it would not be read as a string", (text) => {
		const { secrets, settings } = described(
			{ environment_variables: { A: text } },
			{ yaml: true },
		);
		expect(secrets).toEqual([
			{ key: "images--A", value: Buffer.from(text).toString("base64"), base64: true },
		]);
		expect(plain(settings[0]?.args).environment).toStrictEqual({
			A: new ConfigSecret("images--A", true),
		});
		expect(described({ environment_variables: { A: text } }).secrets).toEqual([
			{ key: "images.A", value: text, base64: false },
		]);
	});

	it.each([
		"007 agents",
		"yes",
		"truth",
		"1.2.3-rc",
		"a1",
		"-",
		".",
		"{",
		'"open',
		"\u0024{x}",
		"e5",
		"v1",
	])("in YAML keep %j as it is", (text) => {
		const { secrets } = described(
			{ environment_variables: { A: text } },
			{ yaml: true },
		);
		expect(secrets).toEqual([{ key: "images--A", value: text, base64: false }]);
	});

	it.each([
		["pythonVersion", { python_version: "cpython" }],
		["workers", { workers: 0, priority: 3 }],
		["requirements", { requirements: "pillow\nrequirements.txt" }],
		["environment", { environment_variables: { "not a name": "s3cret" } }],
		["environment", { environment_variables: { A: "s3cret", EMPTY: null } }],
		["environment", { environment_variables: { HALF: "s3cret\ud800" } }],
		["environment", { environment_variables: JSON.parse('{"__proto__":"s3cret"}') }],
	])(
		"leave out what the provider would refuse, and say so without the value: %s",
		(key, settings) => {
			const model = described({ workers: 1, ...settings });
			expect(Object.keys(plain(model.settings[0]?.args))).not.toContain(key);
			expect(model.leftOut).toMatchObject([{ pipeline: "images", setting: key }]);
			expect(JSON.stringify(model)).not.toContain("s3cret");
		},
	);
});

it("the whole team gives the same model in whatever order it was read", () => {
	const schedules = ["b", "a", "C", "twin", "twin"].map((name, id) =>
		liveSchedule(id, name),
	);
	const pipelines = ["y", "x", "Z"].map((name) =>
		livePipeline(name, { workers: 1, environment_variables: { B: "1", A: "2" } }),
	);
	const expected = JSON.stringify(modelOf(liveTeam(schedules, pipelines)));
	const shuffled = <T>(items: T[]) =>
		fc.shuffledSubarray(items, { minLength: items.length });
	fc.assert(
		fc.property(shuffled(schedules), shuffled(pipelines), (one, other) => {
			expect(JSON.stringify(modelOf(liveTeam(one, other)))).toBe(expected);
		}),
		{ numRuns: 20 },
	);
});
