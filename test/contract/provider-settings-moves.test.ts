import { describe, expect, it } from "vitest";
import type { Props } from "../../src/provider/model/props";
import {
	freshStack,
	pipelineThere,
	stack,
	theySet,
	tuned,
	world,
} from "../helpers/provider-scene";
import type { Resource } from "../model/stack";

const S3 = { storage: { s3: { key: "k", secret: "s" } } };

freshStack();
const versions = () =>
	world.colleague.pipelines().map(({ settings }) => settings.pythonVersion || null);

describe("settings that move from one resource to another in one run", () => {
	const moved = (a: Props = {}, b: Props = {}) => [
		tuned({ pipelineName: "p2", pythonVersion: "3.11", ...a }, "A"),
		tuned({ pythonVersion: "3.12", ...b }, "B"),
	];

	it("are taken although the one that had them fails, and that one undoes nothing of them later", async () => {
		await stack.up([tuned({ pythonVersion: "3.11", onDestroy: "reset" }, "A")]);
		theySet({ python_version: "3.9" }, "p2");
		const { failures } = await stack.up(moved().reverse());
		expect(failures).toEqual([
			expect.stringMatching(
				/^A: Pipeline "p2" in team "ml" already has .*"3\.9" on the service and "3\.11" in the program\. They were not changed\./,
			),
		]);
		expect(versions()).toEqual(["3.12", "3.9", null]);
		expect((await stack.up(moved({ adopt: true }))).failures).toEqual([]);
		expect(versions()).toEqual(["3.12", "3.11", null]);
		expect(stack.ids()).toEqual({ A: "ml/p2", B: "ml/p1" });
	});

	it("have what the new resource declares if the old one is reset at the same moment", async () => {
		await stack.up([tuned({ pythonVersion: "3.11", onDestroy: "reset" }, "A")]);
		const { id, outs } = stack.entry("A");
		const process = world.process();
		const b = tuned({ pythonVersion: "3.12", adopt: true }, "B");
		const inputs = await process.check(b, b.args);
		await Promise.all([
			process.create(b, inputs),
			process.serve("PipelineSettings").delete(id, outs),
		]);
		expect(versions()).toEqual(["3.12", null, null]);
	});

	it.each([
		["reset", { NEW: "3", OTHERS: "x" }, ""],
		["keep", { A: "1", NEW: "3", OTHERS: "x" }, "pandas"],
	])(
		"lose what only the resource before declared, if that one resets: %s",
		async (onDestroy, variables, requirements) => {
			world.colleague.setVariable("p1", "OTHERS", "x");
			const first = {
				requirements: ["pandas"],
				environment: { A: "1", NEW: "2" },
				onDestroy,
			};
			await stack.up([tuned({ pythonVersion: "3.11", ...first }, "A")]);
			const second = { pythonVersion: "3.12", environment: { NEW: "3" }, adopt: true };
			expect((await stack.up([tuned(second, "B")])).failures).toEqual([]);
			const { settings } = pipelineThere("p1");
			expect(settings.environment).toEqual(variables);
			expect([settings.requirements ?? "", settings.pythonVersion]).toEqual([
				requirements,
				"3.12",
			]);
			expect((await stack.up([tuned(second, "B")])).steps).toEqual(["same B"]);
		},
	);

	it("exchange their pipelines and leave nothing of what they had there", async () => {
		const rows = (first: string, second: string) => [
			tuned(
				{ pipelineName: first, environment: { A: "1", ONE: "1" }, onDestroy: "reset" },
				"A",
			),
			tuned(
				{
					pipelineName: second,
					environment: { A: "2", TWO: "2" },
					workers: 2,
					onDestroy: "reset",
				},
				"B",
			),
		];
		await stack.up(rows("p1", "p2"));
		expect((await stack.up(rows("p2", "p1"))).failures).toEqual([]);
		const environments = ["p1", "p2"].map(
			(name) => pipelineThere(name).settings.environment,
		);
		expect(environments).toEqual([
			{ A: "2", TWO: "2" },
			{ A: "1", ONE: "1" },
		]);
	});

	it("are told at preview as those of the pipeline that the resource moves to", async () => {
		theySet({ python_version: "3.9" }, "p2");
		await stack.up([tuned({ pythonVersion: "3.11" }, "A")]);
		const [there] = moved();
		if (there === undefined) throw new Error("There is no such row.");
		const told = async (more: Props) =>
			(await stack.preview([{ ...there, args: { ...there.args, ...more } }])).notices;
		expect(await told({})).toEqual([
			expect.stringMatching(
				/^"A": pipeline "p2" in team "ml" already has settings that this program does not manage/,
			),
		]);
		expect(await told({ adopt: true })).toEqual([
			'Adopting the settings of pipeline "p2" in team "ml" will write pythonVersion "3.11" (now "3.9").',
		]);
	});

	it("shift by one place in a list, with one worker, too", async () => {
		const list = (...names: string[]) =>
			names.map((name, at) =>
				tuned({ pipelineName: name, workers: 2, onDestroy: "reset" }, `s${at}`),
			);
		await stack.up(list("p1", "p2"));
		expect((await stack.up(list("p3", "p1", "p2"), { parallel: 1 })).failures).toEqual(
			[],
		);
		expect(stack.ids()).toEqual({ s0: "ml/p3", s1: "ml/p1", s2: "ml/p2" });
		// What the last row had is nobody's until the user consents.
		const shorter = list("p1", "p2");
		expect((await stack.up(shorter, { parallel: 1 })).failures).toEqual([
			expect.stringMatching(/^s1: Pipeline "p2" in team "ml" already has settings/),
		]);
		expect(
			(await stack.up(shorter, { parallel: 1, adoptEqual: true })).failures,
		).toEqual([]);
		const workers = ["p1", "p2", "p3"].map(
			(name) => pipelineThere(name).settings.workers,
		);
		expect(workers).toEqual([2, 2, 1]);
		expect(stack.ids()).toEqual({ s0: "ml/p1", s1: "ml/p2" });
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
		const { outs, ...entry } = stack.entry("A");
		stack.entries.push({
			...entry,
			name: "Z",
			outs: { ...outs, __urn: "urn:pulumi:dev::shop::t::Z" },
		});
		expect(await stack.up(program)).toMatchObject({
			steps: ["same A", "delete Z"],
			failures: [],
		});
		expect(pipelineThere()?.settings.workers).toBe(2);
	});

	it.each<[string, Props]>([
		["keeps", {}],
		["resets", { onDestroy: "reset" }],
	])("stay as they are when a resource that %s them is removed", async (_, inputs) => {
		await stack.up([tuned({ workers: 2, ...inputs, adopt: true }, "A")]);
		const before = pipelineThere();
		const { failures, notices } = await stack.up([
			tuned({ workers: 2, ...inputs, adopt: true }, "B"),
		]);
		expect(failures).toEqual([]);
		expect(notices.at(-1)).toBe(
			'Resource "B" of this program now manages the settings of pipeline "p1" in team "ml", so nothing was deleted.',
		);
		expect(pipelineThere()).toEqual(before);
	});
});

describe("settings that are replaced where they are, because the user asked for it", () => {
	const program = (inputs: Props, more: Partial<Resource> = {}) => [
		{ ...tuned({ workers: 3, ...inputs }), ...more },
	];

	it("count as managed where the old ones are deleted first, also if another user has changed them", async () => {
		await stack.up(program({ ...S3 }));
		theySet({ workers: 9 });
		const again = program({}, { replace: true, deleteBeforeReplace: true });
		expect(await stack.up(again)).toMatchObject({ steps: ["replace s"], failures: [] });
		expect(pipelineThere().settings).toMatchObject({ workers: 3, environment: {} });
	});

	it("are refused where the new ones come first, and the reason says what to do", async () => {
		await stack.up(program({}));
		const says = expect.stringContaining(
			"set the resource option deleteBeforeReplace to true.",
		);
		expect((await stack.up(program({}, { replace: true }))).failures).toEqual([says]);
		expect(
			(await stack.up(program({}, { replace: true, deleteBeforeReplace: true })))
				.failures,
		).toEqual([]);
	});
});
