import { describe, expect, it } from "vitest";
import type { Resource } from "../../bench/faults/rows/model/stack";
import { Stack, schedule } from "../helpers/provider-engine";
import { freshStack, ids, named, placed, stack, theirs, there, world } from "../helpers/provider-scene";

freshStack();

/** Every schedule of the team is in the state once, and the state has nothing else. */
const sameAsState = (): void => expect(Object.values(stack.ids()).sort()).toEqual(ids().sort());

type Rows = readonly (readonly [scheduleName: string, pipelineName: string])[];
const ROWS: Rows = [
	["a", "p1"],
	["b", "p2"],
	["c", "p3"],
	["d", "p1"],
];
const byPosition = (rows: Rows): Resource[] =>
	rows.map(([scheduleName, pipelineName], at) => schedule(`s${at}`, { scheduleName, pipelineName }));

describe("schedules that change places in one run", () => {
	it.each([
		["", false],
		[", also with states of version 0.1.0, which do not say whose they are", true],
	])("survive a row that is inserted in front of a list keyed by position%s", async (_, isOld) => {
		const rows = ROWS.slice(0, 3);
		expect((await stack.up(byPosition(rows))).failures).toEqual([]);
		if (isOld) stack.asIn010();
		const after = byPosition([["new", "p1"], ...rows]);
		expect((await stack.up(after)).failures).toEqual([]);
		expect(placed()).toEqual(["a on p1", "b on p2", "c on p3", "new on p1"]);
		sameAsState();
		world.writes();
		expect((await stack.up(after)).steps).toEqual(["same s0", "same s1", "same s2", "same s3"]);
		expect(world.writes()).toEqual([]);
	});

	it("swap names and pipelines although one depends on the other", async () => {
		const program = (a: readonly [string, string], b: readonly [string, string]) => [
			schedule("A", { scheduleName: a[0], pipelineName: a[1] }),
			schedule("B", { scheduleName: b[0], pipelineName: b[1] }, { dependsOn: ["A"] }),
		];
		await stack.up(program(["a", "p1"], ["b", "p2"]));
		const swapped = program(["b", "p2"], ["a", "p1"]);
		let runs = 0;
		// B's diff cannot come before A is done: the first run may end with a refusal, and must lose nothing.
		for (let failed = true; failed && runs < 3; runs += 1) {
			failed = (await stack.up(swapped, { adoptEqual: runs > 0 })).failures.length > 0;
		}
		expect(placed()).toEqual(["a on p1", "b on p2"]);
		sameAsState();
		expect((await stack.up(swapped)).steps).toEqual(["same A", "same B"]);
	});
});

describe("a row that is removed from the front of a list whose rows have pipelines of their own", () => {
	it.each([
		[3, 16],
		[4, 16],
		[3, 1],
		[4, 1],
	])(
		"of %d leaves no duplicate with %d steps at a time, and a refresh with more gets there",
		async (count, parallel) => {
			const rows = ROWS.slice(0, count);
			await stack.up(byPosition(rows));
			const declared = rows.slice(1).map(([name, pipeline]) => `${name} on ${pipeline}`);
			const after = byPosition(rows.slice(1));
			for (let runs = 0; runs < 2; runs++) {
				expect((await stack.up(after, { parallel })).failures).not.toEqual([]);
				expect(new Set(placed()).size).toBe(placed().length);
				if (parallel > 1) expect(placed()).toEqual(expect.arrayContaining(declared));
			}
			// Where a later step deletes what a create waits for, one worker never comes to that step.
			expect((await stack.up(after, { refresh: true })).failures).toEqual([]);
			expect(placed()).toEqual(declared);
			sameAsState();
		},
	);

	it.each([16, 1])("with adopt leaves no duplicate either, with %d steps at a time", async (parallel) => {
		await stack.up([named("r1", "a"), named("r2", "d")]);
		await stack.up([named("r3", "a", { adopt: true }), named("r1", "d")], { parallel });
		expect(placed()).toEqual(["a on p1", "d on p1"]);
	});
});

describe("a name that another resource of the stack frees only later", () => {
	it.each([
		["is given to a new resource, too, beside the one that is removed at the end", {}, "p1"],
		["moves with its schedule to a new resource that may adopt it", { adopt: true }, "p1"],
		["is left to a namesake of another pipeline although the new resource may adopt", { adopt: true }, "p2"],
	])("%s, in a run that refreshes first", async (_, inputs, pipelineName) => {
		await stack.up([named("old", "nightly")]);
		const { old } = stack.ids();
		const renamed = [named("new", "nightly", { pipelineName, ...inputs })];
		const isTaken = "adopt" in inputs && pipelineName === "p1";
		if (!isTaken) expect((await stack.up(renamed)).failures).toHaveLength(1);
		expect((await stack.up(renamed, { refresh: true })).failures).toEqual([]);
		expect(placed()).toEqual([`nightly on ${pipelineName}`]);
		expect(stack.ids().new === old).toBe(isTaken);
		sameAsState();
	});

	it("is taken with its schedule by a rename in a run that consents to what is equal, and the preview says so", async () => {
		const rows = ["a", "b", "c"].map((name) => [name, "p1"] as const);
		await stack.up(byPosition(rows));
		const after = byPosition(rows.slice(1));
		const before = there();
		expect((await stack.up(after)).failures).toEqual([
			expect.stringMatching(/^s1: Another schedule named "c" already exists/),
			expect.stringMatching(/^s0: Schedule "b" \(id \d+\).*should have been renamed first, and could not be/),
		]);
		expect(there()).toEqual(before);
		expect((await stack.preview(after, { adoptEqual: true })).steps).toContain("replace s1");
		expect((await stack.up(after, { adoptEqual: true })).failures).toEqual([]);
		expect(placed()).toEqual(["b on p1", "c on p1"]);
		expect(stack.ids().s1).toBe(String(before.find(({ name }) => name === "c")?.id));
		sameAsState();
	});
});

it("a name that moves to another resource with consent stops at a protected one, and nothing is lost", async () => {
	await stack.up([named("A", "a", {}, { protect: true })]);
	const moved = [named("B", "a"), named("A", "b", {}, { dependsOn: ["B"], protect: true })];
	const { failures } = await stack.up(moved, { adoptEqual: true });
	expect(failures).toEqual([expect.stringMatching(/^A: the resource is protected/)]);
	expect(placed()).toEqual(["a on p1"]);
});

it("two deployments at once that make the same names do not both succeed", async () => {
	const program = Array.from({ length: 12 }, (_, at) => named(`s${at}`, `s${at}`));
	const busy = { requestMillis: 200 };
	const runs = await Promise.all(["one", "two"].map((name) => new Stack(world, name).up(program, busy)));
	expect(there().length).toBeGreaterThan(program.length);
	expect(runs.flatMap(({ failures }) => failures).join("\n")).toMatch(
		/Created twice: schedule "s\d+" in team "ml" \(id \d+ by this deployment, id \d+ by developer\)/,
	);
});

it.each([
	["goes on", "p2"],
	["is put back", "p1"],
])(
	"a replacement that failed after its delete makes exactly one schedule when the program %s",
	async (_, pipelineName) => {
		await stack.up([named("a", "a")]);
		const heal = world.fault({ kind: "status", status: 403, endpoint: "createSchedule" });
		expect((await stack.up([named("a", "a", { pipelineName: "p2" })])).failures).toHaveLength(1);
		expect(placed()).toEqual([]);
		heal();
		expect((await stack.up([named("a", "a", { pipelineName })])).failures).toEqual([]);
		expect(placed()).toEqual([`a on ${pipelineName}`]);
		sameAsState();
	},
);

describe("a forced replacement beside a foreign schedule of the name", () => {
	const [equal, other] = ["0 3 * * *", "0 9 * * *"];

	it.each([
		["is refused without consent, also where theirs is equal", equal, {}, {}, false],
		[
			"is refused with the run's consent to what is equal where theirs differs",
			other,
			{},
			{ adoptEqual: true },
			false,
		],
		["takes theirs with adopt, and ours goes", other, { adopt: true }, {}, true],
		[
			"takes theirs with the run's consent where it is equal, and ours goes",
			equal,
			{},
			{ adoptEqual: true },
			true,
		],
	])("%s", async (_, cron_expression, inputs, options, isTaken) => {
		await stack.up([named("ours", "nightly")]);
		const id = String(theirs("nightly", { cron_expression }).id);
		const before = ids();
		const { failures } = await stack.up([{ ...named("ours", "nightly", inputs), replace: true }], options);
		expect(failures).toEqual(isTaken ? [] : [expect.stringMatching(/already exists/)]);
		expect(ids()).toEqual(isTaken ? [id] : before);
		if (isTaken) sameAsState();
	});
});
