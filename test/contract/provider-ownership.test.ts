import { describe, expect, it } from "vitest";
import { type Declared, Stack, schedule, settings } from "../helpers/provider-engine";
import { providerWorld, refreshed, type World } from "../helpers/provider-harness";

const names = ({ colleague }: World): string[] =>
	colleague
		.schedules()
		.map(({ name, pipelineName }) => `${name} on ${pipelineName}`)
		.sort();

/** Every schedule of the team is in the state once, and the state has nothing else. */
const sameAsState = ({ colleague }: World, stack: Stack): void => {
	const there = colleague.schedules().map(({ id }) => String(id));
	expect(Object.values(stack.ids()).sort()).toEqual(there.sort());
};

const byPosition = (rows: readonly (readonly [string, string])[]): Declared[] =>
	rows.map(([scheduleName, pipelineName], at) => schedule(`s${at}`, { scheduleName, pipelineName }));

describe("schedules that change places in one run", () => {
	it("survive a row that is inserted in front of a list keyed by position", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		const rows = [
			["a", "p1"],
			["b", "p2"],
			["c", "p3"],
		] as const;
		expect((await stack.up(byPosition(rows))).failures).toEqual([]);
		const after = byPosition([["new", "p1"], ...rows]);
		expect((await stack.up(after)).failures).toEqual([]);
		expect(names(world)).toEqual(["a on p1", "b on p2", "c on p3", "new on p1"]);
		sameAsState(world, stack);
		world.writes();
		expect((await stack.up(after)).steps).toEqual(["same s0", "same s1", "same s2", "same s3"]);
		expect(world.writes()).toEqual([]);
	});

	it("survive a row that is taken out of the front", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up(
			byPosition([
				["a", "p1"],
				["b", "p2"],
				["c", "p3"],
			]),
		);
		const after = byPosition([
			["b", "p2"],
			["c", "p3"],
		]);
		const first = await stack.up(after);
		// The delete of the last row comes at the end, so its name may be refused once; nothing is lost by that.
		if (first.failures.length > 0) expect((await stack.up(after, { adoptEqual: true })).failures).toEqual([]);
		expect(names(world)).toEqual(["b on p2", "c on p3"]);
		sameAsState(world, stack);
	});

	it("swap names and pipelines although one depends on the other", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
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
		expect(names(world)).toEqual(["a on p1", "b on p2"]);
		sameAsState(world, stack);
		expect((await stack.up(swapped)).steps).toEqual(["same A", "same B"]);
	});

	it("swap their names alone by updates, without a refusal", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		const program = (a: string, b: string) => [
			schedule("A", { scheduleName: a, pipelineName: "p1" }),
			schedule("B", { scheduleName: b, pipelineName: "p1" }),
		];
		await stack.up(program("a", "b"));
		const ids = stack.ids();
		expect((await stack.up(program("b", "a"))).failures).toEqual([]);
		expect(stack.ids()).toEqual(ids);
		expect(world.colleague.schedules().map(({ id, name }) => [String(id), name])).toEqual([
			[ids.A, "b"],
			[ids.B, "a"],
		]);
	});
});

describe("a row that is taken out of the front of a list whose rows have pipelines of their own", () => {
	const all = [
		["a", "p1"],
		["b", "p2"],
		["c", "p3"],
		["d", "p1"],
	] as const;

	it.each([3, 4])("of %d doubles no schedule, and a refresh gets there", async (count) => {
		const world = await providerWorld();
		const stack = new Stack(world);
		const rows = all.slice(0, count);
		await stack.up(byPosition(rows));
		const declared = rows.slice(1).map(([name, pipeline]) => `${name} on ${pipeline}`);
		const after = byPosition(rows.slice(1));
		for (let runs = 0; runs < 2; runs++) {
			expect((await stack.up(after)).failures).not.toEqual([]);
			expect(names(world).filter((name) => declared.includes(name))).toEqual(declared);
		}
		expect((await stack.up(after, { refresh: true })).failures).toEqual([]);
		expect(names(world)).toEqual(declared);
		sameAsState(world, stack);
	});

	it.each([3, 4])(
		"of %d, one step at a time, doubles no schedule, and a second refresh gets there",
		async (count) => {
			const world = await providerWorld();
			const stack = new Stack(world);
			const rows = all.slice(0, count);
			await stack.up(byPosition(rows));
			const declared = rows.slice(1).map(([name, pipeline]) => `${name} on ${pipeline}`);
			const after = byPosition(rows.slice(1));
			for (let runs = 0; runs < 2; runs++) {
				expect((await stack.up(after, { oneAtATime: true })).failures).not.toEqual([]);
				expect(new Set(names(world)).size).toBe(names(world).length);
			}
			// Only a later step deletes what a create waits for, so that this one is refused.
			await stack.up(after, { oneAtATime: true, refresh: true });
			expect((await stack.up(after, { oneAtATime: true, refresh: true })).failures).toEqual([]);
			expect(names(world)).toEqual(declared);
			sameAsState(world, stack);
		},
	);

	it.each([false, true])("with adopt doubles none either, one step at a time: %s", async (oneAtATime) => {
		const world = await providerWorld();
		const stack = new Stack(world);
		const named = (name: string, scheduleName: string, adopt?: true) =>
			schedule(name, { scheduleName, pipelineName: "p1", ...(adopt && { adopt }) });
		await stack.up([named("r1", "a"), named("r2", "d")]);
		const moved = [named("r3", "a", true), named("r1", "d")];
		const run = await stack.up(moved, { oneAtATime });
		expect({ failures: run.failures, names: names(world) }).toEqual({
			failures: expect.any(Array),
			names: ["a on p1", "d on p1"],
		});
	});

	it("names the resource that should have given the name up", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up(byPosition(all.slice(0, 3)));
		const { failures } = await stack.up(byPosition(all.slice(1, 3)), { oneAtATime: true });
		expect(failures[0]).toMatch(
			/^s0: Schedule "b" \(id 2\) in team "ml" must be deleted first: this deployment replaces resource "s1", which has it\./,
		);
	});
});

describe("a name that another resource of the stack frees only later", () => {
	const swap = (a: string, b: string) => [
		schedule("A", { scheduleName: a, pipelineName: "p1", cronExpression: "1 3 * * *" }),
		schedule("B", { scheduleName: b, pipelineName: "p1", cronExpression: "2 3 * * *" }, { dependsOn: ["A"] }),
	];

	it("is refused by the resource that comes first, with the way out, and nothing is changed", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up(swap("a", "b"));
		const before = world.colleague.schedules();
		expect((await stack.up(swap("b", "a"))).failures).toEqual([
			expect.stringMatching(/^A: Another schedule named "b" already exists.*run "pulumi up --refresh"/),
		]);
		expect(world.colleague.schedules()).toEqual(before);
	});

	it("is given in a run that refreshes first, by updates alone", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up(swap("a", "b"));
		const ids = stack.ids();
		const run = await stack.up(swap("b", "a"), { refresh: true });
		expect([run.failures, run.steps]).toEqual([[], ["update A", "update B"]]);
		expect(world.colleague.schedules().map(({ id, name }) => [String(id), name])).toEqual([
			[ids.A, "b"],
			[ids.B, "a"],
		]);
		expect((await stack.up(swap("b", "a"))).steps).toEqual(["same A", "same B"]);
	});

	it("is not doubled by who waits for it where the rename is refused", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up([schedule("X", { scheduleName: "a", pipelineName: "p1" })]);
		world.fault({ kind: "status", status: 403, endpoint: "updateSchedule" });
		const { failures } = await stack.up([
			schedule("X", { scheduleName: "b", pipelineName: "p1" }),
			schedule("Y", { scheduleName: "a", pipelineName: "p1" }),
		]);
		expect(failures.map((text) => text.slice(0, 2)).sort()).toEqual(["X:", "Y:"]);
		expect(world.colleague.schedules()).toHaveLength(1);
	});

	it("is given to a new resource, too, beside the one that is removed at the end", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up([schedule("old", { scheduleName: "nightly", pipelineName: "p1" })]);
		const renamed = [schedule("new", { scheduleName: "nightly", pipelineName: "p1" })];
		expect((await stack.up(renamed)).failures).toHaveLength(1);
		expect((await stack.up(renamed, { refresh: true })).failures).toEqual([]);
		expect(names(world)).toEqual(["nightly on p1"]);
		sameAsState(world, stack);
	});

	it("is not given where a program only looked the other schedule up", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up([schedule("A", { scheduleName: "a", pipelineName: "p1" })]);
		const theirs = world.colleague.createSchedule({
			schedule_name: "b",
			pipeline_name: "p1",
			cron_expression: "0 3 * * *",
		});
		const process = world.process();
		const look = { kind: "PipelineSchedule" as const, name: "looked-up", id: String(theirs.id) };
		await refreshed(process, { ...look, inputs: {}, outs: { __urn: "urn:looked-up" } });
		const fate = process.context.claims.of({ kind: "PipelineSchedule", team: "ml", id: look.id });
		expect(fate).toEqual({ is: "foreign" });
	});

	it("is taken with its schedule by a rename in a run that consents to what is equal, and the preview says so", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		const rows = ["a", "b", "c"].map((name) => [name, "p1"] as const);
		await stack.up(byPosition(rows));
		const kept = world.colleague.schedules().find(({ name }) => name === "c")?.id;
		const after = byPosition(rows.slice(1));
		const before = world.colleague.schedules();
		expect((await stack.up(after)).failures).toEqual([
			expect.stringMatching(/^s1: Another schedule named "c" already exists/),
			expect.stringMatching(/^s0: Schedule "b" \(id \d+\).*should have been renamed first, and could not be/),
		]);
		expect(world.colleague.schedules()).toEqual(before);
		expect((await stack.preview(after, { adoptEqual: true })).steps).toContain("replace s1");
		expect((await stack.up(after, { adoptEqual: true })).failures).toEqual([]);
		expect(names(world)).toEqual(["b on p1", "c on p1"]);
		expect(stack.ids().s1).toBe(String(kept));
		sameAsState(world, stack);
	});

	it("is left to a namesake of another pipeline although the new resource may adopt", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up([schedule("old", { scheduleName: "a", pipelineName: "p1" })]);
		const moved = [schedule("new", { scheduleName: "a", pipelineName: "p2", adopt: true })];
		expect((await stack.up(moved)).failures).toHaveLength(1);
		expect((await stack.up(moved, { refresh: true })).failures).toEqual([]);
		expect(names(world)).toEqual(["a on p2"]);
		sameAsState(world, stack);
	});
});

describe("settings that change places in one run", () => {
	it.each(["reset", "restore"])(
		"are not undone by each other's replacement with onDestroy %s",
		async (onDestroy) => {
			const world = await providerWorld();
			const stack = new Stack(world);
			const program = (a: string, b: string) => [
				settings("A", { pipelineName: a, pythonVersion: a === "p1" ? "3.11" : "3.12", onDestroy }),
				settings("B", { pipelineName: b, pythonVersion: b === "p1" ? "3.11" : "3.12", onDestroy }),
			];
			await stack.up(program("p1", "p2"));
			expect((await stack.up(program("p2", "p1"))).failures).toEqual([]);
			const version = (name: string) =>
				world.colleague.pipelines().find((one) => one.name === name)?.settings.pythonVersion;
			expect([version("p1"), version("p2")]).toEqual(["3.11", "3.12"]);
			expect((await stack.up(program("p2", "p1"))).steps).toEqual(["same A", "same B"]);
		},
	);
});

describe("settings that another resource of the stack gives up only later", () => {
	const program = (a: string, b: string) => [
		settings("A", { pipelineName: a, pythonVersion: "3.11", environment: { WHO: "A" } }),
		settings(
			"B",
			{
				pipelineName: b,
				pythonVersion: "3.12",
				environment: { WHO: "B" },
				adopt: b === "p2",
				onDestroy: "restore",
			},
			{ dependsOn: ["A"] },
		),
	];
	const versions = ({ colleague }: World) =>
		colleague.pipelines().map(({ name, settings: { pythonVersion } }) => [name, pythonVersion]);

	it("are taken in a run that refreshes first, and what was there before us is put back at the end", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		world.colleague.setSettings({ pipeline_name: "p2", python_version: "3.10" });
		await stack.up(program("p1", "p2"));
		const swapped = program("p2", "p1");
		const first = await stack.up(swapped);
		expect(first.failures).toEqual([expect.stringMatching(/^A: Pipeline "p2".*run "pulumi up --refresh"/)]);
		expect((await stack.up(swapped, { refresh: true })).failures).toEqual([]);
		expect(Object.fromEntries(versions(world))).toMatchObject({ p1: "3.12", p2: "3.11" });
		expect((await stack.up(swapped)).steps).toEqual(["same A", "same B"]);
		const back = [settings("A", { pipelineName: "p2", onDestroy: "restore", pythonVersion: "3.11" })];
		expect((await stack.up(back, { refresh: true })).failures).toEqual([]);
		await stack.destroy();
		expect(Object.fromEntries(versions(world))).toMatchObject({ p2: "3.10" });
	});
});

describe("what somebody else made", () => {
	const program = [schedule("nightly", { scheduleName: "nightly", pipelineName: "p1" })];

	it("is not taken by a second stack that declares the same, and outlives that stack", async () => {
		const world = await providerWorld();
		const [first, second] = [new Stack(world, "dev"), new Stack(world, "prod")];
		await first.up(program);
		const before = world.colleague.schedules();
		const { failures } = await second.up(program);
		expect(failures).toEqual([
			expect.stringMatching(
				/^nightly: A schedule named "nightly" already exists in team "ml" \(id \d+, created by developer less than a minute ago\)\. It is equal in every declared field.*[Ss]et adopt to true.*DATACHAIN_ADOPT_EQUAL=true/,
			),
		]);
		await second.destroy();
		expect(world.colleague.schedules()).toEqual(before);
		expect((await first.up(program)).steps).toEqual(["same nightly"]);
	});

	it("comes under management with adopt, and keeps its id", async () => {
		const world = await providerWorld();
		const theirs = world.colleague.createSchedule({
			schedule_name: "nightly",
			pipeline_name: "p1",
			cron_expression: "0 5 * * *",
		});
		const stack = new Stack(world);
		const adopting = [schedule("nightly", { scheduleName: "nightly", pipelineName: "p1", adopt: true })];
		expect((await stack.preview(adopting)).notices).toEqual([
			`Adopting schedule "nightly" (id ${theirs.id}) of team "ml" will change it: cronExpression is "0 5 * * *" there and "0 3 * * *" here.`,
		]);
		expect((await stack.up(adopting)).failures).toEqual([]);
		expect(stack.ids()).toEqual({ nightly: String(theirs.id) });
		expect(world.colleague.schedules()).toMatchObject([{ id: theirs.id, cronExpression: "0 3 * * *" }]);
	});

	it("comes under management in a run with the user's consent where it is equal, and not where it differs", async () => {
		const world = await providerWorld();
		const make = (schedule_name: string, cron_expression: string) =>
			world.colleague.createSchedule({ schedule_name, pipeline_name: "p1", cron_expression });
		const [equal, other] = [make("equal", "0 3 * * *"), make("other", "0 5 * * *")];
		const stack = new Stack(world);
		const both = [
			schedule("equal", { scheduleName: "equal", pipelineName: "p1" }),
			schedule("other", { scheduleName: "other", pipelineName: "p1" }),
		];
		const { failures } = await stack.up(both, { adoptEqual: true });
		expect(failures).toEqual([expect.stringMatching(/^other: A schedule named "other" already exists/)]);
		expect(stack.ids()).toEqual({ equal: String(equal.id) });
		expect(world.colleague.schedules().map(({ id }) => id)).toEqual([equal.id, other.id]);
	});
});

describe("a name that moves from one resource to another", () => {
	const before = [schedule("A", { scheduleName: "a", pipelineName: "p1" })];
	const moved = (more: Partial<Declared> = {}) => [
		schedule("B", { scheduleName: "a", pipelineName: "p1" }),
		schedule("A", { scheduleName: "b", pipelineName: "p1" }, { dependsOn: ["B"], ...more }),
	];

	it("with consent never stands under two resources: the one that had it gets a schedule of its own", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up(before);
		const taken = stack.ids().A;
		const { failures, notices } = await stack.up(moved(), { adoptEqual: true });
		expect(failures).toEqual([]);
		expect(stack.ids().B).toBe(taken);
		expect(notices).toContainEqual(
			`Schedule "a" (id ${taken}) in team "ml" was not deleted: resource "B" of this program manages it now.`,
		);
		expect(names(world)).toEqual(["a on p1", "b on p1"]);
		sameAsState(world, stack);
		await stack.destroy(["B"]);
		expect(names(world)).toEqual(["b on p1"]);
	});

	it("stops at a protected resource, and nothing is lost", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up(before);
		const { failures } = await stack.up(moved({ protect: true }), { adoptEqual: true });
		expect(failures).toEqual([expect.stringMatching(/^A: the resource is protected/)]);
		expect(names(world)).toEqual(["a on p1"]);
	});
});

describe("two deployments at once", () => {
	it("that make the same names do not both succeed", async () => {
		const world = await providerWorld();
		const program = Array.from({ length: 12 }, (_, at) =>
			schedule(`s${at}`, { scheduleName: `s${at}`, pipelineName: "p1" }),
		);
		const [one, two] = [new Stack(world, "one"), new Stack(world, "two")];
		const busy = { requestMillis: 200 };
		const runs = await Promise.all([one.up(program, busy), two.up(program, busy)]);
		expect(world.colleague.schedules().length).toBeGreaterThan(program.length);
		const failed = runs.filter(({ failures }) => failures.length > 0);
		expect(failed.length).toBeGreaterThan(0);
		expect(failed.flatMap(({ failures }) => failures).join("\n")).toMatch(
			/Created twice: schedule "s\d+" in team "ml" \(id \d+ by this deployment, id \d+ by developer\)/,
		);
	});
});

describe("a replacement that failed after its delete", () => {
	it.each([
		["goes on", "p2"],
		["is put back", "p1"],
	])("makes exactly one schedule when the program %s", async (_, pipelineName) => {
		const world = await providerWorld();
		const stack = new Stack(world);
		await stack.up([schedule("a", { scheduleName: "a", pipelineName: "p1" })]);
		const heal = world.fault({ kind: "status", status: 403, endpoint: "createSchedule" });
		const moved = [schedule("a", { scheduleName: "a", pipelineName: "p2" })];
		expect((await stack.up(moved)).failures).toHaveLength(1);
		expect(names(world)).toEqual([]);
		heal();
		expect((await stack.up([schedule("a", { scheduleName: "a", pipelineName })])).failures).toEqual([]);
		expect(names(world)).toEqual([`a on ${pipelineName}`]);
		sameAsState(world, stack);
	});
});

describe("states of version 0.1.0, which do not say whose they are", () => {
	it("survive a row that is inserted in front of a list keyed by position", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		const rows = [
			["a", "p1"],
			["b", "p2"],
			["c", "p3"],
		] as const;
		await stack.up(byPosition(rows));
		stack.asIn010();
		const after = byPosition([["new", "p1"], ...rows]);
		expect((await stack.up(after)).failures).toEqual([]);
		expect(names(world)).toEqual(["a on p1", "b on p2", "c on p3", "new on p1"]);
		sameAsState(world, stack);
	});

	it("need no update when nothing else changes, and a refresh finds no drift", async () => {
		const world = await providerWorld();
		const stack = new Stack(world);
		const program = byPosition([["a", "p1"]]);
		await stack.up(program);
		stack.asIn010();
		world.colleague.pause("p1");
		// A refresh asks for the difference between what it read and the inputs that the state has.
		const { kind, id, inputs } = stack.entry("s0");
		await stack.refresh();
		const provider = world.process().serve(kind);
		expect((await provider.diff(id, stack.entry("s0").outs, inputs)).changes).toBe(false);
		expect((await stack.up(program)).steps).toEqual(["same s0"]);
		expect(world.colleague.pipelines()[0]?.paused).toBe(true);
	});
});
