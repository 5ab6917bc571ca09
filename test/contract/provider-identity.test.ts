import { beforeEach, describe, expect, it } from "vitest";
import { Stack, schedule, settings } from "../helpers/provider-engine";
import { providerWorld, refreshed, type World } from "../helpers/provider-harness";

let world: World;
let stack: Stack;
const ours = (inputs: object = {}) =>
	schedule("ours", { scheduleName: "nightly", pipelineName: "p1", ...inputs });

beforeEach(async () => {
	world = await providerWorld();
	stack = new Stack(world);
	expect((await stack.up([ours()])).failures).toEqual([]);
	world.writes();
});

/** The state, with other outputs than the provider gave it. */
function told(change: object): void {
	const entry = stack.entry("ours");
	stack.entries.set("ours", { ...entry, outs: { ...entry.outs, ...change } });
}

describe("a schedule under the id in the state that was made at another moment", () => {
	const refusal = /it is another schedule under the same id[\s\S]*Nothing was changed\./;
	beforeEach(() => told({ createdAt: "2020-02-02T02:02:02.000000+00:00" }));

	it("is not updated", async () => {
		const { failures } = await stack.up([ours({ cronExpression: "0 4 * * *" })]);
		expect(failures).toEqual([expect.stringMatching(refusal)]);
		expect(world.writes()).toEqual([]);
	});

	it("is not deleted", async () => {
		expect((await stack.destroy()).failures).toEqual([expect.stringMatching(refusal)]);
		expect(world.writes()).toEqual([]);
	});
});

describe("a schedule under the id in the state, which does not know when it was made", () => {
	it("is ours where it has the name and the pipeline that the state has", async () => {
		told({ createdAt: undefined });
		const { failures } = await stack.up([ours({ cronExpression: "0 4 * * *" })]);
		expect(failures).toEqual([]);
		expect(await refreshed(world.process(), stack.entry("ours"))).toMatchObject({ id: stack.ids().ours });
	});

	it.each([
		["name", { scheduleName: "other" }],
		["pipeline", { pipelineName: "p2" }],
	])("is somebody else's where it has another %s: neither updated nor deleted", async (_, known) => {
		told({ createdAt: undefined, ...known });
		const refusal = expect.stringMatching(/is "nightly" on pipeline "p1", .* it is another schedule/);
		const changed = ours({ ...known, cronExpression: "0 4 * * *" });
		expect((await stack.up([changed])).failures).toEqual([refusal]);
		expect((await stack.destroy()).failures).toEqual([refusal]);
		expect(world.writes()).toEqual([]);
	});
});

describe("a forced replacement beside somebody else's schedule of the name", () => {
	const theirs = (cron_expression = "0 3 * * *") =>
		world.colleague.createSchedule({ schedule_name: "nightly", pipeline_name: "p1", cron_expression });
	const ids = () => world.colleague.schedules().map(({ id }) => id);
	const replaced = (inputs: object = {}) => [{ ...ours(inputs), replace: true }];

	it("is refused without consent, also where theirs is equal", async () => {
		const before = [...ids(), theirs().id];
		expect((await stack.up(replaced())).failures).toEqual([expect.stringMatching(/already exists/)]);
		expect(ids()).toEqual(before);
	});

	it("is refused with the run's consent to what is equal where theirs differs", async () => {
		const before = [...ids(), theirs("0 9 * * *").id];
		const { failures } = await stack.up(replaced(), { adoptEqual: true });
		expect(failures).toEqual([expect.stringMatching(/already exists/)]);
		expect(ids()).toEqual(before);
	});

	it.each([
		["with adopt", { adopt: true }, {}],
		["with the run's consent where theirs is equal", {}, { adoptEqual: true }],
	])("takes theirs %s, and ours goes", async (_, inputs, options) => {
		const { id } = theirs();
		expect((await stack.up(replaced(inputs), options)).failures).toEqual([]);
		expect(ids()).toEqual([id]);
		expect(stack.ids()).toEqual({ ours: String(id) });
	});
});

describe("settings of one pipeline in two resources", () => {
	const tuned = (name: string, inputs: object = {}) =>
		settings(name, { pipelineName: "p2", pythonVersion: "3.12", ...inputs });

	it.each(["reset", "restore"])(
		"that a new resource takes with consent are not undone where they were, with onDestroy %s",
		async (onDestroy) => {
			await stack.up([ours(), tuned("A", { pythonVersion: "3.11", onDestroy })]);
			const moved = [
				ours(),
				tuned("B", { adopt: true }),
				tuned("A", { pipelineName: "p3", pythonVersion: "3.11", onDestroy }),
			];
			const { steps, failures } = await stack.up(moved);
			expect(failures).toEqual([]);
			expect(steps).toEqual(["same ours", "create B", "replace A"]);
			const versions = world.colleague.pipelines().map(({ settings: live }) => live.pythonVersion);
			expect(versions).toEqual([null, "3.12", "3.11"]);
			expect((await stack.up(moved)).steps).toEqual(["same ours", "same B", "same A"]);
		},
	);

	it("that one leaves for another pipeline are the other's without consent, and the preview refuses nothing", async () => {
		await stack.up([ours(), tuned("A")]);
		const moved = [ours(), tuned("A", { pipelineName: "p3" }), tuned("B", { pythonVersion: "3.13" })];
		const { steps, notices, failures } = await stack.preview(moved);
		expect({ steps, failures }).toEqual({ steps: ["same ours", "replace A", "create B"], failures: [] });
		// The engine shows a replacement by its cause alone, so this one is told; B's values are its own diff.
		expect(notices).toEqual([expect.stringMatching(/^"A" will also write, on pipeline "p3": pythonVersion/)]);
		expect((await stack.up(moved)).failures).toEqual([]);
		expect(stack.entry("B").outs).toMatchObject({ pythonVersion: "3.13", adopted: false });
	});

	it.each(["reset", "restore"])(
		"that may not be taken where they shall go are not undone where they are, with onDestroy %s",
		async (onDestroy) => {
			await stack.up([ours(), tuned("A", { environment: { A: "1" }, onDestroy })]);
			world.colleague.setSettings({ pipeline_name: "p3", python_version: "3.9" });
			const before = world.colleague.pipelines();
			world.writes();
			const moved = [ours(), tuned("A", { pipelineName: "p3", onDestroy })];
			expect((await stack.up(moved)).failures).toEqual([
				expect.stringMatching(
					/^A: Pipeline "p3" in team "ml" already has settings that this program does not manage/,
				),
			]);
			expect(world.writes()).toEqual([]);
			expect(world.colleague.pipelines()).toEqual(before);
			const taken = [ours(), tuned("A", { pipelineName: "p3", onDestroy, adopt: true })];
			expect((await stack.up(taken)).failures).toEqual([]);
			const versions = world.colleague.pipelines().map(({ settings: live }) => live.pythonVersion || null);
			expect(versions).toEqual([null, null, "3.12"]);
		},
	);

	it("that cannot leave for a pipeline whose own are removed later are not taken meanwhile, and a refresh gets there", async () => {
		const s3 = { storage: { s3: { anon: false } }, pythonVersion: undefined };
		await stack.up([ours(), tuned("r1", s3), tuned("r4", { ...s3, pipelineName: "p3", onDestroy: "reset" })]);
		const moved = [ours(), tuned("r4", s3), tuned("r5", { ...s3, pipelineName: "p3", onDestroy: "reset" })];
		const storages = () =>
			world.colleague.pipelines().map(({ settings: { environment } }) => environment.FSSPEC_S3 !== undefined);
		for (const oneAtATime of [false, true]) {
			expect((await stack.up(moved, { oneAtATime })).failures).not.toEqual([]);
			expect(stack.ids()).toMatchObject({ r1: "ml/p2", r4: "ml/p3" });
			expect(storages()).toEqual([false, true, true]);
		}
		expect((await stack.up(moved, { refresh: true })).failures).toEqual([]);
		expect(stack.ids()).toMatchObject({ r4: "ml/p2", r5: "ml/p3" });
		expect(storages()).toEqual([false, true, true]);
	});

	it("of a resource that is asked by a refresh alone have their own diff, and nobody's else", async () => {
		await stack.up([ours(), tuned("A")]);
		const process = world.process();
		const { id, outs, inputs } = stack.entry("A");
		const diff = await process.serve("PipelineSettings").diff(id, outs, { ...inputs, pythonVersion: "3.13" });
		expect(diff).toMatchObject({ changes: true, replaces: [] });
	});
});
