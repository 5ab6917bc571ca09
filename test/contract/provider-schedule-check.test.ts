import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../src/provider/model/props";
import {
	theirs as colleagues,
	freshStack,
	named,
	stack,
	world,
} from "../helpers/provider-scene";
import type { Entry } from "../model/stack";

const WHO = { kind: "PipelineSchedule", name: "a" } as const;
const MINUTE = 60_000;
/** No year has this day: a new schedule is refused with it. */
const ODD_CRON = "0 0 30 2 *";

freshStack();

const a = (inputs: object = {}) => named("a", "a", inputs);
const inputsOf = (inputs: object = {}) => a(inputs).args;
const theirs = (inputs: object = {}) => colleagues("a", inputs);
const refused = (inputs: object, old?: Entry, options = {}) =>
	world.process({ preview: true, ...options }).refusals(WHO, inputsOf(inputs), old);

describe("a schedule that cannot work is refused with the reason", () => {
	const once = (startAfter: unknown, more: object = {}) => ({
		cronExpression: undefined,
		startAfter,
		...more,
	});
	const ago = (millis: number) => new Date(world.time.now() - millis).toISOString();

	it("that should have run once, a minute ago or earlier", async () => {
		const start = ago(MINUTE);
		expect(await refused(once(start))).toEqual([
			`startAfter: ${start} has passed, and without a cronExpression a schedule runs only at its start time. Give a time in the ` +
				"future, or add a cronExpression.",
		]);
		expect(await refused(once(ago(MINUTE - 1)))).toEqual([]);
	});

	it("but not where it may be there already, or where the time is not known yet", async () => {
		expect(await refused(once(ago(MINUTE), { adopt: true }))).toEqual([]);
		expect(await refused(once(ago(MINUTE)), undefined, { adoptEqual: true })).toEqual(
			[],
		);
		expect(await refused(once(UNKNOWN))).toEqual([]);
	});
});

describe("a cron that a new schedule is refused for", () => {
	const odd = { cronExpression: ODD_CRON };
	const refusal = expect.stringMatching(/^cronExpression: /);

	it("stays where the state has it, and only there", async () => {
		await stack.up([a()]);
		stack.alter("a", odd, odd);
		const old = stack.entry("a");
		expect(await refused({ ...odd, paused: true }, old)).toEqual([]);
		expect(await refused({ cronExpression: "0 0 31 2 *" }, old)).toEqual([refusal]);
		expect(await refused({ ...odd, paused: "yes" }, old)).toEqual([
			'paused: must be true or false, not "yes".',
		]);
	});

	it.each([
		["allowed where the adopted schedule has it", { adopt: true }, []],
		[
			"left to the deployment that can look for it",
			{ adopt: true, teamName: UNKNOWN },
			[],
		],
		[
			"left to the deployment that knows its name",
			{ adopt: true, scheduleName: UNKNOWN },
			[],
		],
		["refused without adopt", {}, [refusal]],
		[
			"refused in a time zone, although the adopted schedule has it",
			{ adopt: true, timeZone: "Europe/Berlin" },
			[refusal],
		],
		[
			"refused where that has another one",
			{ adopt: true, cronExpression: "0 0 31 2 *" },
			[refusal],
		],
		[
			"refused where another schedule has it",
			{ adopt: true, scheduleName: "b" },
			[refusal],
		],
	])("is %s", async (_, inputs, reasons) => {
		theirs();
		world.fault({
			kind: "rewrite",
			endpoint: "listSchedules",
			set: { "*.cron_expression": ` ${ODD_CRON}` },
		});
		expect(await refused({ ...odd, ...inputs })).toEqual(reasons);
	});
});

describe("the preview of a schedule whose name is taken", () => {
	const age = "created by colleague less than a minute ago";
	const taken = (ids: string, way = "set adopt to true to manage it, or ") =>
		`"a": the name "a" is in use in team "ml" (${ids}). Unless a resource of this program has it, the deployment will ` +
		`fail: ${way}choose another scheduleName. If a resource of this stack that you renamed or moved manages it, declare its earlier ` +
		"name in aliases.";

	it.each([
		[59, "less than a minute ago"],
		[60, "1 minute ago"],
		[3_600, "1 hour ago"],
		[86_400 * 3, "3 days ago"],
	])(
		"names it with its age after %d seconds, and what can be done",
		async (seconds, ago) => {
			const { id } = theirs();
			world.server.clock.advance(seconds * 1_000);
			expect((await stack.preview([a()])).notices).toEqual([
				taken(`id ${id}, created by colleague ${ago}`),
			]);
		},
	);

	it("says that it does not know what the service does not tell", async () => {
		const { id } = theirs();
		const remove = ["*.created_by", "*.created_at"];
		world.fault({ kind: "rewrite", endpoint: "listSchedules", remove });
		world.fault({
			kind: "rewrite",
			endpoint: "getSchedule",
			remove: ["created_by", "created_at"],
		});
		expect((await stack.preview([a()])).notices).toEqual([
			taken(`id ${id}, created by an unknown user at an unknown time`),
		]);
	});

	it("has no notice in the deployment, which fails with the reason", async () => {
		theirs();
		expect((await stack.up([a()])).notices).toEqual([]);
	});

	it.each([
		[2, { adopt: true }],
		[12, {}],
	])("names all of %d, up to ten, with %j", async (count, inputs) => {
		const ids = Array.from({ length: count }, () => `id ${theirs().id}, ${age}`);
		expect((await stack.preview([a(inputs)])).notices).toEqual([
			taken(ids.slice(0, 10).join("; "), ""),
		]);
	});

	it.each([
		[
			"promises no adoption of one on another pipeline",
			{ pipeline_name: "p2" },
			{ adopt: true },
			"",
		],
		[
			"names the pipeline with which one on another pipeline can be adopted",
			{ pipeline_name: "p2" },
			{},
			'set pipelineName to "p2" and adopt to true to manage it, or ',
		],
		[
			"says that a run's consent does not reach one that differs",
			{ cron_expression: "0 5 * * *" },
			{},
		],
	])("%s", async (_, inputs, declared, way?: string) => {
		const { id } = theirs(inputs);
		const { notices } = await stack.preview([a(declared)], {
			adoptEqual: way === undefined,
		});
		expect(notices).toEqual([taken(`id ${id}, ${age}`, way)]);
	});

	it("says what the adoption will change", async () => {
		const { id } = theirs({ cron_expression: "0 5 * * *" });
		expect((await stack.preview([a({ adopt: true })])).notices).toEqual([
			`Adopting schedule "a" (id ${id}) of team "ml" will change it: cronExpression is "0 5 * * *" on the service and "0 3 * * *" in the program.`,
		]);
	});

	it("offers no adoption to a rename, which has a schedule of its own", async () => {
		await stack.up([a({ scheduleName: "b" })]);
		const { id } = theirs();
		expect((await stack.preview([a({ adopt: true })])).notices).toEqual([
			taken(`id ${id}, ${age}`, ""),
		]);
	});
});
