import { beforeEach, describe, expect, it } from "vitest";
import { type Declared, Stack, schedule } from "../helpers/provider-engine";
import {
	checked,
	created,
	type Process,
	providerWorld,
	updated,
	type World,
} from "../helpers/provider-harness";

const SECOND = 1_000;

let world: World;
let stack: Stack;
/** When the run began that a test is about. */
let start = 0;
const one = (name: string, scheduleName: string, inputs: object = {}, more: Partial<Declared> = {}) =>
	schedule(name, { scheduleName, pipelineName: "p1", ...inputs }, more);
const theirs = (schedule_name: string, inputs: object = {}) =>
	world.colleague.createSchedule({
		schedule_name,
		pipeline_name: "p1",
		cron_expression: "0 3 * * *",
		...inputs,
	}).id;
const there = () => world.colleague.schedules();
const names = () =>
	there()
		.map(({ name }) => name)
		.sort();
const elapsed = () => world.time.now() - start;
const madeAfter = (name: string) => (there().find((each) => each.name === name)?.createdAt ?? 0) - start;

async function deployed(...program: Declared[]): Promise<void> {
	expect((await stack.up(program)).failures).toEqual([]);
	world.server.clock.advance(60 * SECOND);
	world.writes();
	start = world.time.now();
}

beforeEach(async () => {
	world = await providerWorld();
	stack = new Stack(world);
	start = world.time.now();
});

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

	it("is doubled for a moment where the rename can only come later, after five seconds", async () => {
		await deployed(one("X", "a"));
		expect((await stack.up([made, renamed], { oneAtATime: true })).failures).toEqual([]);
		expect(world.writes()).toEqual(["createSchedule", "updateSchedule"]);
		expect([names(), elapsed()]).toEqual([["a", "b"], 5 * SECOND]);
	});

	it("goes to the other of two that swap, without a wait", async () => {
		await deployed(one("X", "a"), one("Y", "b"));
		expect((await stack.up([renamed, made])).failures).toEqual([]);
		expect(elapsed()).toBeLessThan(SECOND);
	});

	it.each([undefined, true])(
		"by a resource of this stack whose turn has not come is waited for four seconds, with adopt: %s",
		async (adopt) => {
			await deployed(one("X", "a"), one("Y", "b"));
			const swapped = [one("X", "b", { adopt }), one("Y", "a", { adopt }, { dependsOn: ["X"] })];
			expect(await stack.up(swapped, { refresh: true })).toMatchObject({
				steps: ["update X", "update Y"],
				failures: [],
			});
			expect(elapsed()).toBe(4 * SECOND);
		},
	);

	/** X, with its new inputs, as the engine updates it with `--continue-on-error`. */
	const update = async (process: Process) => {
		const old = stack.entry("X");
		const inputs = await checked(process, renamed, renamed.inputs, old);
		await process.serve("PipelineSchedule").diff(old.id, old.outs, inputs);
		return updated(process, old, inputs);
	};
	const make = async (process: Process) => created(process, made, await checked(process, made, made.inputs));

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
			'Schedule "a" (id 1) in team "ml" should have been renamed first, and could not be. Mend that failure, then run "pulumi up" again.',
		);
		expect(world.writes()).toEqual([]);
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
		expect(madeAfter("a")).toBeGreaterThanOrEqual(8 * SECOND);
	});

	it("is doubled for a moment where the delete can only come later, after five seconds", async () => {
		await deployed(one("X", "a"));
		expect((await stack.up([made, moved], { oneAtATime: true })).failures).toEqual([]);
		expect(world.writes()).toEqual(["createSchedule", "deleteSchedule", "createSchedule"]);
		expect([names(), madeAfter("a")]).toEqual([["a", "b"], 5 * SECOND]);
	});

	it("is not free where the delete fails", async () => {
		await deployed(one("X", "a"));
		world.fault({ kind: "status", status: 403, endpoint: "deleteSchedule" });
		const { failures } = await stack.up([moved, made]);
		expect(failures).toEqual([
			expect.stringMatching(/^X: .*403/),
			'Y: Schedule "a" (id 1) in team "ml" should have been deleted first, and could not be. Mend that failure, then run "pulumi up" again.',
		]);
		expect(names()).toEqual(["a"]);
	});
});

describe("a name whose holder cannot get its own new one", () => {
	const stuck = (should: string, inTheWay: string) =>
		`Y: Schedule "a" (id 1) in team "ml" must be ${should} first, and cannot be: the name that its resource wants in turn is taken by ` +
		`schedule ${inTheWay}. Nothing was made. If another resource of this stack has that one and gives the name up, run ` +
		'"pulumi up --refresh", which knows what this stack has.';
	/** Y wants the name of X and comes first. */
	const first = async (x: Declared, options = {}, ...others: Declared[]) => {
		const run = await stack.up([one("Y", "a", { pipelineName: "p3" }), x, ...others], {
			oneAtATime: true,
			...options,
		});
		return run.failures[0];
	};

	it.each([undefined, true])("by a rename is refused after four seconds, with adopt: %s", async (adopt) => {
		await deployed(one("X", "a"));
		const id = theirs("b");
		expect(await first(one("X", "b", { adopt }))).toBe(stuck("renamed", `"b" (id ${id})`));
		expect(there()).toMatchObject([{ name: "a" }, { name: "b", id }]);
	});

	it("by a rename of another is refused, too", async () => {
		await deployed(one("X", "a"), one("Z", "b"));
		const id = theirs("c");
		expect(await first(one("X", "b"), {}, one("Z", "c"))).toBe(stuck("renamed", `"c" (id ${id})`));
		expect(names()).toEqual(["a", "b", "c"]);
	});

	it("by a rename of another that can get its name is given", async () => {
		await deployed(one("X", "a"), one("Z", "b"));
		expect(await first(one("X", "b"), {}, one("Z", "c"))).toBeUndefined();
		expect(names()).toEqual(["a", "b", "c"]);
	});

	const onP2 = { pipelineName: "p2" };

	it("by a replacement is refused without consent", async () => {
		await deployed(one("X", "a"));
		const id = theirs("b", { pipeline_name: "p2" });
		expect(await first(one("X", "b", onP2))).toBe(stuck("deleted", `"b" (id ${id})`));
		expect(there()).toHaveLength(2);
	});

	it("by a replacement is given with adopt, because that can take it", async () => {
		await deployed(one("X", "a"));
		const id = theirs("b", { pipeline_name: "p2", cron_expression: "0 5 * * *" });
		expect(await first(one("X", "b", { ...onP2, adopt: true }))).toBeUndefined();
		expect(stack.ids().X).toBe(String(id));
		expect(names()).toEqual(["a", "b"]);
	});

	it.each([
		["given", "is equal", {}],
		["refused", "is not", { cron_expression: "0 5 * * *" }],
	])("by a replacement is %s with consent to what is equal, where that %s", async (what, _, live) => {
		await deployed(one("X", "a"), one("Z", "z"));
		const id = theirs("b", { pipeline_name: "p2", ...live });
		// Z takes a while, so that X is known to leave before the turn of Y comes.
		world.fault({ kind: "late-effect", ms: SECOND, endpoint: "updateSchedule" });
		const slow = one("Z", "z", { cronExpression: "0 4 * * *" });
		const program = [slow, one("Y", "a", { pipelineName: "p3" }), one("X", "b", onP2)];
		const { failures } = await stack.up(program, { oneAtATime: true, adoptEqual: true });
		expect(failures[0]).toBe(what === "given" ? undefined : stuck("deleted", `"b" (id ${id})`));
		expect(names()).toEqual(["a", "b", "z"]);
	});
});

describe("a name that somebody else has", () => {
	it("is refused to a new schedule after a wait of four seconds", async () => {
		theirs("a");
		const { failures } = await stack.up([one("Y", "a")]);
		expect(failures).toEqual([expect.stringContaining("already exists")]);
		expect(elapsed()).toBe(4 * SECOND);
	});

	it("is given where it becomes free within that time", async () => {
		const id = theirs("a");
		void world.time.sleep(2 * SECOND).then(() => world.colleague.deleteSchedule(id));
		expect((await stack.up([one("Y", "a")])).failures).toEqual([]);
		expect(there().map((each) => String(each.id))).toEqual([stack.ids().Y]);
	});

	it.each([
		["with adopt", { adopt: true }, {}],
		["with consent to what is equal", {}, { adoptEqual: true }],
	])("is taken without a wait %s", async (_, inputs, options) => {
		const id = theirs("a");
		expect((await stack.up([one("Y", "a", inputs)], options)).failures).toEqual([]);
		expect([stack.ids(), elapsed()]).toEqual([{ Y: String(id) }, 0]);
	});
});
