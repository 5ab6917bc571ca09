import { describe, expect, it } from "vitest";
import type { Host, Program, Resource } from "../../bench/faults/rows/model/stack";
import type { FaultRule } from "../../src/server";
import { Stack } from "../helpers/provider-harness";
import { freshStack, named as one, placed, stack, theirs, there, world } from "../helpers/provider-scene";
import { testFolder } from "../helpers/test-folder";

const SECOND = 1_000;

/** When the run began that a test is about. */
let start = 0;
freshStack(() => {
	start = world.time.now();
});
const names = () =>
	there()
		.map(({ name }) => name)
		.sort();
const elapsed = () => world.time.now() - start;
/** Resources that are numbered, each with the name of its place. */
const numbered = (...scheduleNames: string[]) => scheduleNames.map((name, at) => one(`s${at}`, name));

async function deployed(...program: Resource[]): Promise<void> {
	expect((await stack.up(program)).failures).toEqual([]);
	world.server.clock.advance(60 * SECOND);
	world.writes();
	start = world.time.now();
}

it("names go round where resources exchange them, without a wait", async () => {
	await deployed(...numbered("a", "b", "c"));
	const before = stack.ids();
	expect((await stack.up(numbered("b", "c", "a"))).failures).toEqual([]);
	expect(elapsed()).toBeLessThan(SECOND);
	expect(stack.ids()).toEqual(before);
	const byId = Object.fromEntries(there().map(({ id, name }) => [String(id), name]));
	expect(Object.values(before).map((id) => byId[id])).toEqual(["b", "c", "a"]);
});

describe("a name that a rename frees", () => {
	/** The rename fails, or a part of it, and another resource asks for the old name. */
	const renamed = async (says: RegExp, ...faults: FaultRule[]) => {
		await deployed(one("X", "a"));
		const process = world.process();
		const [old, next, made] = [
			stack.entry("X"),
			one("X", "b", { cronExpression: "0 4 * * *" }),
			one("Y", "a"),
		];
		const inputs = await process.check(next, next.args, old);
		await process.serve("PipelineSchedule").diff(old.id, old.outs, inputs);
		for (const fault of faults) world.fault(fault);
		expect((await process.update(old, inputs)).problem).toMatch(says);
		world.writes();
		return process.create(made, await process.check(made, made.args));
	};

	it("is not free where the service does not show the new one", async () => {
		const making = renamed(/scheduleName is "a" there and "b"/, { kind: "late-effect", ms: 3_000 * SECOND });
		await expect(making).rejects.toThrow("should have been renamed first, and could not be.");
		expect(world.writes()).toEqual([]);
	});

	it("is free where the service shows the new one, though a list lags behind and another field is not as declared", async () => {
		const [lags, set] = [{ kind: "stale-list", ms: 60 * SECOND } as const, { cron_expression: "0 3 * * *" }];
		await renamed(/values: cronExpression is/, lags, { kind: "rewrite", endpoint: "getSchedule", set });
		expect(names()).toEqual(["a", "b"]);
	});
});

describe("a name that a replacement frees", () => {
	const moved = one("X", "b", { pipelineName: "p2" });
	const made = one("Y", "a", { pipelineName: "p3" });

	it("is refused if the delete has not begun after five seconds, and a deployment with more workers gets there", async () => {
		await deployed(one("X", "a"));
		const { failures } = await stack.up([made, moved], { parallel: 1 });
		expect(failures).toEqual([
			'Y: Schedule "a" (id 1) in team "ml" must be deleted first: this deployment replaces resource "X", which has it. The delete did ' +
				"not begin within 5 seconds, and two schedules of one name would both run, so none was created. If the engine refuses to replace " +
				'"X" (protect, or an earlier failure), fix that. Otherwise run "pulumi up" again, without --parallel 1, or let this resource ' +
				'depend on "X" (dependsOn).',
		]);
		expect(elapsed()).toBe(5 * SECOND);
		// The engine begins nothing after a failure.
		expect(world.writes()).toEqual([]);
		expect((await stack.up([made, moved])).failures).toEqual([]);
		expect(names()).toEqual(["a", "b"]);
	});

	it("is not free where the delete fails", async () => {
		await deployed(one("X", "a"));
		world.fault({ kind: "status", status: 403, endpoint: "deleteSchedule" });
		const { failures } = await stack.up([moved, made]);
		expect(failures).toEqual([
			expect.stringMatching(/^X: .*403/),
			'Y: Schedule "a" (id 1) in team "ml" should have been deleted first, and could not be. Fix that failure, then run "pulumi up" again.',
		]);
		expect(names()).toEqual(["a"]);
	});
});

it("a name whose holder cannot get its own new one is refused", async () => {
	await deployed(one("X", "a"));
	const { id } = theirs("c");
	const process = world.process();
	// The engine has looked at it, and does not begin with it.
	const [old, next, made] = [stack.entry("X"), one("X", "c"), one("Y", "a", { pipelineName: "p3" })];
	await process.serve(next.kind).diff(old.id, old.outs, await process.check(old, next.args, old));
	const making = process.create(made, await process.check(made, made.args));
	await expect(making).rejects.toThrow(
		'Schedule "a" (id 1) in team "ml" must be renamed first, and cannot be: the name that its resource needs is used by ' +
			`schedule "c" (id ${id}). Nothing was created. If a resource of this stack manages that one and releases the name, run ` +
			'"pulumi up --refresh", which reads what this stack manages.',
	);
	expect(names()).toEqual(["a", "c"]);
});

it("a name that another user has is given where it becomes free within four seconds", async () => {
	const { id } = theirs("a");
	void world.time.sleep(2 * SECOND).then(() => world.colleague.deleteSchedule(id));
	expect((await stack.up([one("Y", "a")])).failures).toEqual([]);
	expect(there().map((each) => String(each.id))).toEqual([stack.ids().Y]);
});

it("a row that leaves the front of a list is refused, and taken by a run that consents to what is equal", async () => {
	await stack.up(numbered("a", "b", "c"));
	const after = numbered("b", "c");
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
});

it("two deployments at once that make the same names do not both succeed", async () => {
	const program = Array.from({ length: 12 }, (_, at) => one(`s${at}`, `s${at}`));
	const busy = { requestMillis: 200 };
	const runs = await Promise.all(["one", "two"].map((name) => new Stack(world, name).up(program, busy)));
	expect(there().length).toBeGreaterThan(program.length);
	expect(runs.flatMap(({ failures }) => failures).join("\n")).toMatch(
		/Created twice: schedule "s\d+" in team "ml" \(id \d+ by this deployment, id \d+ by developer\)/,
	);
});

it("schedules of two hosts exchange names in two deployments, and by none that leaves two of one name", async () => {
	const tempFolder = testFolder("hosts-");
	let runs = 0;
	/** One engine run, whose provider processes share a folder. */
	const up = (program: Program) => stack.up(program, { engine: `127.0.0.1:${++runs}`, tempFolder });
	const on = (host: Host, name: string, scheduleName: string) => one(name, scheduleName, {}, { host });
	const both = (first: string, second: string) => [on("dynamic", "A", first), on("plugin", "B", second)];
	await up(both("a", "b"));
	const before = stack.ids();
	const { failures } = await up(both("b", "a"));
	expect(failures.join("\n")).toContain("deploy one of them under a third name first");
	expect(placed()).toEqual(["a on p1", "b on p1"]);
	expect((await up(both("c", "a"))).failures).toEqual([]);
	expect((await up(both("b", "a"))).failures).toEqual([]);
	expect(stack.ids()).toEqual(before);
	expect(placed()).toEqual(["a on p1", "b on p1"]);
});
