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
	});
});
