import { beforeEach, describe, expect, it } from "vitest";
import type { Entry } from "../../bench/faults/rows/model/stack";
import { UNKNOWN } from "../../src/provider/handler";
import { schedule } from "../helpers/provider-engine";
import { checked, refreshed, refusedBy } from "../helpers/provider-harness";
import { theirs as colleagues, freshStack, named, stack, world } from "../helpers/provider-scene";

const WHO = { kind: "PipelineSchedule", name: "a" } as const;
const MINUTE = 60_000;
/** No year has this day: a new schedule is refused with it. */
const ODD_CRON = "0 0 30 2 *";

freshStack();

const a = (inputs: object = {}) => named("a", "a", inputs);
const inputsOf = (inputs: object = {}) => a(inputs).args;
const theirs = (inputs: object = {}) => colleagues("a", inputs);
const refused = (inputs: object, old?: Entry, options = {}) =>
	refusedBy(world.process({ preview: true, ...options }), WHO, inputsOf(inputs), old);

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
			`startAfter: ${start} has passed, and without a cronExpression the schedule runs only once, then. Give a time in the ` +
				"future, or add a cronExpression.",
		]);
		expect(await refused(once(start, { adopt: false }))).toHaveLength(1);
		expect(await refused(once(ago(MINUTE - 1)))).toEqual([]);
	});

	it("but not where it may be there already, or where the time is not known yet", async () => {
		expect(await refused(once(ago(MINUTE), { adopt: true }))).toEqual([]);
		expect(await refused(once(ago(MINUTE)), undefined, { adoptEqual: true })).toEqual([]);
		expect(await refused(once(UNKNOWN))).toEqual([]);
	});
});

describe("a cron that a new schedule is refused for", () => {
	const odd = { cronExpression: ODD_CRON };
	const inState = async () => {
		await stack.up([a()]);
		const entry = stack.entry("a");
		return { ...entry, inputs: { ...entry.inputs, ...odd }, outs: { ...entry.outs, ...odd } };
	};
	const onService = () => {
		theirs();
		world.fault({ kind: "rewrite", endpoint: "listSchedules", set: { "*.cron_expression": ` ${ODD_CRON}` } });
	};
	const refusal = expect.stringMatching(/^cronExpression: /);

	it("stays where the state has it, and only there", async () => {
		const old = await inState();
		expect(await refused({ ...odd, paused: true }, old)).toEqual([]);
		expect(await refused({ cronExpression: "0 0 31 2 *" }, old)).toEqual([refusal]);
		expect(await refused({ ...odd, paused: "yes" }, old)).toEqual(["paused: must be true or false."]);
	});

	it("stays where a schedule that is adopted has it", async () => {
		onService();
		expect(await refused({ ...odd, adopt: true })).toEqual([]);
	});

	it.each([
		["without adopt", {}],
		["where adopt is off", { adopt: false }],
		["where the adopted schedule has another one", { adopt: true, cronExpression: "0 0 31 2 *" }],
		["where another schedule has it", { adopt: true, scheduleName: "b" }],
	])("is refused %s", async (_, inputs) => {
		onService();
		expect(await refused({ ...odd, ...inputs })).toEqual([refusal]);
	});

	it.each([{ teamName: UNKNOWN }, { scheduleName: UNKNOWN }])(
		"is left to the deployment where nobody can look for the adopted schedule yet: %j",
		async (inputs) => {
			onService();
			expect(await refused({ ...odd, adopt: true, ...inputs })).toEqual([]);
			expect(await refused({ ...odd, ...inputs })).toEqual([refusal]);
		},
	);

	it.each(["scheduleName", "teamName"])("is refused beside a %s that is none", async (field) => {
		onService();
		const reasons = await refused({ ...odd, adopt: true, [field]: 17 });
		expect(reasons.sort()).toEqual([refusal, expect.stringMatching(`^${field}: `)]);
	});
});

describe("a check of what is in the state", () => {
	beforeEach(async () => {
		expect((await stack.up([a({ paused: false })])).failures).toEqual([]);
	});

	it.each([
		["a value is changed", { cronExpression: "0 4 * * *" }],
		["a value becomes a secret, which updates it", { __secret: ["cronExpression"] }],
	])("says what the update will do to the pipeline where %s", async (_, inputs) => {
		world.colleague.pause("p1");
		expect((await stack.preview([a({ paused: false, ...inputs })])).notices).toEqual([
			'Pipeline "p1" in team "ml" will be resumed: "a" declares paused as false. That holds for all its schedules.',
		]);
	});

	it("says nothing of a second schedule of its name, which is not its to take", async () => {
		theirs();
		const changed = [a({ paused: false, cronExpression: "0 4 * * *" })];
		expect((await stack.preview(changed)).notices).toEqual([]);
		expect((await stack.up(changed)).failures).toEqual([]);
	});

	it("asks nothing of a pipeline's absence, which only a new schedule must know", async () => {
		world.fault({ kind: "rewrite", endpoint: "listPipelines", set: { "*.name": "another" } });
		world.fault({ kind: "status", status: 404, endpoint: "pipelineStatus" });
		expect((await stack.preview([a({ paused: false, cronExpression: "0 4 * * *" })])).failures).toEqual([]);
	});
});

describe("the preview of a schedule whose name is taken", () => {
	const age = "created by colleague less than a minute ago";
	const taken = (ids: string, way = "set adopt to true to manage it, or ") =>
		`"a": the name "a" is in use in team "ml" (${ids}). Unless a resource of this program releases it in this deployment, the deployment will ` +
		`fail: ${way}choose another scheduleName.`;

	it.each([
		[59, "less than a minute ago"],
		[60, "1 minute ago"],
		[60 * 59, "59 minutes ago"],
		[3_600, "1 hour ago"],
		[3_600 * 23, "23 hours ago"],
		[86_400, "1 day ago"],
		[86_400 * 3, "3 days ago"],
	])("names it with its age after %d seconds, and what can be done", async (seconds, ago) => {
		const { id } = theirs();
		world.server.clock.advance(seconds * 1_000);
		expect((await stack.preview([a()])).notices).toEqual([taken(`id ${id}, created by colleague ${ago}`)]);
	});

	it("says that it does not know what the service does not tell", async () => {
		const { id } = theirs();
		const remove = ["*.created_by", "*.created_at"];
		world.fault({ kind: "rewrite", endpoint: "listSchedules", remove });
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
		expect((await stack.preview([a(inputs)])).notices).toEqual([taken(ids.slice(0, 10).join("; "), "")]);
	});

	it("promises no adoption of one that runs another pipeline", async () => {
		const { id } = theirs({ pipeline_name: "p2" });
		expect((await stack.preview([a({ adopt: true })])).notices).toEqual([taken(`id ${id}, ${age}`, "")]);
	});

	it("promises no adoption of one that cannot be read", async () => {
		const { id } = theirs();
		world.fault({ kind: "stale-list", ms: MINUTE });
		world.colleague.deleteSchedule(id);
		expect((await stack.preview([a({ adopt: true })])).notices).toEqual([taken(`id ${id}, ${age}`, "")]);
	});

	it.each([
		["0 5 * * *", {}, { adoptEqual: true }, (_: string, id: number) => taken(`id ${id}, ${age}`)],
		[
			"0 5 * * *",
			{ adopt: true },
			{},
			(which: string) =>
				`Adopting ${which} will change it: cronExpression is "0 5 * * *" there and "0 3 * * *" here.`,
		],
	])("says what becomes of one with %s and %j, %j", async (cron_expression, inputs, options, notice) => {
		const { id } = theirs({ cron_expression });
		expect((await stack.preview([a(inputs)], options)).notices).toEqual([
			notice(`schedule "a" (id ${id}) of team "ml"`, id),
		]);
	});

	it("says that the resource which had it gets one of its own", async () => {
		await stack.up([schedule("old", inputsOf())]);
		const moved = [a({ adopt: true }), schedule("old", inputsOf({ scheduleName: "b" }))];
		expect((await stack.preview(moved)).steps).toEqual(["create a", "replace old"]);
	});

	it("offers no adoption to a rename, which has a schedule of its own", async () => {
		await stack.up([a({ scheduleName: "b" })]);
		const { id } = theirs();
		for (const adopt of [undefined, true]) {
			expect((await stack.preview([a({ adopt })])).notices).toEqual([taken(`id ${id}, ${age}`, "")]);
		}
	});

	it("refuses no rename to a name of this stack's own, which a refresh has read", async () => {
		await stack.up([a({ scheduleName: "b" }), schedule("other", inputsOf())]);
		const process = world.process({ preview: true });
		for (const entry of stack.entries) await refreshed(process, entry);
		await checked(process, WHO, inputsOf({ adopt: true }), stack.entry("a"));
		expect(process.notices).toEqual([]);
	});
});

it("a schedule without a name, of a host that gives no name either, is refused as missing one", async () => {
	const provider = world.process().serve("PipelineSchedule");
	const { failures } = await provider.check({}, { pipelineName: "p1", cronExpression: "0 3 * * *" });
	expect(failures.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^scheduleName: /)]);
});
