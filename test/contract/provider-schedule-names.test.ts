import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Resource } from "../../bench/faults/rows/model/stack";
import { Claims } from "../../src/provider/claims";
import { checked, created, type Process, updated } from "../helpers/provider-harness";
import { freshStack, named as one, placed, stack, theirs, there, world } from "../helpers/provider-scene";

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

async function deployed(...program: Resource[]): Promise<void> {
	expect((await stack.up(program)).failures).toEqual([]);
	world.server.clock.advance(60 * SECOND);
	world.writes();
	start = world.time.now();
}

describe("a name that a rename frees", () => {
	const renamed = one("X", "b");
	const made = one("Y", "a");

	it.each([
		["after", [renamed, made]],
		["before", [made, renamed]],
	])("goes to a resource that comes %s it in the program, as soon as it is free", async (_, program) => {
		await deployed(one("X", "a"));
		expect((await stack.up(program)).failures).toEqual([]);
		expect(world.writes()).toEqual(["updateSchedule", "createSchedule"]);
		expect(names()).toEqual(["a", "b"]);
		expect(elapsed()).toBeLessThan(SECOND);
	});

	it("is on two schedules for a moment where the rename can only come later, after five seconds", async () => {
		await deployed(one("X", "a"));
		expect((await stack.up([made, renamed], { parallel: 1 })).failures).toEqual([]);
		expect(world.writes()).toEqual(["createSchedule", "updateSchedule"]);
		expect([names(), elapsed()]).toEqual([["a", "b"], 5 * SECOND]);
	});

	it.each([2, 3])("goes round where %d resources exchange their names, without a wait", async (count) => {
		const rotated = (by: number) =>
			Array.from({ length: count }, (_, at) => one(`r${at}`, `n${(at + by) % count}`));
		await deployed(...rotated(0));
		const before = stack.ids();
		expect((await stack.up(rotated(1))).failures).toEqual([]);
		expect(elapsed()).toBeLessThan(SECOND);
		expect(stack.ids()).toEqual(before);
		const byId = Object.fromEntries(there().map(({ id, name }) => [String(id), name]));
		expect(Object.values(before).map((id) => byId[id])).toEqual(
			rotated(1).map(({ args }) => args.scheduleName),
		);
	});

	it.each([undefined, true])(
		"by a resource of this stack whose turn has not come is waited for four seconds, with adopt: %s",
		async (adopt) => {
			await deployed(one("X", "a"), one("Y", "b"));
			const swapped = [one("X", "b", { adopt }), one("Y", "a", { adopt }, { dependsOn: ["X"] })];
			expect(await stack.up(swapped, { refresh: true })).toMatchObject({
				steps: ["read X", "read Y", "update X", "update Y"],
				failures: [],
			});
			expect(elapsed()).toBe(4 * SECOND);
		},
	);

	/** X, with its new inputs, as the engine updates it with `--continue-on-error`. */
	const update = async (process: Process) => {
		const old = stack.entry("X");
		const inputs = await checked(process, renamed, renamed.args, old);
		await process.serve("PipelineSchedule").diff(old.id, old.outs, inputs);
		return updated(process, old, inputs);
	};
	const make = async (process: Process) => created(process, made, await checked(process, made, made.args));

	it("is free where the rename was done and something else was not", async () => {
		await deployed(one("X", "a"));
		const process = world.process();
		const heal = world.fault({
			kind: "rewrite",
			endpoint: "getSchedule",
			set: { cron_expression: "0 9 * * *" },
		});
		expect((await update(process)).problem).toMatch(/cronExpression is "0 9 \* \* \*" there/);
		heal();
		start = world.time.now();
		expect((await make(process)).problem).toBeUndefined();
		expect([names(), elapsed()]).toEqual([["a", "b"], 0]);
	});

	it("is not free where the service does not show the new one", async () => {
		await deployed(one("X", "a"));
		const process = world.process();
		world.fault({ kind: "late-effect", ms: 3_000 * SECOND });
		expect((await update(process)).problem).toMatch(/scheduleName is "a" there and "b" here/);
		world.writes();
		await expect(make(process)).rejects.toThrow(
			'Schedule "a" (id 1) in team "ml" should have been renamed first, and could not be. Fix that failure, then run "pulumi up" again.',
		);
		expect(world.writes()).toEqual([]);
	});
});

describe("a list of schedules that all take the next one's name", () => {
	const shifted = (count: number, by: number) =>
		Array.from({ length: count }, (_, at) => one(`s${at}`, `n${at + by}`));

	it.each([20, 120])("wakes each of %d only for the name that it waits for", async (count) => {
		await deployed(...shifted(count, 0));
		const decisions = vi.spyOn(Claims.prototype, "occupants");
		onTestFinished(() => decisions.mockRestore());
		expect((await stack.up(shifted(count, 1))).failures).toEqual([]);
		expect(elapsed()).toBeLessThan(5 * SECOND);
		// First look, wait, and once more when the name is free; never once for each of the others.
		expect(decisions.mock.calls.length).toBeLessThan(8 * count);
	});
});

describe("a name that a replacement frees", () => {
	const moved = one("X", "b", { pipelineName: "p2" });
	const made = one("Y", "a", { pipelineName: "p3" });

	it("is waited for until the delete that is under way has ended", async () => {
		await deployed(one("X", "a"));
		world.fault({ kind: "late-effect", ms: 8 * SECOND, endpoint: "deleteSchedule" });
		expect((await stack.up([moved, made])).failures).toEqual([]);
		expect(names()).toEqual(["a", "b"]);
		const young = there().find(({ name }) => name === "a");
		expect((young?.createdAt ?? 0) - start).toBeGreaterThanOrEqual(8 * SECOND);
	});

	const stuck =
		'Y: Schedule "a" (id 1) in team "ml" must be deleted first: this deployment replaces resource "X", which has it. The delete did ' +
		"not begin within 5 seconds, and two schedules of one name would both run, so none was created. If the engine refuses to replace " +
		'"X" (protect, or an earlier failure), fix that. Otherwise run "pulumi up" again, without --parallel 1, or let this resource ' +
		'depend on "X" (dependsOn).';

	it("is refused if the delete has not begun after five seconds, and a deployment with more workers gets there", async () => {
		await deployed(one("X", "a"));
		const { failures } = await stack.up([made, moved], { parallel: 1 });
		expect(failures).toEqual([stuck]);
		expect(elapsed()).toBe(5 * SECOND);
		// The engine begins nothing after a failure.
		expect(world.writes()).toEqual([]);
		expect((await stack.up([made, moved])).failures).toEqual([]);
		expect(names()).toEqual(["a", "b"]);
	});

	it.each([
		["a new resource", [one("Y", "a", { pipelineName: "p3" })], []],
		["a rename", [one("Y", "a", { cronExpression: "4 4 * * *" })], [one("Y", "z")]],
	])(
		"is not free for %s if the engine refuses the replacement of a protected one",
		async (_, wants, before) => {
			await deployed({ ...one("X", "a"), protect: true }, ...before);
			const { failures } = await stack.up([...wants, { ...moved, protect: true }]);
			expect(failures.map((text) => text.slice(0, 2)).sort()).toEqual(["X:", "Y:"]);
			expect(failures).toContain(before.length === 0 ? stuck : stuck.replace("was created", "was renamed"));
			expect(names().filter((name) => name === "a")).toHaveLength(1);
		},
	);

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

describe("a name whose holder cannot get its own new one", () => {
	const stuck = (should: string, inTheWay: string) =>
		`Y: Schedule "a" (id 1) in team "ml" must be ${should} first, and cannot be: the name that its resource needs is used by ` +
		`schedule ${inTheWay}. Nothing was created. If another resource of this stack manages that one and releases the name, run ` +
		'"pulumi up --refresh", which reads what this stack manages.';
	/** Y wants the name of X and comes first. */
	const first = async (...others: Resource[]) => {
		// The last one is looked at while it waits for a worker.
		const parallel = others.length;
		const run = await stack.up([one("Y", "a", { pipelineName: "p3" }), ...others], { parallel });
		return run.failures.find((text) => text.startsWith("Y:"));
	};

	it.each([undefined, true])("by a rename is refused after four seconds, with adopt: %s", async (adopt) => {
		await deployed(one("X", "a"));
		const { id } = theirs("b");
		expect(await first(one("X", "b", { adopt }))).toBe(stuck("renamed", `"b" (id ${id})`));
		expect(there()).toMatchObject([{ name: "a" }, { name: "b", id }]);
	});

	it("by a rename of another is refused, too", async () => {
		await deployed(one("X", "a"), one("Z", "b"));
		const { id } = theirs("c");
		const process = world.process();
		// The engine has looked at both, and begins with neither.
		for (const { name, args, kind } of [one("X", "b"), one("Z", "c")]) {
			const old = stack.entry(name);
			const inputs = await checked(process, old, args, old);
			await process.serve(kind).diff(old.id, old.outs, inputs);
		}
		const made = one("Y", "a", { pipelineName: "p3" });
		const making = created(process, made, await checked(process, made, made.args));
		await expect(making).rejects.toThrow(stuck("renamed", `"c" (id ${id})`).replace("Y: ", ""));
		expect(names()).toEqual(["a", "b", "c"]);
	});

	it("by a rename of another that can get its name is given", async () => {
		await deployed(one("X", "a"), one("Z", "b"));
		expect(await first(one("X", "b"), one("Z", "c"))).toBeUndefined();
		expect(names()).toEqual(["a", "b", "c"]);
	});
});

it("a name that another user has is given where it becomes free within four seconds", async () => {
	const { id } = theirs("a");
	void world.time.sleep(2 * SECOND).then(() => world.colleague.deleteSchedule(id));
	expect((await stack.up([one("Y", "a")])).failures).toEqual([]);
	expect(there().map((each) => String(each.id))).toEqual([stack.ids().Y]);
});

describe("a replacement that may not have its new name", () => {
	it("keeps its schedule if the name belongs to a schedule of another pipeline", async () => {
		await stack.up([one("X", "a")]);
		theirs("b", { pipeline_name: "p3" });
		const { failures } = await stack.up([one("X", "b", { pipelineName: "p2", adopt: true })]);
		expect(failures).toHaveLength(1);
		expect(placed()).toEqual(["a on p1", "b on p3"]);
	});

	it("keeps its schedule if the name belongs to two schedules", async () => {
		await stack.up([one("X", "a")]);
		theirs("b", { pipeline_name: "p2" });
		theirs("b", { pipeline_name: "p2" });
		const { failures } = await stack.up([one("X", "b", { pipelineName: "p2", adopt: true })]);
		expect(failures).toHaveLength(1);
		expect(placed()).toEqual(["a on p1", "b on p2", "b on p2"]);
	});
});

it("a run that adopts equal schedules waits for a name that a rename releases, also if the values differ", async () => {
	const cron = { cronExpression: "1 1 * * *" };
	await stack.up([one("X", "a", cron)]);
	const { failures } = await stack.up([one("Y", "a"), one("X", "c", cron)], { adoptEqual: true });
	expect(failures).toEqual([]);
	expect(placed()).toEqual(["a on p1", "c on p1"]);
});
