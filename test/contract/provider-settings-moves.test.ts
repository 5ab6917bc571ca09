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
});

describe("how long settings are waited for", () => {
	const [a, b] = [
		(pipelineName: string) => s({ pipelineName, pythonVersion: "3.11", onDestroy: "reset" }, "A"),
		(pipelineName: string) => s({ pipelineName, pythonVersion: "3.12", onDestroy: "reset" }, "B"),
	];
	const timed = async (...run: Parameters<Stack["up"]>) => {
		const before = world.time.now();
		const { failures } = await stack.up(...run);
		return { failures, millis: world.time.now() - before };
	};

	it("not at all where two change places, which undo nothing of each other", async () => {
		await stack.up([a("p1"), b("p2")]);
		const { millis, failures } = await timed([a("p2"), b("p1")]);
		expect(failures).toEqual([]);
		expect(millis).toBeLessThan(1_000);
		expect(versions()).toEqual(["3.12", "3.11", null]);
	});

	it("five seconds where a replacement comes first, and its old ones are released at the end", async () => {
		await stack.up([a("p1")]);
		const after = [a("p2"), b("p1")].map((one) => ({ ...one, deleteBeforeReplace: false }));
		const { millis, failures } = await timed(after);
		expect(failures).toEqual([]);
		expect(millis).toBe(5_000);
		expect(versions()).toEqual(["3.12", "3.11", null]);
	});

	it("four seconds by a replacement that may not go where it shall, which undoes nothing", async () => {
		await stack.up([a("p1")]);
		theirs({ python_version: "3.9" }, "p2");
		const before = world.colleague.pipelines();
		const { millis, failures } = await timed([a("p2")]);
		expect(failures).toEqual([
			expect.stringMatching(/^A: Pipeline "p2" in team "ml" already has settings that this program does not/),
		]);
		expect(millis).toBe(4_000);
		expect(world.colleague.pipelines()).toEqual(before);
	});
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
		["a setting has a previous value", { workers: 2, onDestroy: "restore" }, stay + forgotten],
		["a storage has a previous value", { ...S3, onDestroy: "restore" }, stay + forgotten],
		["there were no variables", { environment: { A: "1" }, onDestroy: "restore" }, stay + forgotten],
	])("stay as they are when the one that had them is removed: %s", async (_, inputs, notice) => {
		await stack.up([s({ ...inputs, adopt: true }, "A")]);
		const before = on();
		const { failures, notices } = await stack.up([s({ ...inputs, adopt: true }, "B")]);
		expect(failures).toEqual([]);
		expect(notices.at(-1)).toBe(notice);
		expect(on()).toEqual(before);
	});
});
