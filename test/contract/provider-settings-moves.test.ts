import { beforeEach, describe, expect, it } from "vitest";
import type { Props } from "../../src/provider/handler";
import { Stack, settings } from "../helpers/provider-engine";
import {
	checked,
	created,
	deleted,
	providerWorld,
	refreshed,
	urnOf,
	type World,
} from "../helpers/provider-harness";

const S3 = { storage: { s3: { key: "k", secret: "s" } } };
const KIND = "PipelineSettings";

let world: World;
let stack: Stack;
beforeEach(async () => {
	world = await providerWorld();
	stack = new Stack(world);
});

const s = (inputs: Props, name = "s") => settings(name, { pipelineName: "p1", ...inputs });
const on = (name = "p1") => world.colleague.pipelines().find((one) => one.name === name);
const theirs = (input: object, pipeline_name = "p1") =>
	world.colleague.setSettings({ pipeline_name, ...input });
const who = (name: string) => ({ kind: KIND, name }) as const;

const versions = () => world.colleague.pipelines().map(({ settings: live }) => live.pythonVersion || null);

describe("settings that move from one resource to another in one run", () => {
	const moved = (a: Props = {}, b: Props = {}) => [
		s({ pipelineName: "p2", pythonVersion: "3.11", ...a }, "A"),
		s({ pythonVersion: "3.12", ...b }, "B"),
	];

	it("are not taken where they could not be let go, also with consent", async () => {
		await stack.up([s({ pythonVersion: "3.11", onDestroy: "reset" }, "A")]);
		world.fault({ kind: "status", status: 403, endpoint: "updateSettings", times: 1 });
		const { failures } = await stack.up(moved({ onDestroy: "reset" }, { adopt: true }));
		expect(failures).toEqual([
			expect.stringMatching(/^A: .*403/),
			'B: The settings of pipeline "p1" in team "ml" must be released by another resource first, and cannot be: see its own failure.',
		]);
		expect(versions()).toEqual(["3.11", null, null]);
	});

	it("are not taken while the one that has them may not go where it shall, with the reason", async () => {
		await stack.up([s({ pythonVersion: "3.11", onDestroy: "reset" }, "A")]);
		theirs({ python_version: "3.9" }, "p2");
		world.writes();
		const [a, b] = moved();
		const { failures } = await stack.up(
			[b, a].flatMap((one) => one ?? []),
			{ oneAtATime: true },
		);
		expect(failures[0]).toMatch(
			/^B: The settings of pipeline "p1" in team "ml" must be released by "A" first, and cannot be: Pipeline "p2" in team "ml" already has settings that this program does not manage: pythonVersion is "3\.9" there and "3\.11" here\. They were not changed\./,
		);
		expect(failures[1]).toMatch(/^A: Pipeline "p2" in team "ml" already has settings/);
		expect(world.writes()).toEqual([]);
	});

	it("are let go only where the pipeline that they are left for is still there", async () => {
		await stack.up([s({ pythonVersion: "3.11", onDestroy: "reset" }, "A")]);
		const process = world.process();
		const entry = stack.entry("A");
		const inputs = await checked(process, who("A"), { ...entry.inputs, pipelineName: "p2" }, entry);
		expect(await process.serve(KIND).diff(entry.id, entry.outs, inputs)).toEqual({
			changes: true,
			replaces: ["pipelineName"],
			deleteBeforeReplace: true,
		});
		world.colleague.forgetPipeline("p2");
		await expect(deleted(process, entry)).rejects.toThrow(
			/^pipelineName: team "ml" has no pipeline "p2"\. It has .*"p1"\.$/,
		);
		expect(versions()).toEqual(["3.11", null]);
	});

	it("are refused at once where what others set there is all that is left", async () => {
		await stack.up([s({ workers: 3 }, "A")]);
		theirs({ python_version: "3.9" });
		// The resource that has them gives them up, so that the preview does not call them somebody else's.
		expect(await stack.preview(moved())).toMatchObject({ failures: [], notices: [] });
		const before = world.time.now();
		const { failures } = await stack.up(moved());
		expect(failures).toEqual([expect.stringMatching(/^B: Pipeline "p1" .* pythonVersion is "3\.9" there/)]);
		expect(world.time.now() - before).toBeLessThan(4_000);
	});

	it("are theirs again where restore has put them back, although ours were equal", async () => {
		theirs({ python_version: "3.9" });
		await stack.up([s({ pythonVersion: "3.9", onDestroy: "restore", adopt: true }, "A")]);
		const { failures } = await stack.up(moved());
		expect(failures).toEqual([expect.stringMatching(/^B: Pipeline "p1" .* pythonVersion is "3\.9" there/)]);
		expect(versions()).toEqual(["3.9", "3.11", null]);
	});

	it("that were reset are remembered as reset, not as they were long before", async () => {
		theirs({ python_version: "3.9" });
		await stack.up([s({ pythonVersion: "3.11", onDestroy: "reset", adopt: true }, "A")]);
		expect((await stack.up(moved({}, { onDestroy: "restore" }))).failures).toEqual([]);
		await stack.destroy(["B"]);
		expect(versions()).toEqual([null, "3.11", null]);
	});

	it("that could not be put back as they were before the first of the two are refused at preview", async () => {
		world.colleague.setVariable("p1", "PEM", "one\ntwo");
		const environment = { A: "1" };
		await stack.up([s({ environment, adopt: true }, "A")]);
		const run = await stack.preview(moved({ environment }, { environment, onDestroy: "restore" }));
		expect(run.failures).toEqual([
			expect.stringMatching(
				/^B: onDestroy "restore" could not put back what is there now: the value of "PEM"/,
			),
		]);
	});

	it("that were kept are remembered as they were before the first of the two", async () => {
		theirs({ python_version: "3.9" });
		await stack.up([s({ pythonVersion: "3.11", adopt: true }, "A")]);
		expect((await stack.up(moved({}, { onDestroy: "restore" }))).failures).toEqual([]);
		await stack.destroy(["B"]);
		expect(versions()).toEqual(["3.9", "3.11", null]);
	});
});

describe("how long settings are waited for", () => {
	const [a, b] = [
		(pipelineName: string) => s({ pipelineName, pythonVersion: "3.11", onDestroy: "reset" }, "A"),
		(pipelineName: string) => s({ pipelineName, pythonVersion: "3.12", onDestroy: "reset" }, "B"),
	];
	const timed = async (...run: Parameters<Stack["up"]>) => {
		const before = world.time.now();
		const { failures, notices } = await stack.up(...run);
		return { failures, notices, millis: world.time.now() - before };
	};

	it("not at all where nobody has them", async () => {
		expect(await timed([a("p1")])).toEqual({ failures: [], notices: [], millis: 0 });
	});

	it("not at all where two change places: each would wait for the other", async () => {
		await stack.up([a("p1"), b("p2")]);
		const { millis, ...run } = await timed([a("p2"), b("p1")]);
		expect(run.failures).toEqual([]);
		expect(millis).toBeLessThan(1_000);
		expect(versions()).toEqual(["3.12", "3.11", null]);
	});

	it.each([
		["takes its place", [a("p1")]],
		["changes places with it", [a("p1"), b("p2")]],
	])(
		"five seconds where a replacement comes first, and its old ones are let go at the end: another %s",
		async (_, before) => {
			await stack.up(before);
			const after = [a("p2"), b("p1")].map((one) => ({ ...one, deleteFirst: false }));
			const { millis, ...run } = await timed(after);
			expect(run.failures).toEqual([]);
			expect(millis).toBe(5_000);
			expect(versions()).toEqual(["3.12", "3.11", null]);
			expect((await stack.up(after)).steps).toEqual(["same A", "same B"]);
		},
	);

	it("until the resource that a refresh knows them of had its turn, and then they are let go in good order", async () => {
		await stack.up([a("p1")]);
		const { millis, ...run } = await timed([b("p1"), a("p2")], { refresh: true });
		expect(run).toEqual({ failures: [], notices: [expect.stringMatching(/^"A" will also write/)] });
		expect(millis).toBeLessThan(4_000);
		expect(versions()).toEqual(["3.12", "3.11", null]);
	});

	it("five seconds where they cannot be let go before this is done, and then they are taken as they are", async () => {
		await stack.up([a("p1")]);
		const { millis, ...run } = await timed([b("p1"), a("p2")], { refresh: true, oneAtATime: true });
		expect(run.failures).toEqual([]);
		expect(run.notices.at(-1)).toMatch(/^The settings of pipeline "p1" stay as they are: resource "B"/);
		expect(millis).toBe(5_000);
		expect(versions()).toEqual(["3.12", "3.11", null]);
	});

	it("four seconds where their resource has no turn any more: it is removed at the end", async () => {
		await stack.up([a("p1")]);
		const { millis, ...run } = await timed([b("p1")], { refresh: true });
		expect(run.failures).toEqual([]);
		expect(millis).toBe(4_000);
		expect(versions()).toEqual(["3.12", null, null]);
	});

	it("as long as it takes while they are being let go", async () => {
		theirs({ python_version: "3.9" });
		await stack.up([s({ pythonVersion: "3.11", onDestroy: "reset", adopt: true }, "A")]);
		const heal = world.fault({ kind: "late-effect", ms: 9_000, endpoint: "updateSettings", times: 1 });
		const run = await timed([a("p2"), s({ pythonVersion: "3.12", onDestroy: "restore" }, "B")]);
		expect(run.failures).toEqual([]);
		expect(run.millis).toBeGreaterThanOrEqual(9_000);
		heal();
		await stack.destroy(["B"]);
		expect(versions()).toEqual([null, "3.11", null]);
	});

	it("four seconds by a replacement that may not go where it shall", async () => {
		await stack.up([a("p1")]);
		theirs({ python_version: "3.9" }, "p2");
		const run = await timed([a("p2")]);
		expect(run.failures).toEqual([
			expect.stringMatching(/^A: Pipeline "p2" in team "ml" already has settings/),
		]);
		expect(run.millis).toBe(4_000);
		expect(versions()).toEqual(["3.11", "3.9", null]);
	});
});

describe("settings that another resource of the run has", () => {
	it("are left to it by the one that had them, which gets others", async () => {
		await stack.up([s({ workers: 2 }, "A")]);
		const process = world.process();
		await created(
			process,
			who("B"),
			await checked(process, who("B"), { pipelineName: "p1", workers: 3, adopt: true }),
		);
		const { id, outs, inputs } = stack.entry("A");
		await checked(process, who("A"), { pipelineName: "p2", workers: 2 }, stack.entry("A"));
		expect(await process.serve(KIND).diff(id, outs, inputs)).toEqual({
			changes: true,
			replaces: ["pipelineName"],
			deleteBeforeReplace: true,
		});
	});

	it("are not undone by the delete of another that the state has for the same pipeline", async () => {
		const program = [s({ workers: 2, onDestroy: "reset" }, "A")];
		await stack.up(program);
		stack.entries.set("Z", { ...stack.entry("A"), name: "Z" });
		expect(await stack.up(program)).toMatchObject({ steps: ["same A", "delete Z"], failures: [] });
		expect(on()?.settings.workers).toBe(2);
	});

	it("are not those that a refresh only asked about", async () => {
		await stack.up([s({ workers: 2 }, "A")]);
		const process = world.process();
		const { id, outs, inputs } = stack.entry("A");
		await process.serve(KIND).diff(id, outs, inputs);
		const declared = await checked(process, who("B"), { pipelineName: "p1", workers: 3, adopt: true });
		expect((await created(process, who("B"), declared)).outs).toMatchObject({ workers: 3 });
	});

	it("are not taken by a second one, whatever it may adopt", async () => {
		const process = world.process();
		const inputs = { pipelineName: "p1", teamName: "ml", workers: 2, onDestroy: "keep", adopt: true };
		const of = (name: string) => ({ ...inputs, __urn: `urn:pulumi:dev::shop::t::${name}` });
		await created(process, who("A"), of("A"));
		world.writes();
		await expect(created(process, who("B"), of("B"))).rejects.toThrow(
			'The settings of pipeline "p1" in team "ml" are already managed by resource "A" of this program. Declare them in one ' +
				"PipelineSettings resource.",
		);
		expect(world.writes()).toEqual([]);
	});

	const stay =
		'The settings of pipeline "p1" stay as they are: resource "B" of this program manages them now.';
	const forgotten =
		" The values from before Pulumi managed them are lost with the old resource; an alias keeps them.";

	it.each<[string, Props, string]>([
		["nothing is to be put back", { workers: 2 }, stay],
		["nothing is remembered", { files: [], onDestroy: "restore" }, stay],
		["a setting is remembered", { workers: 2, onDestroy: "restore" }, stay + forgotten],
		["a variable is remembered", { environment: { A: "1" }, onDestroy: "restore" }, stay + forgotten],
		["a storage is remembered", { ...S3, onDestroy: "restore" }, stay + forgotten],
	])("stay as they are when the one that had them is removed: %s", async (_, inputs, notice) => {
		if (inputs.environment) world.colleague.setVariable("p1", "THEIRS", "1");
		await stack.up([s({ ...inputs, adopt: true }, "A")]);
		const before = on();
		const { failures, notices } = await stack.up([s({ ...inputs, adopt: true }, "B")]);
		expect(failures).toEqual([]);
		expect(notices.at(-1)).toBe(notice);
		expect(on()).toEqual(before);
	});

	it("keep what is remembered of them in a run that refreshes first, and the notice says nothing else", async () => {
		const restoring = (name: string) => [s({ workers: 2, onDestroy: "restore" }, name)];
		await stack.up(restoring("A"));
		expect((await stack.up(restoring("B"), { refresh: true })).notices).toEqual([stay]);
	});

	it("are not spoken of where a resource replaces itself and forgets nothing", async () => {
		await stack.up([s({ workers: 2 })]);
		const again = [{ ...s({ workers: 2 }), replace: true, deleteFirst: false }];
		expect(await stack.up(again, { adoptEqual: true })).toMatchObject({ failures: [], notices: [] });
		expect(on()?.settings.workers).toBe(2);
	});
});

describe("settings that a program only looked up", () => {
	it("are not its own: others' need consent, also after a refresh", async () => {
		theirs({ workers: 7 });
		const {
			id = "",
			inputs = {},
			props = {},
		} = await world
			.process()
			.serve(KIND)
			.read("ml/p1", { __urn: urnOf(KIND, "looked-up") });
		const process = world.process();
		await refreshed(process, { ...who("looked-up"), id, inputs, outs: props });
		const declared = await checked(process, who("s"), { pipelineName: "p1", workers: 2 });
		await expect(created(process, who("s"), declared)).rejects.toThrow(/workers is 7 there and 2 here/);
	});
});
