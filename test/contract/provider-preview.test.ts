import { describe, expect, it } from "vitest";
import { type Props, UNKNOWN } from "../../src/provider/handler";
import { Stack, schedule, settings } from "../helpers/provider-engine";
import { providerWorld, type World } from "../helpers/provider-harness";

const a = (inputs: object = {}) => schedule("a", { scheduleName: "a", pipelineName: "p1", ...inputs });
const isPaused = ({ colleague }: World, name = "p1") =>
	colleague.pipelines().find((one) => one.name === name)?.paused;

const nightly = (inputs: Props = {}, name = "nightly") =>
	schedule(name, { scheduleName: name, pipelineName: "p1", ...inputs });
const tuned = (inputs: Props) => settings("tuned", { pipelineName: "p1", ...inputs });

async function stacked(prepare: (world: World) => void = () => {}) {
	const world = await providerWorld();
	prepare(world);
	return { world, stack: new Stack(world) };
}

describe("a pipeline that two resources declare", () => {
	const opposite = (name: string, how: string, other: string) => [
		`${name}: paused: "${name}" declares pipeline "p1" ${how}, and "${other}" the opposite. A pipeline is paused as a whole, with ` +
			"all its schedules: declare it in one place.",
	];

	it("paused and running is refused, whoever comes first", async () => {
		const { stack } = await stacked();
		const [paused, running] = [nightly({ paused: true }), tuned({ paused: false })];
		expect((await stack.preview([paused, running])).failures).toEqual(
			opposite("tuned", "not paused", "nightly"),
		);
		expect((await stack.preview([running, paused])).failures).toEqual(opposite("nightly", "paused", "tuned"));
	});

	it.each<[string, Props]>([
		["that is another one", { pipelineName: "p2", paused: false }],
		["that is not known yet", { pipelineName: UNKNOWN, paused: false }],
		["in a way that is not known yet", { paused: UNKNOWN }],
	])("%s is not refused", async (_, inputs) => {
		const { stack } = await stacked();
		expect((await stack.preview([nightly({ paused: true }), tuned(inputs)])).failures).toEqual([]);
	});
});

describe("what a preview says of a pause", () => {
	it.each([
		["paused", true],
		["resumed", false],
	])("is that the pipeline will be %s, and nothing once it is", async (what, paused) => {
		const { world, stack } = await stacked();
		const pause = () => world.colleague[paused ? "resume" : "pause"]("p1");
		pause();
		expect((await stack.preview([tuned({ paused })])).notices).toEqual([
			`Pipeline "p1" in team "ml" will be ${what}: "tuned" declares paused as ${paused}. That holds for all its schedules.`,
		]);
		world.colleague[paused ? "pause" : "resume"]("p1");
		expect((await stack.preview([tuned({ paused })])).notices).toEqual([]);
	});

	it("is nothing of a pipeline that the list does not have", async () => {
		const { world, stack } = await stacked();
		world.fault({ kind: "rewrite", endpoint: "listPipelines", set: { "*.name": "another" } });
		expect(await stack.preview([tuned({ paused: true })])).toMatchObject({ notices: [], failures: [] });
	});

	it("is that a schedule of a paused pipeline never runs it", async () => {
		const { world, stack } = await stacked();
		expect((await stack.preview([nightly()])).notices).toEqual([]);
		world.colleague.pause("p1");
		expect((await stack.preview([nightly()])).notices).toEqual([
			'Pipeline "p1" in team "ml" is paused, so schedule "nightly" never runs it. Set paused to false on the schedule to ' +
				"resume it, or to true if it is meant to be paused, unless another resource of this program sets it.",
		]);
	});

	it("is not that where the schedule or another resource says what is meant", async () => {
		const { world, stack } = await stacked();
		world.colleague.pause("p1");
		expect((await stack.preview([nightly({ paused: true })])).notices).toEqual([]);
		expect((await stack.preview([tuned({ paused: true }), nightly()])).notices).toEqual([]);
	});
});

describe("whether a pipeline is paused", () => {
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
			expect.stringMatching(/^"s" will also write, on pipeline "p1": workers 2 \(now 7\)\.$/),
		]);
	});

	it("are named when an unrelated change removes a variable that somebody added", async () => {
		const { world, stack } = await stacked();
		const program = (workers: number) => [
			settings("s", { pipelineName: "p1", workers, environment: { A: "1" } }),
		];
		await stack.up(program(1));
		world.colleague.setVariable("p1", "THEIRS", "secret-of-theirs");
		const { notices } = await stack.preview(program(2));
		expect(notices.join("\n")).toMatch(/will remove variables that other users set on pipeline "p1": THEIRS/);
		expect(notices.join("\n")).not.toContain("secret-of-theirs");
	});
});

describe("inputs that cannot be meant", () => {
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
		["requirements", "requirements.txt", /requirements: is a path.*Read the file in the program/],
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
