import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../src/provider/shared/unknown";
import { Stack, schedule, settings } from "../helpers/provider-engine";
import { providerWorld, type World } from "../helpers/provider-harness";

const a = (inputs: object = {}) => schedule("a", { scheduleName: "a", pipelineName: "p1", ...inputs });
const b = (inputs: object = {}) => schedule("b", { scheduleName: "b", pipelineName: "p1", ...inputs });
const isPaused = ({ colleague }: World, name = "p1") =>
	colleague.pipelines().find((one) => one.name === name)?.paused;

async function stacked(prepare: (world: World) => void = () => {}) {
	const world = await providerWorld();
	prepare(world);
	return { world, stack: new Stack(world) };
}

describe("whether a pipeline is paused", () => {
	it("is declared in one way only: the opposite in another resource is refused at preview, with both names", async () => {
		const { world, stack } = await stacked();
		const refused = [
			await stack.preview([a({ paused: true }), b({ paused: false })]),
			await stack.preview([a({ paused: true }), settings("s", { pipelineName: "p1", paused: false })]),
		];
		expect(refused.map(({ failures }) => failures)).toEqual([
			[expect.stringMatching(/^b: paused: "b" declares pipeline "p1" not paused, and "a" the opposite\./)],
			[expect.stringMatching(/^s: paused: "s" declares pipeline "p1" not paused, and "a" the opposite\./)],
		]);
		expect(world.writes()).toEqual([]);
		expect((await stack.preview([a({ paused: true }), b({ paused: true })])).failures).toEqual([]);
	});

	it("stays as somebody left it where a new schedule says nothing of it", async () => {
		const { world, stack } = await stacked(({ colleague }) => void colleague.pause("p1"));
		expect((await stack.preview([a()])).notices).toEqual([expect.stringMatching(/never runs it/)]);
		expect((await stack.up([a()])).failures).toEqual([]);
		expect(isPaused(world)).toBe(true);
		expect(world.writes()).toEqual(["createSchedule"]);
		expect((await stack.up([a({ cronExpression: "0 4 * * *" })])).failures).toEqual([]);
		expect(isPaused(world)).toBe(true);
	});

	it("is no drift where it is not declared", async () => {
		const { world, stack } = await stacked();
		await stack.up([a(), settings("s", { pipelineName: "p2", workers: 2 })]);
		world.colleague.pause("p1");
		world.colleague.pause("p2");
		await stack.refresh();
		expect((await stack.up([a(), settings("s", { pipelineName: "p2", workers: 2 })])).steps).toEqual([
			"same a",
			"same s",
		]);
	});

	it.each([
		["resumed", false],
		["paused", true],
	])("is said in the preview where it will be %s", async (what, paused) => {
		const { stack } = await stacked(({ colleague }) => void (paused ? 0 : colleague.pause("p1")));
		const notice = expect.stringMatching(
			new RegExp(`^Pipeline "p1" in team "ml" will be ${what}: "a" declares paused: ${paused}\\.`),
		);
		expect((await stack.preview([a({ paused })])).notices).toEqual([notice]);
		expect((await stack.up([a({ paused })])).failures).toEqual([]);
	});
});

describe("two resources for one thing", () => {
	it("are refused at preview: two schedules of one name", async () => {
		const { world, stack } = await stacked();
		const { failures } = await stack.preview([
			a(),
			schedule("other", { scheduleName: "a", pipelineName: "p2" }),
		]);
		expect(failures).toEqual([
			expect.stringMatching(/^other: scheduleName: "other" and "a" both declare schedule "a" in team "ml"\./),
		]);
		expect(world.writes()).toEqual([]);
	});

	it("are refused at preview: two settings of one pipeline", async () => {
		const { stack } = await stacked();
		const { failures } = await stack.preview([
			settings("s", { pipelineName: "p1", workers: 1 }),
			settings("t", { pipelineName: "p1", priority: 1 }),
		]);
		expect(failures).toEqual([
			expect.stringMatching(
				/^t: pipelineName: "t" and "s" both declare the settings of pipeline "p1" in team "ml"\./,
			),
		]);
	});

	it("are also refused by the deployment, before anything of the second is written", async () => {
		const { world, stack } = await stacked();
		await stack.up([a(), schedule("other", { scheduleName: "a", pipelineName: "p2" })]);
		expect(world.colleague.schedules()).toHaveLength(1);
	});
});

describe("a value that is not known before the deployment", () => {
	it("is shown as the replacement that it will be", async () => {
		const { stack } = await stacked();
		await stack.up([a(), settings("s", { pipelineName: "p1", workers: 2 })]);
		const { steps } = await stack.preview([
			a({ pipelineName: UNKNOWN }),
			settings("s", { pipelineName: UNKNOWN, workers: 2 }),
		]);
		expect(steps).toEqual(["replace a", "replace s"]);
	});

	it("is shown as an update where it can be updated", async () => {
		const { stack } = await stacked();
		await stack.up([a(), settings("s", { pipelineName: "p1", environment: { A: "1" } })]);
		const { steps, failures } = await stack.preview([
			a({ scheduleName: UNKNOWN, cronExpression: UNKNOWN }),
			settings("s", { pipelineName: "p1", environment: { A: UNKNOWN } }),
		]);
		expect(failures).toEqual([]);
		expect(steps).toEqual(["update a", "update s"]);
	});
});

describe("settings that others made", () => {
	const theirs = ({ colleague }: World) => {
		colleague.setSettings({
			pipeline_name: "p1",
			python_version: "3.9",
			workers: 7,
			environment: "THEIRS=1",
		});
	};
	const declared = {
		pipelineName: "p1",
		pythonVersion: "3.12",
		workers: 2,
		priority: 1,
		environment: { A: "1" },
	};

	it("are named key by key in the preview, refused without consent, and nothing is written", async () => {
		const { world, stack } = await stacked(theirs);
		const program = [settings("s", declared)];
		const message =
			/[Pp]ipeline "p1" in team "ml" already has settings .*pythonVersion is "3\.9" there and "3\.12" here; workers is 7 there and 2 here; environment \(A, THEIRS\)/;
		expect((await stack.preview(program)).notices).toEqual([expect.stringMatching(message)]);
		expect((await stack.up(program)).failures).toEqual([expect.stringMatching(message)]);
		expect(world.writes()).toEqual([]);
	});

	it("are adopted with a preview that names every key that is written and every variable that goes", async () => {
		const { world, stack } = await stacked(theirs);
		const adopting = [
			settings("s", { ...declared, files: [], storage: { s3: { key: "k", secret: "s" } }, adopt: true }),
		];
		const text = (await stack.preview(adopting)).notices.join("\n");
		for (const part of ["pythonVersion", "workers", "priority", "environment", "storage", "files"]) {
			expect(text).toContain(part);
		}
		expect(text).toMatch(/"s" will remove variables that others set on pipeline "p1": THEIRS\./);
		expect(text).not.toMatch(/nothing will change/);
		expect((await stack.up(adopting)).failures).toEqual([]);
		expect(world.writes()).toEqual(["updateSettings"]);
	});

	it("that equal what is declared are adopted with a preview that says that nothing changes", async () => {
		const { world, stack } = await stacked(theirs);
		const adopting = [settings("s", { pipelineName: "p1", pythonVersion: "3.9", adopt: true })];
		expect((await stack.preview(adopting)).notices).toEqual([
			'Adopting the settings of pipeline "p1" in team "ml": nothing will change.',
		]);
		await stack.up(adopting);
		expect(world.writes()).toEqual([]);
	});

	it("are named when a key is declared later, although adopt was left on", async () => {
		const { stack } = await stacked(theirs);
		await stack.up([settings("s", { pipelineName: "p1", priority: 1, adopt: true })]);
		const { notices } = await stack.preview([
			settings("s", { pipelineName: "p1", priority: 1, workers: 2, adopt: true }),
		]);
		expect(notices).toEqual([
			expect.stringMatching(/^"s" will also write, on pipeline "p1": workers is 7 there and 2 here\.$/),
		]);
	});

	it("are refused when a key is declared later and adopt is not set", async () => {
		const { world, stack } = await stacked(theirs);
		await stack.up([settings("s", { pipelineName: "p1", priority: 1 })]);
		world.writes();
		const later = [settings("s", { pipelineName: "p1", priority: 1, workers: 2 })];
		for (const { failures } of [await stack.preview(later), await stack.up(later)]) {
			expect(failures).toEqual([expect.stringMatching(/^s: .*workers is 7 there and 2 here/)]);
		}
		expect(world.writes()).toEqual([]);
	});

	it("are named when an unrelated change removes a variable that somebody added", async () => {
		const { world, stack } = await stacked();
		const program = (workers: number) => [
			settings("s", { pipelineName: "p1", workers, environment: { A: "1" } }),
		];
		await stack.up(program(1));
		world.colleague.setVariable("p1", "THEIRS", "secret-of-theirs");
		const { notices } = await stack.preview(program(2));
		expect(notices.join("\n")).toMatch(/will remove variables that others set on pipeline "p1": THEIRS/);
		expect(notices.join("\n")).not.toContain("secret-of-theirs");
	});
});

describe("inputs that cannot be meant", () => {
	it("a one-time start in the past is refused, and one in the future is not", async () => {
		const { stack } = await stacked();
		const once = (startAfter: string) =>
			stack.preview([
				schedule("a", { scheduleName: "a", pipelineName: "p1", cronExpression: undefined, startAfter }),
			]);
		expect((await once("2025-12-31T00:00:00Z")).failures).toEqual([
			expect.stringMatching(/^a: startAfter: 2025-12-31T00:00:00Z has passed, .*runs only once.* future/),
		]);
		expect((await once("2026-01-02T00:00:00Z")).failures).toEqual([]);
		expect((await stack.preview([a({ startAfter: "2025-12-31T00:00:00Z" })])).failures).toEqual([]);
	});

	it("a schedule that already ran once stays deployable", async () => {
		const { world, stack } = await stacked();
		const once = [
			schedule("a", {
				scheduleName: "a",
				pipelineName: "p1",
				cronExpression: undefined,
				startAfter: "2026-01-02T00:00:00Z",
			}),
		];
		await stack.up(once);
		world.server.clock.advance(7 * 86_400_000);
		expect((await stack.up(once)).steps).toEqual(["same a"]);
	});

	it.each([
		["requirements", "requirements.txt", /requirements: is a path.*readFileSync/],
		["requirements", ["./requirements.txt"], /requirements: is a path/],
		["files", ["./prepare.py"], /files\.0: is a path, not a file id\..*JobFile/],
		["files", ["prepare.py"], /files\.0: is a path/],
	])("%s: %j is a path, and is refused at preview", async (key, value, message) => {
		const { stack } = await stacked();
		const { failures } = await stack.preview([settings("s", { pipelineName: "p1", [key]: value })]);
		expect(failures).toEqual([expect.stringMatching(message)]);
	});

	it.each([
		["requirements", "torch==2.1\nnumpy"],
		["requirements", ["-r requirements.txt"]],
		["files", ["17", "3f2a"]],
	])("%s: %j is what the service takes", async (key, value) => {
		const { stack } = await stacked();
		expect((await stack.preview([settings("s", { pipelineName: "p1", [key]: value })])).failures).toEqual([]);
	});
});

describe("a preview", () => {
	it("sends no write, whatever it finds", async () => {
		const { world, stack } = await stacked(({ colleague }) => void colleague.pause("p2"));
		await stack.up([a(), settings("s", { pipelineName: "p1", workers: 1 })]);
		world.writes();
		await stack.preview([
			a({ scheduleName: "renamed", pipelineName: "p2", paused: false }),
			settings("s", { pipelineName: "p2", workers: 2, adopt: true }),
			schedule("new", { scheduleName: "new", pipelineName: "p3" }),
		]);
		expect(world.writes()).toEqual([]);
	});
});
