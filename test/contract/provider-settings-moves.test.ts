import { describe, expect, it } from "vitest";
import type { Props } from "../../src/provider/handler";
import type { Stack } from "../helpers/provider-engine";
import { checked, deleted } from "../helpers/provider-harness";
import {
	freshStack,
	pipelineThere as on,
	tuned as s,
	stack,
	theySet as theirs,
	versions,
	world,
} from "../helpers/provider-scene";

const S3 = { storage: { s3: { key: "k", secret: "s" } } };
const KIND = "PipelineSettings";

freshStack();

const who = (name: string) => ({ kind: KIND, name }) as const;

describe("settings that move from one resource to another in one run", () => {
	const moved = (a: Props = {}, b: Props = {}) => [
		s({ pipelineName: "p2", pythonVersion: "3.11", ...a }, "A"),
		s({ pythonVersion: "3.12", ...b }, "B"),
	];

	it("are not taken where they could not be released, also with consent", async () => {
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
		const { failures } = await stack.up(moved().reverse(), { parallel: 1 });
		expect(failures).toHaveLength(1);
		expect(failures[0]).toMatch(
			/^B: The settings of pipeline "p1" in team "ml" must be released by "A" first, and cannot be: Pipeline "p2" in team "ml" already has settings that this program does not manage: pythonVersion is "3\.9" there and "3\.11" here\. They were not changed\./,
		);
		expect(world.writes()).toEqual([]);
	});

	it("are released only where the pipeline that their resource moves to is still there", async () => {
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

	it.each([
		["reset have no previous value, whatever was there long before", "reset", null],
		["kept have as previous value what was there before the first of the two", "keep", "3.9"],
	])("that were %s", async (_, onDestroy, remembered) => {
		theirs({ python_version: "3.9" });
		await stack.up([s({ pythonVersion: "3.11", onDestroy, adopt: true }, "A")]);
		expect((await stack.up(moved({}, { onDestroy: "restore" }))).failures).toEqual([]);
		await stack.destroy(["B"]);
		expect(versions()).toEqual([remembered, "3.11", null]);
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

	it("are the other's without consent where one leaves for another pipeline, and the preview refuses nothing", async () => {
		await stack.up([s({ pythonVersion: "3.12" }, "A")]);
		const after = moved({ pythonVersion: "3.12" }, { pythonVersion: "3.13" });
		const { steps, notices, failures } = await stack.preview(after);
		expect({ steps, failures }).toEqual({ steps: ["replace A", "create B"], failures: [] });
		// The engine shows a replacement by its cause alone, so this one is told; B's values are its own diff.
		expect(notices).toEqual([expect.stringMatching(/^"A" will also write, on pipeline "p2": pythonVersion/)]);
		expect((await stack.up(after)).failures).toEqual([]);
		expect(stack.entry("B").outs).toMatchObject({ pythonVersion: "3.13", adopted: false });
	});

	it.each(["reset", "restore"])(
		"that a new resource takes with consent are not undone where they were, with onDestroy %s",
		async (onDestroy) => {
			await stack.up([s({ pythonVersion: "3.11", onDestroy }, "A")]);
			const after = moved({ onDestroy }, { adopt: true }).reverse();
			expect(await stack.up(after)).toMatchObject({ steps: ["create B", "replace A"], failures: [] });
			expect(versions()).toEqual(["3.12", "3.11", null]);
			expect((await stack.up(after)).steps).toEqual(["same B", "same A"]);
		},
	);

	it("that cannot leave for a pipeline whose own are removed later are not taken meanwhile, and a refresh gets there", async () => {
		const s3 = (name: string, inputs: Props = {}) => s({ storage: { s3: { anon: false } }, ...inputs }, name);
		const p2 = { pipelineName: "p2", onDestroy: "reset" };
		await stack.up([s3("r1"), s3("r4", p2)]);
		const after = [s3("r4"), s3("r5", p2)];
		const storages = () =>
			world.colleague.pipelines().map(({ settings: { environment } }) => environment.FSSPEC_S3 !== undefined);
		for (const parallel of [16, 1]) {
			expect((await stack.up(after, { parallel })).failures).not.toEqual([]);
			expect(stack.ids()).toEqual({ r1: "ml/p1", r4: "ml/p2" });
			expect(storages()).toEqual([true, true, false]);
		}
		expect((await stack.up(after, { refresh: true })).failures).toEqual([]);
		expect(stack.ids()).toEqual({ r4: "ml/p1", r5: "ml/p2" });
		expect(storages()).toEqual([true, true, false]);
	});

	it("are taken in a run that refreshes first, and what was there before us is put back at the end", async () => {
		const second = { pythonVersion: "3.12", environment: { WHO: "B" }, onDestroy: "restore" };
		const program = (a: string, b: string) => [
			s({ pipelineName: a, pythonVersion: "3.11", environment: { WHO: "A" } }, "A"),
			{ ...s({ ...second, pipelineName: b, adopt: b === "p2" }, "B"), dependsOn: ["A"] },
		];
		theirs({ python_version: "3.10" }, "p2");
		await stack.up(program("p1", "p2"));
		const swapped = program("p2", "p1");
		expect((await stack.up(swapped)).failures).toEqual([
			expect.stringMatching(/^A: Pipeline "p2".*run "pulumi up --refresh"/),
		]);
		expect((await stack.up(swapped, { refresh: true })).failures).toEqual([]);
		expect(versions()).toEqual(["3.12", "3.11", null]);
		expect((await stack.up(swapped)).steps).toEqual(["same A", "same B"]);
		const back = [s({ pipelineName: "p2", onDestroy: "restore", pythonVersion: "3.11" }, "A")];
		expect((await stack.up(back, { refresh: true })).failures).toEqual([]);
		await stack.destroy();
		expect(versions()[1]).toBe("3.10");
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

	it.each(["reset", "restore"])(
		"not at all where two change places, which undo nothing of each other with onDestroy %s",
		async (onDestroy) => {
			const program = (...on: [string, string]) =>
				on.map((pipelineName, at) =>
					s({ pipelineName, pythonVersion: pipelineName === "p1" ? "3.11" : "3.12", onDestroy }, `${at}`),
				);
			await stack.up(program("p1", "p2"));
			const { millis, ...run } = await timed(program("p2", "p1"));
			expect(run.failures).toEqual([]);
			expect(millis).toBeLessThan(1_000);
			expect(versions()).toEqual(["3.11", "3.12", null]);
			expect((await stack.up(program("p2", "p1"))).steps).toEqual(["same 0", "same 1"]);
		},
	);

	it.each([
		["takes its place", [a("p1")]],
		["changes places with it", [a("p1"), b("p2")]],
	])(
		"five seconds where a replacement comes first, and its old ones are released at the end: another %s",
		async (_, before) => {
			await stack.up(before);
			const after = [a("p2"), b("p1")].map((one) => ({ ...one, deleteBeforeReplace: false }));
			const { millis, ...run } = await timed(after);
			expect(run.failures).toEqual([]);
			expect(millis).toBe(5_000);
			expect(versions()).toEqual(["3.12", "3.11", null]);
			expect((await stack.up(after)).steps).toEqual(["same A", "same B"]);
		},
	);

	it("until the resource that a refresh knows them of had its turn, and then they are released first", async () => {
		await stack.up([a("p1")]);
		const { millis, ...run } = await timed([b("p1"), a("p2")], { refresh: true });
		expect(run).toEqual({ failures: [], notices: [expect.stringMatching(/^"A" will also write/)] });
		expect(millis).toBeLessThan(4_000);
		expect(versions()).toEqual(["3.12", "3.11", null]);
	});

	it("five seconds where they cannot be released before this is done, and then they are taken as they are", async () => {
		await stack.up([a("p1")]);
		const { millis, ...run } = await timed([b("p1"), a("p2")], { refresh: true, parallel: 1 });
		expect(run.failures).toEqual([]);
		expect(run.notices.at(-1)).toMatch(/^The settings of pipeline "p1" stay as they are: resource "B"/);
		expect(millis).toBe(5_000);
		expect(versions()).toEqual(["3.12", "3.11", null]);
	});

	it("as long as it takes while they are being released", async () => {
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

	it.each(["reset", "restore"])(
		"four seconds by a replacement that may not go where it shall, which undoes nothing with onDestroy %s",
		async (onDestroy) => {
			await stack.up([s({ pythonVersion: "3.11", environment: { A: "1" }, onDestroy }, "A")]);
			theirs({ python_version: "3.9" }, "p2");
			const before = world.colleague.pipelines();
			const moved = { pipelineName: "p2", pythonVersion: "3.11", onDestroy };
			const run = await timed([s(moved, "A")]);
			expect(run.failures).toEqual([
				expect.stringMatching(
					/^A: Pipeline "p2" in team "ml" already has settings that this program does not/,
				),
			]);
			expect(run.millis).toBe(4_000);
			expect(world.colleague.pipelines()).toEqual(before);
			expect((await stack.up([s({ ...moved, adopt: true }, "A")])).failures).toEqual([]);
			expect(versions()).toEqual([null, "3.11", null]);
		},
	);
});

describe("settings that another resource of the run has", () => {
	it("are not undone by a delete that was still asking for its new pipeline when they were taken", async () => {
		await stack.up([s({ workers: 3, onDestroy: "reset" }, "A")]);
		const process = world.process();
		const entry = stack.entry("A");
		const moved = { ...entry.inputs, pipelineName: "p2" };
		const { diff, delete: remove } = process.serve(KIND);
		await diff(entry.id, entry.outs, await checked(process, who("A"), moved, entry));
		world.fault({ kind: "delay", ms: 500, endpoint: "pipelineStatus", times: 1 });
		const deleting = remove(entry.id, entry.outs);
		while (world.server.requests.inFlight === 0) await new Promise((resolve) => setImmediate(resolve));
		process.context.claims.take("dynamic::B", { kind: KIND, team: "ml", id: entry.id });
		await deleting;
		expect(process.notices.at(-1)).toMatch(/^The settings of pipeline "p1" stay as they are: resource "B"/);
		expect(on()?.settings.workers).toBe(3);
	});

	it("are not undone by the delete of another that the state has for the same pipeline", async () => {
		const program = [s({ workers: 2, onDestroy: "reset" }, "A")];
		await stack.up(program);
		stack.entries.push({ ...stack.entry("A"), name: "Z" });
		expect(await stack.up(program)).toMatchObject({ steps: ["same A", "delete Z"], failures: [] });
		expect(on()?.settings.workers).toBe(2);
	});

	const stay =
		'The settings of pipeline "p1" stay as they are: resource "B" of this program manages them now.';
	const forgotten =
		" The values from before Pulumi managed them are lost with the old resource; an alias keeps them.";

	it.each<[string, Props, string]>([
		["nothing is to be put back", { workers: 2 }, stay],
		["there is no previous value", { files: [], onDestroy: "restore" }, stay],
		["a setting has a previous value", { workers: 2, onDestroy: "restore" }, stay + forgotten],
		["a variable has a previous value", { environment: { A: "1" }, onDestroy: "restore" }, stay + forgotten],
		["a storage has a previous value", { ...S3, onDestroy: "restore" }, stay + forgotten],
	])("stay as they are when the one that had them is removed: %s", async (_, inputs, notice) => {
		if (inputs.environment) world.colleague.setVariable("p1", "THEIRS", "1");
		await stack.up([s({ ...inputs, adopt: true }, "A")]);
		const before = on();
		const { failures, notices } = await stack.up([s({ ...inputs, adopt: true }, "B")]);
		expect(failures).toEqual([]);
		expect(notices.at(-1)).toBe(notice);
		expect(on()).toEqual(before);
	});

	it("are not spoken of where a resource replaces itself and forgets nothing", async () => {
		await stack.up([s({ workers: 2 })]);
		const again = [{ ...s({ workers: 2 }), replace: true, deleteBeforeReplace: false }];
		expect(await stack.up(again, { adoptEqual: true })).toMatchObject({ failures: [], notices: [] });
		expect(on()?.settings.workers).toBe(2);
	});
});
