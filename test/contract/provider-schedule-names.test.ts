import { describe, expect, it } from "vitest";
import { Stack } from "../helpers/provider-harness";
import {
	freshStack,
	named as one,
	placed,
	stack,
	theirs,
	there,
	world,
} from "../helpers/provider-scene";
import { testFolder } from "../helpers/test-folder";
import type { Host, Program, Resource } from "../model/stack";

const SECOND = 1_000;

/** When the run began that a test is about. */
let start = 0;
freshStack(() => {
	start = world.time.now();
});
const elapsed = () => world.time.now() - start;
/** Resources that are numbered, each with the name of its place. */
const numbered = (...scheduleNames: string[]) =>
	scheduleNames.map((name, at) => one(`s${at}`, name));

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

describe("a name that another resource of the deployment has", () => {
	const moved = one("X", "b", { pipelineName: "p2" });
	const made = one("Y", "a", { pipelineName: "p3" });

	it("is given at once, also where the service does not show the rename and the rename fails", async () => {
		await deployed(one("X", "a"));
		world.fault({ kind: "status", status: 403, endpoint: "updateSchedule" });
		const { failures } = await stack.up([
			one("X", "b", { cronExpression: "0 4 * * *" }),
			made,
		]);
		expect(failures).toEqual([expect.stringMatching(/^X: .*403/)]);
		// Two of ours share the name until the next deployment, and run what ran before.
		expect(placed()).toEqual(["a on p1", "a on p3"]);
		world.server.faults.clear();
		const { X } = stack.ids();
		expect(
			(await stack.up([one("X", "b", { cronExpression: "0 4 * * *" }), made])).failures,
		).toEqual([]);
		expect(placed()).toEqual(["a on p3", "b on p1"]);
		expect(stack.ids().X).toBe(X);
	});

	it("is given to one more in one deployment, with one worker, too", async () => {
		await deployed(one("X", "a"));
		expect((await stack.up([made, moved], { parallel: 1 })).failures).toEqual([]);
		expect(elapsed()).toBeLessThan(4 * SECOND);
		expect(placed()).toEqual(["a on p3", "b on p2"]);
	});

	it("is given where the delete of the replaced schedule fails, which the next deployment does", async () => {
		await deployed(one("X", "a"));
		const heal = world.fault({
			kind: "status",
			status: 403,
			endpoint: "deleteSchedule",
		});
		expect((await stack.up([moved, made])).failures).toEqual([
			expect.stringMatching(/^X: .*403/),
		]);
		expect(placed()).toEqual(["a on p1", "a on p3", "b on p2"]);
		heal();
		world.writes();
		expect(await stack.up([moved, made])).toMatchObject({
			steps: ["same X", "same Y", "delete X"],
			failures: [],
		});
		expect(world.writes()).toEqual(["deleteSchedule"]);
		expect(placed()).toEqual(["a on p3", "b on p2"]);
	});

	it("is given where its replacement deletes first and a list still shows what was deleted", async () => {
		await deployed(one("X", "a"));
		world.fault({ kind: "stale-list", ms: 60 * SECOND });
		const first = {
			...one("X", "a", { pipelineName: "p2" }),
			deleteBeforeReplace: true,
		};
		expect((await stack.up([first])).failures).toEqual([]);
		expect(placed()).toEqual(["a on p2"]);
	});
});

describe("a service that wants unique names", () => {
	const ways =
		"If another resource of this stack releases the name, rename that one first, in a separate deployment";
	const refused = (name: string, way: string) =>
		expect.stringMatching(
			new RegExp(
				`^${name}: .* 409, .* If the service requires unique names, another schedule has this name\\. ${way}`,
			),
		);

	it("refuses a replacement with what to do, which then succeeds", async () => {
		await deployed(one("X", "a"));
		world.fault({ kind: "unique-names" });
		const moved = one("X", "a", { pipelineName: "p2" });
		expect((await stack.up([moved])).failures).toEqual([
			refused(
				"X",
				"If this resource is replaced, set its resource option deleteBeforeReplace to true\\.",
			),
		]);
		expect(placed()).toEqual(["a on p1"]);
		expect(
			(await stack.up([{ ...moved, deleteBeforeReplace: true }])).failures,
		).toEqual([]);
		expect(placed()).toEqual(["a on p2"]);
	});

	it("refuses an exchange with what to do, and changes nothing", async () => {
		await deployed(...numbered("a", "b"));
		world.fault({ kind: "unique-names" });
		const { failures } = await stack.up(numbered("b", "a"));
		expect([...failures].sort()).toEqual([refused("s0", ways), refused("s1", ways)]);
		expect(placed()).toEqual(["a on p1", "b on p1"]);
		for (const names of ["cb", "ca", "ba"])
			expect((await stack.up(numbered(...names))).failures).toEqual([]);
	});
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
	]);
	expect(stack.ids()).toEqual({ s0: "1", s1: "2", s2: "3" });
	expect((await stack.preview(after, { adoptEqual: true })).steps).toContain(
		"replace s1",
	);
	expect((await stack.up(after, { adoptEqual: true })).failures).toEqual([]);
	expect(placed()).toEqual(["b on p1", "c on p1"]);
	expect(stack.ids().s1).toBe(String(before.find(({ name }) => name === "c")?.id));
});

it("two deployments at once that make the same names do not both succeed", async () => {
	const program = Array.from({ length: 12 }, (_, at) => one(`s${at}`, `s${at}`));
	const busy = { requestMillis: 200 };
	const runs = await Promise.all(
		["one", "two"].map((name) => new Stack(world, name).up(program, busy)),
	);
	expect(there().length).toBeGreaterThan(program.length);
	expect(runs.flatMap(({ failures }) => failures).join("\n")).toMatch(
		/Created twice: schedule "s\d+" in team "ml" \(id \d+ by this deployment, id \d+ by developer\)/,
	);
});

it("schedules of two hosts exchange names in one deployment", async () => {
	const tempFolder = testFolder("hosts-");
	let runs = 0;
	/** One engine run, whose provider processes share a folder. */
	const up = (program: Program) =>
		stack.up(program, { engine: `127.0.0.1:${++runs}`, tempFolder });
	const on = (host: Host, name: string, scheduleName: string) =>
		one(name, scheduleName, {}, { host });
	const both = (first: string, second: string) => [
		on("dynamic", "A", first),
		on("plugin", "B", second),
	];
	await up(both("a", "b"));
	const before = stack.ids();
	expect((await up(both("b", "a"))).failures).toEqual([]);
	expect(stack.ids()).toEqual(before);
	expect(there().map(({ id, name }) => [String(id), name])).toEqual([
		[before.A, "b"],
		[before.B, "a"],
	]);
});
