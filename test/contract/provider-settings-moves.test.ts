import { describe, expect, it } from "vitest";
import type { Props } from "../../src/provider/handler";
import { freshStack, pipelineThere, stack, theySet, tuned, world } from "../helpers/provider-scene";

const S3 = { storage: { s3: { key: "k", secret: "s" } } };

freshStack();
const versions = () => world.colleague.pipelines().map(({ settings }) => settings.pythonVersion || null);

describe("settings that move from one resource to another in one run", () => {
	const moved = (a: Props = {}, b: Props = {}) => [
		tuned({ pipelineName: "p2", pythonVersion: "3.11", ...a }, "A"),
		tuned({ pythonVersion: "3.12", ...b }, "B"),
	];

	it("are not taken where they could not be released, also with consent", async () => {
		await stack.up([tuned({ pythonVersion: "3.11", onDestroy: "reset" }, "A")]);
		world.fault({ kind: "status", status: 403, endpoint: "updateSettings", times: 1 });
		const { failures } = await stack.up(moved({ onDestroy: "reset" }, { adopt: true }));
		expect(failures).toEqual([
			expect.stringMatching(/^A: .*403/),
			'B: The settings of pipeline "p1" in team "ml" must be released by another resource first, and cannot be: see its own failure.',
		]);
		expect(versions()).toEqual(["3.11", null, null]);
	});

	it("are not taken while the one that has them may not go where it shall, with the reason", async () => {
		await stack.up([tuned({ pythonVersion: "3.11", onDestroy: "reset" }, "A")]);
		theySet({ python_version: "3.9" }, "p2");
		world.writes();
		const { failures } = await stack.up(moved().reverse(), { parallel: 1 });
		expect(failures).toHaveLength(1);
		expect(failures[0]).toMatch(
			/^B: The settings of pipeline "p1" in team "ml" must be released by "A" first, and cannot be: Pipeline "p2" in team "ml" already has settings that this program does not manage: pythonVersion is "3\.9" there and "3\.11" here\. They were not changed\./,
		);
		expect(world.writes()).toEqual([]);
	});

	it("change places without a wait, and undo nothing of each other", async () => {
		const both = (one: string, two: string) => [
			tuned({ pipelineName: one, pythonVersion: "3.11", onDestroy: "reset" }, "A"),
			tuned({ pipelineName: two, pythonVersion: "3.12", onDestroy: "reset" }, "B"),
		];
		await stack.up(both("p1", "p2"));
		const before = world.time.now();
		expect((await stack.up(both("p2", "p1"))).failures).toEqual([]);
		expect(world.time.now() - before).toBeLessThan(1_000);
		expect(versions()).toEqual(["3.12", "3.11", null]);
	});
});

describe("settings that another resource of the run has", () => {
	it("are not undone by the delete of another that the state has for the same pipeline", async () => {
		const program = [tuned({ workers: 2, onDestroy: "reset" }, "A")];
		await stack.up(program);
		stack.entries.push({ ...stack.entry("A"), name: "Z" });
		expect(await stack.up(program)).toMatchObject({ steps: ["same A", "delete Z"], failures: [] });
		expect(pipelineThere()?.settings.workers).toBe(2);
	});

	const stay =
		'The settings of pipeline "p1" stay as they are: resource "B" of this program manages them now.';
	const forgotten =
		" The values from before Pulumi managed them are lost with the old resource; an alias keeps them.";

	it.each<[string, Props, string]>([
		["nothing is to be put back", { workers: 2 }, stay],
		["nothing has a previous value", { files: [], onDestroy: "restore" }, stay],
		["a setting has a previous value", { workers: 2, onDestroy: "restore" }, stay + forgotten],
		["a storage has a previous value", { ...S3, onDestroy: "restore" }, stay + forgotten],
		["there were no variables", { environment: { A: "1" }, onDestroy: "restore" }, stay + forgotten],
	])("stay as they are when the one that had them is removed: %s", async (_, inputs, notice) => {
		await stack.up([tuned({ ...inputs, adopt: true }, "A")]);
		const before = pipelineThere();
		const { failures, notices } = await stack.up([tuned({ ...inputs, adopt: true }, "B")]);
		expect(failures).toEqual([]);
		expect(notices.at(-1)).toBe(notice);
		expect(pipelineThere()).toEqual(before);
	});
});

it("settings that are replaced where they are count as managed, also if another user has changed them", async () => {
	const program = (inputs: Props, replace?: true) => [{ ...tuned({ workers: 3, ...inputs }), replace }];
	await stack.up(program({ ...S3 }));
	theySet({ workers: 9 });
	expect(await stack.up(program({}, true))).toMatchObject({ steps: ["replace s"], failures: [] });
	expect(pipelineThere().settings).toMatchObject({ workers: 3, environment: {} });
});
