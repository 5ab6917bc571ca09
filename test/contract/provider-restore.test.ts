import { describe, expect, it } from "vitest";
import { type Declared, Stack, schedule, settings } from "../helpers/provider-engine";
import { providerWorld, type World } from "../helpers/provider-harness";

const S3 = { storage: { s3: { key: "k", secret: "s" } } };
const on = ({ colleague }: World, name = "p1") => {
	const found = colleague.pipelines().find((one) => one.name === name);
	if (found === undefined) throw new Error(`There is no pipeline ${name}.`);
	return found;
};
const variables = (world: World) => on(world).settings.environment;

async function stackWith(prepare: (world: World) => void = () => {}) {
	const world = await providerWorld();
	prepare(world);
	return { world, stack: new Stack(world) };
}

describe("onDestroy: restore", () => {
	const restoring = (inputs: object) => ({
		pipelineName: "p1",
		onDestroy: "restore",
		adopt: true,
		...inputs,
	});

	it("puts back what others had set, after updates of our own too", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", python_version: "3.9", environment: "THEIRS=1" });
		});
		await stack.up([settings("s", restoring({ pythonVersion: "3.11", environment: { A: "1" } }))]);
		await stack.up([settings("s", restoring({ pythonVersion: "3.12", environment: { A: "2", B: "1" } }))]);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(on(world).settings).toMatchObject({ pythonVersion: "3.9", environment: { THEIRS: "1" } });
	});

	it.each([
		["", false],
		[" in a run that refreshes first, also where it is made before the old one is let go", true],
	])("puts back what others had set after a replacement%s, and not our own values", async (_, refresh) => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", python_version: "3.9", workers: 7 });
		});
		const program = (more = {}) => [settings("s", restoring({ pythonVersion: "3.12", workers: 2 }), more)];
		await stack.up(program());
		const { failures } = await stack.up(program({ replace: true, ...(refresh && { deleteFirst: false }) }), {
			refresh,
		});
		expect(failures).toEqual([]);
		expect(on(world).settings).toMatchObject({ pythonVersion: "3.12", workers: 2 });
		await stack.destroy();
		expect(on(world).settings).toMatchObject({ pythonVersion: "3.9", workers: 7 });
	});

	it("says that the memory goes where a forced replacement is made before the old one is let go", async () => {
		const { stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", python_version: "3.9" });
		});
		const program = (more = {}) => [settings("s", restoring({ pythonVersion: "3.12" }), more)];
		await stack.up(program());
		const { failures, notices } = await stack.up(program({ replace: true, deleteFirst: false }));
		expect(failures).toEqual([]);
		expect(notices.join("\n")).toMatch(/The values from before Pulumi managed them are lost/);
	});

	it("says that the memory goes with the old resource where a resource is renamed without an alias", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", python_version: "3.9" });
		});
		await stack.up([settings("old", restoring({ pythonVersion: "3.12" }))]);
		const { failures, notices } = await stack.up([settings("new", restoring({ pythonVersion: "3.12" }))]);
		expect(failures).toEqual([]);
		expect(on(world).settings.pythonVersion).toBe("3.12");
		expect(notices.join("\n")).toMatch(
			/The settings of pipeline "p1" stay as they are: resource "new" .*The values from before Pulumi managed them are lost .*alias/,
		);
	});

	it("says at preview that a renamed resource does not get the previous values, and how it does", async () => {
		const { stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", python_version: "3.9" });
		});
		const named = (name: string, more = {}) => [
			settings(name, restoring({ pythonVersion: "3.12", workers: 2, ...more })),
		];
		await stack.up(named("old"));
		expect((await stack.preview(named("new"))).notices).toContain(
			'"new": a destroy will put back the values that pipeline "p1" has now (pythonVersion, workers). If a resource of this stack ' +
				'that you renamed set them, give the new one an alias, or run "pulumi up --refresh": otherwise the values from before that resource are ' +
				"lost.",
		);
		const told = async (program: readonly Declared[]) => (await stack.preview(program)).notices.join("\n");
		expect(await told(named("new", { onDestroy: "keep" }))).not.toMatch(/ lost/);
		expect(await told(named("old", { workers: 3 }))).not.toMatch(/ lost/);
		expect(await told([settings("other", restoring({ pipelineName: "p2", workers: 2 }))])).not.toMatch(
			/ lost/,
		);
	});

	it("hands the memory on to a renamed resource in a run that refreshes first", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", workers: 7 });
		});
		const named = (name: string) => [settings(name, restoring({ workers: 2 }))];
		await stack.up(named("old"));
		expect((await stack.up(named("new"), { refresh: true })).failures).toEqual([]);
		await stack.up([]);
		expect(on(world).settings.workers).toBe(7);
	});

	it("keeps a variable that somebody added between storage and environment", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setVariable("p1", "FIRST", "1");
		});
		await stack.up([settings("s", restoring(S3))]);
		world.colleague.setVariable("p1", "BETWEEN", "2");
		expect((await stack.up([settings("s", restoring({ ...S3, environment: { A: "1" } }))])).failures).toEqual(
			[],
		);
		await stack.destroy();
		expect(variables(world)).toEqual({ FIRST: "1", BETWEEN: "2" });
	});

	it.each([
		["restore", false],
		["restore", true],
		["reset", false],
		["reset", true],
	])("%s keeps a variable that somebody added later (after a refresh: %s)", async (onDestroy, refresh) => {
		const { world, stack } = await stackWith();
		await stack.up([settings("s", { ...restoring({ environment: { A: "1" } }), onDestroy })]);
		world.colleague.setVariable("p1", "LATER", "2");
		if (refresh) await stack.refresh();
		await stack.destroy();
		expect(variables(world)).toEqual({ LATER: "2" });
	});

	it.each([
		["the pause is refused", { kind: "status", status: 403, endpoint: "pausePipeline" }],
		[
			"the service cannot be read after the write",
			{ kind: "status", status: 404, endpoint: "pipelineStatus", skip: 1 },
		],
	] as const)("remembers what was there where %s", async (_, fault) => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", workers: 7 });
		});
		const program = [settings("s", restoring({ workers: 2, paused: true }))];
		const mend = world.fault(fault);
		expect((await stack.up(program)).failures).toHaveLength(1);
		expect(on(world).settings.workers).toBe(2);
		mend();
		expect((await stack.up(program)).failures).toEqual([]);
		await stack.destroy();
		expect(on(world)).toMatchObject({ settings: { workers: 7 } });
	});

	it("refuses at preview to take over what could never be put back, and writes nothing", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setVariable("p1", "KEY", "line one\nline two");
		});
		const program = [settings("s", restoring({ environment: { A: "1" } }))];
		const refusal =
			/^s: onDestroy "restore" could not put back .*"KEY" has a line break \(U\+000A\).*onDestroy "keep"/;
		for (const { failures } of [await stack.preview(program), await stack.up(program)]) {
			expect(failures).toEqual([expect.stringMatching(refusal)]);
			expect(failures.join("")).not.toContain("line one");
		}
		expect(world.writes()).toEqual([]);
	});

	it("does not refuse a later change because of a variable that it will never have to put back", async () => {
		const { world, stack } = await stackWith();
		const program = (workers: number) => [settings("s", restoring({ environment: { A: "1" }, workers }))];
		await stack.up(program(1));
		world.colleague.setVariable("p1", "PEM", "line one\nline two");
		expect((await stack.preview(program(2))).failures).toEqual([]);
		expect((await stack.up(program(2))).failures).toEqual([]);
		expect(on(world).settings).toMatchObject({ workers: 2, environment: { A: "1" } });
	});

	it("lets a destroy end where a value in an old state cannot be sent back, and says what stays", async () => {
		const { world, stack } = await stackWith();
		await stack.up([settings("s", restoring({ environment: { A: "1" }, pythonVersion: "3.12" }))]);
		const entry = stack.entry("s");
		// The form and the content that version 0.1.0 stored.
		const previous = JSON.stringify({ pythonVersion: "3.9", environment: { KEY: "one\ntwo" } });
		stack.entries.set("s", { ...entry, outs: { ...entry.outs, previous } });
		const { failures, notices } = await stack.destroy();
		expect(failures).toEqual([]);
		expect(stack.entries.size).toBe(0);
		expect(notices.join("\n")).toMatch(
			/The environment of pipeline "p1" stays as it is: .*"KEY" has a line break/,
		);
		expect(on(world).settings).toMatchObject({ pythonVersion: "3.9", environment: { A: "1" } });
	});
});

describe("a previous value that no request can carry", () => {
	const restoring = (inputs: object, name = "s") =>
		settings(name, { pipelineName: "p1", onDestroy: "restore", adopt: true, ...inputs });
	/** A state that holds the value already, as version 0.2.0 has it. */
	const holding = async (inputs: object) => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", workers: 7, priority: 7 });
		});
		const keeping = { ...inputs, onDestroy: "keep" };
		expect((await stack.up([restoring(keeping)])).failures).toEqual([]);
		const entry = stack.entry("s");
		const restore = { onDestroy: "restore" };
		stack.entries.set("s", {
			...entry,
			inputs: { ...entry.inputs, ...restore },
			outs: { ...entry.outs, ...restore },
		});
		return { world, stack };
	};
	const LEFT = expect.stringMatching(
		/^The priority of pipeline "p1" stays as it is: its previous value 7 cannot be sent \(.*\)\. /,
	);

	it.each([
		["a priority", { priority: 7 }, { priority: 1 }, /: priority 7 \(/],
		["a number of workers", { workers: -1 }, { workers: 1 }, /: workers -1 \(/],
	])("is refused at preview, with the key and what to do: %s", async (_, theirs, ours, reason) => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", ...theirs });
		});
		for (const { failures } of [await stack.preview([restoring(ours)]), await stack.up([restoring(ours)])]) {
			expect(failures).toEqual([
				expect.stringMatching(/^s: onDestroy "restore" could not put back .* or use onDestroy "keep"\.$/),
			]);
			expect(failures[0]).toMatch(reason);
		}
		expect(world.writes()).toEqual([]);
		expect((await stack.up([restoring({ ...ours, onDestroy: "keep" })])).failures).toEqual([]);
	});

	it("is refused if the key comes to settings under management", async () => {
		const { stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", priority: 7 });
		});
		expect((await stack.up([restoring({ workers: 2 })])).failures).toEqual([]);
		const both = [restoring({ workers: 2, priority: 1 })];
		for (const { failures } of [await stack.preview(both), await stack.up(both)])
			expect(failures).toEqual([expect.stringMatching(/could not put back .*priority 7/)]);
	});

	it("is refused at preview if onDestroy becomes restore only now", async () => {
		const { stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", priority: 7 });
		});
		await stack.up([restoring({ priority: 1, onDestroy: "keep" })]);
		for (const { failures } of [
			await stack.preview([restoring({ priority: 1 })]),
			await stack.up([restoring({ priority: 1 })]),
		])
			expect(failures).toEqual([expect.stringMatching(/could not put back .*priority 7/)]);
		expect((await stack.up([restoring({ priority: 1, onDestroy: "reset" })])).failures).toEqual([]);
	});

	it("does not keep a destroy from ending: the other keys are put back, and the one that stays is named", async () => {
		const { world, stack } = await holding({ workers: 2, priority: 1 });
		expect(await stack.destroy()).toMatchObject({ failures: [], notices: [LEFT] });
		expect(stack.entries.size).toBe(0);
		expect(on(world).settings).toMatchObject({ workers: 7, priority: 1 });
	});

	it("does not keep a replacement from ending, by another pipeline or by --replace", async () => {
		const { world, stack } = await holding({ workers: 2, priority: 1 });
		const program = [restoring({ workers: 2, priority: 1, pipelineName: "p2" })];
		expect((await stack.preview(program)).failures).toEqual([]);
		expect(await stack.up(program)).toMatchObject({ failures: [], notices: expect.arrayContaining([LEFT]) });
		expect(on(world).settings).toMatchObject({ workers: 7, priority: 1 });
		const again = await holding({ workers: 2, priority: 1 });
		const replaced = [{ ...restoring({ workers: 2, priority: 1 }), replace: true }];
		expect((await again.stack.up(replaced)).failures).toEqual([]);
		expect((await again.stack.destroy()).failures).toEqual([]);
	});

	it("does not refuse an update of another key", async () => {
		const { world, stack } = await holding({ workers: 2, priority: 1 });
		const program = [restoring({ workers: 3, priority: 1 })];
		expect((await stack.preview(program)).failures).toEqual([]);
		expect((await stack.up(program)).failures).toEqual([]);
		expect(on(world).settings.workers).toBe(3);
	});
});

describe("settings that are let go", () => {
	const AGAIN = "Run the command again; if that does not help, compare the settings in the web UI.";
	const all = {
		pipelineName: "p1",
		pythonVersion: "3.12",
		requirements: ["a"],
		repository: "https://example.com/ours.git",
		workers: 2,
		priority: 1,
		environment: { A: "1" },
		files: [],
		credentialsNames: ["aws"],
		paused: true,
		adopt: true,
	};
	const before = {
		python_version: "3.9",
		requirements: "b",
		repository: "https://example.com/theirs.git",
		workers: 7,
		priority: 3,
		environment: "B=1",
	};

	it("with keep stay as they are, unread, and nothing is said", async () => {
		const { world, stack } = await stackWith();
		await stack.up([settings("s", { ...all, onDestroy: "keep" })]);
		const kept = on(world);
		world.server.requests.clear();
		expect(await stack.destroy()).toMatchObject({ failures: [], notices: [] });
		expect(on(world)).toEqual(kept);
		expect(world.server.requests.entries).toEqual([]);
	});

	it("with reset go to what nobody set, and the pause stays", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", ...before });
		});
		expect((await stack.up([settings("s", { ...all, onDestroy: "reset" })])).failures).toEqual([]);
		expect(await stack.destroy()).toMatchObject({ failures: [], notices: [] });
		expect(on(world)).toMatchObject({
			paused: true,
			settings: {
				pythonVersion: "",
				requirements: "",
				repository: "",
				workers: 1,
				priority: 5,
				environment: {},
				credentialsNames: [],
			},
		});
	});

	it.each([
		[
			"what others had set",
			before,
			{ pythonVersion: "3.9", requirements: "b", workers: 7, priority: 3, environment: { B: "1" } },
		],
		["nothing", {}, { pythonVersion: "", requirements: "", workers: 1, priority: 5, environment: {} }],
	])("with restore go back to %s, the pause too, and what cannot is told", async (_, theirs, back) => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setSettings({ pipeline_name: "p1", ...theirs });
		});
		expect((await stack.up([settings("s", { ...all, onDestroy: "restore" })])).failures).toEqual([]);
		expect(on(world).paused).toBe(true);
		expect(await stack.destroy()).toMatchObject({
			failures: [],
			notices: [
				'The files and credentialsNames of pipeline "p1" stay as they are: the service does not show what was there before.',
			],
		});
		expect(on(world)).toMatchObject({ paused: false, settings: { ...back, credentialsNames: ["aws"] } });
	});

	it("with restore leave alone what the memory of the state does not have", async () => {
		const { world, stack } = await stackWith();
		await stack.up([settings("s", { pipelineName: "p1", workers: 2, priority: 1, onDestroy: "restore" })]);
		const entry = stack.entry("s");
		const previous = JSON.stringify({ priority: 3 });
		stack.entries.set("s", { ...entry, outs: { ...entry.outs, previous } });
		expect((await stack.destroy()).failures).toEqual([]);
		expect(on(world).settings).toMatchObject({ workers: 2, priority: 3 });
	});

	it.each([
		["restore", { FSSPEC_S3: '{"anon":true}', THEIRS: "1" }],
		["reset", { THEIRS: "1" }],
	])(
		"with %s leave of a storage's variable what that means, and those of others",
		async (onDestroy, left) => {
			const { world, stack } = await stackWith(({ colleague }) => {
				colleague.setVariable("p1", "FSSPEC_S3", '{"anon":true}');
				colleague.setVariable("p1", "THEIRS", "1");
			});
			expect(
				(await stack.up([settings("s", { pipelineName: "p1", onDestroy, adopt: true, ...S3 })])).failures,
			).toEqual([]);
			expect((await stack.destroy()).failures).toEqual([]);
			expect(variables(world)).toEqual(left);
		},
	);

	it("with restore take of an old state's snapshot of all variables only the storage's own", async () => {
		const { world, stack } = await stackWith();
		await stack.up([settings("s", { pipelineName: "p1", onDestroy: "restore", ...S3 })]);
		world.colleague.setVariable("p1", "THEIRS", "new");
		const entry = stack.entry("s");
		const previous = JSON.stringify({ environment: { THEIRS: "old", FSSPEC_S3: "{}" } });
		stack.entries.set("s", { ...entry, outs: { ...entry.outs, previous } });
		expect((await stack.destroy()).failures).toEqual([]);
		expect(variables(world)).toEqual({ THEIRS: "new", FSSPEC_S3: "{}" });
	});

	it("leave an environment alone that they never declared, whatever it holds", async () => {
		const { world, stack } = await stackWith();
		await stack.up([settings("s", { pipelineName: "p1", workers: 2, onDestroy: "reset" })]);
		world.colleague.setVariable("p1", "PEM", "line one\nline two");
		expect(await stack.destroy()).toMatchObject({ failures: [], notices: [] });
		expect(variables(world)).toEqual({ PEM: "line one\nline two" });
	});

	it("with restore leave the pause to another resource that declares it", async () => {
		const { world, stack } = await stackWith();
		const nightly = schedule("n", { scheduleName: "n", pipelineName: "p1", paused: true });
		await stack.up([settings("s", { pipelineName: "p1", paused: true, onDestroy: "restore" }), nightly]);
		expect((await stack.up([nightly])).failures).toEqual([]);
		expect(on(world).paused).toBe(true);
	});

	it.each([
		["workers", { workers: 2 }, { set: { workers: 9 } }],
		["a pause", { paused: true }, { set: { status: "PAUSED" } }],
		["a variable", { environment: { A: "1" } }, { set: { "environment_variables.A": "1" } }],
		[
			"another value of a variable",
			{ environment: { THEIRS: "1" } },
			{ set: { "environment_variables.THEIRS": "1" } },
		],
		["one variable less", { environment: { A: "1" } }, { remove: ["environment_variables.THEIRS"] }],
	])("are still in the state where the service goes on to show others: %s", async (_, inputs, change) => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setVariable("p1", "THEIRS", "0");
		});
		const restoring = { pipelineName: "p1", onDestroy: "restore", adopt: true, ...inputs };
		expect((await stack.up([settings("s", restoring)])).failures).toEqual([]);
		const heal = world.fault({ kind: "rewrite", endpoint: "pipelineStatus", skip: 1, ...change });
		expect((await stack.destroy()).failures).toEqual([
			`s: The service accepted to restore the settings of pipeline "p1" in team "ml", but still shows others. ${AGAIN}`,
		]);
		expect(stack.ids()).toEqual({ s: "ml/p1" });
		heal();
		expect((await stack.destroy()).failures).toEqual([]);
	});
});

describe("storage that is taken out of the program", () => {
	const base = { pipelineName: "p1", workers: 2 };

	it("takes its variable and credentials off the service, and leaves the others", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setVariable("p1", "THEIRS", "1");
		});
		await stack.up([settings("s", { ...base, ...S3 })]);
		expect(Object.keys(variables(world)).sort()).toEqual(["FSSPEC_S3", "THEIRS"]);
		expect((await stack.preview([settings("s", base)])).notices.join("\n")).toContain("FSSPEC_S3");
		expect((await stack.up([settings("s", base)])).failures).toEqual([]);
		expect(variables(world)).toEqual({ THEIRS: "1" });
	});

	it("removes its variable if no request can carry the previous value, and says so", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setVariable("p1", "FSSPEC_S3", "one\ntwo");
		});
		await stack.up([settings("s", { ...base, ...S3, adopt: true })]);
		expect(await stack.up([settings("s", base)])).toMatchObject({
			failures: [],
			notices: expect.arrayContaining([
				'FSSPEC_S3 of pipeline "p1" is removed, and its previous value is not put back: the value of "FSSPEC_S3" has a line break ' +
					"(U+000A), and the service takes one line per variable.",
			]),
		});
		expect(variables(world)).toEqual({});
	});

	it("puts back what the variable was before", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setVariable("p1", "FSSPEC_S3", '{"anon":true}');
		});
		await stack.up([settings("s", { ...base, ...S3, adopt: true })]);
		await stack.up([settings("s", base)]);
		expect(variables(world)).toEqual({ FSSPEC_S3: '{"anon":true}' });
	});
});

describe("variables of others beside a storage of ours", () => {
	const storageOnly = [settings("s", { pipelineName: "p1", onDestroy: "reset", ...S3 })];

	it.each([
		["my-var", "x"],
		["WITH_SPACE", "  x = y  "],
		["1ST", ""],
	])("travel back byte for byte: %s", async (name, value) => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setVariable("p1", name, value);
		});
		expect((await stack.up(storageOnly)).failures).toEqual([]);
		expect(variables(world)[name]).toBe(value);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(variables(world)).toEqual({ [name]: value });
	});

	it("that no request can carry are refused at preview, without their value", async () => {
		const { world, stack } = await stackWith(({ colleague }) => {
			colleague.setVariable("p1", "PEM", "line one\nline two");
		});
		for (const { failures } of [await stack.preview(storageOnly), await stack.up(storageOnly)]) {
			expect(failures).toEqual([
				expect.stringMatching(/^s: Pipeline "p1" has variables .*"PEM" has a line break/),
			]);
			expect(failures.join("")).not.toContain("line one");
		}
		expect(world.writes()).toEqual([]);
	});

	it("that no request can carry do not keep a destroy from ending", async () => {
		const { world, stack } = await stackWith();
		await stack.up(storageOnly);
		world.colleague.setVariable("p1", "PEM", "line one\nline two");
		const { failures, notices } = await stack.destroy();
		expect(failures).toEqual([]);
		expect(notices).toEqual([
			'The environment of pipeline "p1" stays as it is: the value of "PEM" has a line break (U+000A), and the service takes one ' +
				"line per variable. Remove what is no longer wanted in the web UI.",
		]);
		expect(variables(world).PEM).toBe("line one\nline two");
	});
});
