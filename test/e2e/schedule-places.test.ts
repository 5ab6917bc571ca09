import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { managedResources, resourceName } from "../../tools/stack";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const PIPELINES: Record<string, string> = {
	a: "nightly-images",
	b: "rusty-vise",
	c: "quiet-harbor",
	new: "swift-ridge",
};

/** Schedule `what` under the resource name `name`. */
const schedule = (name: string, what: string, opts: object = {}, args: object = {}): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: { scheduleName: what, pipelineName: PIPELINES[what], cronExpression: "0 3 * * *", ...args },
	opts: { ...opts },
});

/** A list whose resources are keyed by position, as a loop over an array makes them. */
const rows = (...names: string[]): Declared[] => names.map((what, index) => schedule(`row${index}`, what));

const CONSENT = { DATACHAIN_ADOPT_EQUAL: "true" };

describe("schedules that change places between resources", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
		await removeAll();
	});
	afterAll(() => test?.dispose());
	beforeEach(() => test.server.requests.clear());

	const all = async () => {
		const items = await test.client.schedules.list();
		return Promise.all(items.map(({ id }) => test.client.schedules.get({ schedule_id: id })));
	};
	const removeAll = async () => {
		for (const { id } of await test.client.schedules.list())
			await test.client.schedules.delete({ schedule_id: id });
	};
	/** Each declared schedule is there once, on its own pipeline, under one resource; and there is nothing else. */
	const expectExactly = async (places: Readonly<Record<string, string>>) => {
		const live = await all();
		const declared = Object.values(places);
		expect(Object.fromEntries(live.map((item) => [item.schedule_name, item.pipeline?.name]))).toEqual(
			Object.fromEntries(declared.map((what) => [what, PIPELINES[what]])),
		);
		expect(live).toHaveLength(declared.length);
		const ids = new Map(live.map((item) => [item.schedule_name, String(item.id)]));
		const state = managedResources(test.stack.checkpoint());
		expect(Object.fromEntries(state.map((one) => [resourceName(one), one.id]))).toEqual(
			Object.fromEntries(Object.entries(places).map(([name, what]) => [name, ids.get(what)])),
		);
	};

	describe("in a list keyed by position", () => {
		it("survive a row that is inserted in front", async () => {
			test.declare(...rows("a", "b", "c"));
			await test.up();
			test.declare(...rows("new", "a", "b", "c"));
			await test.up();
			await expectExactly({ row0: "new", row1: "a", row2: "b", row3: "c" });
			await test.expectSettled();
		});

		it("refuse one run after a row is removed in front, say how to go on, and lose nothing", async () => {
			test.declare(...rows("a", "b", "c"));
			const said = await test.refused();
			expect(said).toMatch(/A schedule named "c" already exists in team "vision" \(id \d+, created by/);
			expect(said).toMatch(/run once with DATACHAIN_ADOPT_EQUAL=true/);
			expect((await all()).filter((item) => item.schedule_name === "c")).toHaveLength(1);
			await test.withEnv(CONSENT, () => test.up());
			await expectExactly({ row0: "a", row1: "b", row2: "c" });
			await test.expectSettled();
		});

		it("survive two rows that are swapped", async () => {
			test.declare(...rows("c", "b", "a"));
			await test.up();
			await expectExactly({ row0: "c", row1: "b", row2: "a" });
		});

		it("are not lost with one step at a time either", async () => {
			test.declare(...rows("b", "c", "a"));
			const first = await test.stack.up(["--skip-preview", "--parallel", "1"]);
			if (first.code !== 0) await test.withEnv(CONSENT, () => test.up(["--parallel", "1"]));
			await expectExactly({ row0: "b", row1: "c", row2: "a" });
		});
	});

	describe("where one depends on the other", () => {
		beforeAll(async () => {
			expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		});

		const pair = (first: string, second: string): Declared[] => [
			schedule("first", first),
			schedule("second", second, { dependsOn: ["first"] }),
		];

		it("are refused with the way out, and swap when a refresh shows what the stack has", async () => {
			test.declare(...pair("a", "b"));
			await test.up();
			test.declare(...pair("b", "a"));
			expect(await test.refused()).toMatch(/run "pulumi up --refresh"/);
			await expectExactly({ first: "a", second: "b" });
			await test.up(["--refresh"]);
			await expectExactly({ first: "b", second: "a" });
			await test.expectSettled();
			expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		});

		it("stop at a protected resource, and nothing is lost", async () => {
			test.declare(schedule("first", "a", { protect: true }));
			await test.up();
			test.declare(schedule("taker", "a"), schedule("first", "c", { dependsOn: ["taker"], protect: true }));
			const said = await test.withEnv(CONSENT, () => test.refused());
			expect(said).toMatch(/protect/);
			expect((await all()).map((item) => item.schedule_name)).toEqual(["a"]);
		});
	});
});
