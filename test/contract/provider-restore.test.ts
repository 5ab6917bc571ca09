import { describe, expect, it } from "vitest";
import type { Program, Resource } from "../../bench/faults/rows/model/stack";
import type { Props } from "../../src/provider/handler";
import { freshStack, pipelineThere as on, stack, theySet, tuned, world } from "../helpers/provider-scene";

const S3 = { storage: { s3: { key: "k", secret: "s" } } };
const PASSWORD = "https://ada:hunter2@example.com/theirs.git";
const variables = () => on().settings.environment;
const variable = (name: string, value: string) => world.colleague.setVariable("p1", name, value);
const restoring = (inputs: Props, name = "s", more: Partial<Resource> = {}) => ({
	...tuned({ onDestroy: "restore", adopt: true, ...inputs }, name),
	...more,
});

freshStack();

describe("onDestroy: restore", () => {
	it.each<[string, boolean, Resource["replace"]]>([
		["", false, true],
		[" for the engine's own reasons", false, "against the diff"],
		[" in a run that refreshes first, also where it is created before the old one is deleted", true, true],
	])(
		"asks for no consent to a replacement%s, and puts back what others had set, not our own values",
		async (_, refresh, replace) => {
			theySet({ python_version: "3.9", workers: 7 });
			const program = (inputs: Props, more = {}) => [
				restoring({ pythonVersion: "3.12", ...inputs }, "s", more),
			];
			await stack.up(program({ workers: 2 }));
			const changed = { workers: 3, adopt: undefined };
			const again = program(changed, { replace, ...(refresh && { deleteBeforeReplace: false }) });
			const { failures, notices } = await stack.up(again, { refresh });
			expect(failures).toEqual([]);
			expect(notices.join("\n")).not.toContain("stay as they are");
			expect(on().settings).toMatchObject({ pythonVersion: "3.12", workers: 3 });
			await stack.destroy();
			expect(on().settings).toMatchObject({ pythonVersion: "3.9", workers: 7 });
		},
	);

	it("says at preview that a renamed resource does not get the previous values, and how it does", async () => {
		theySet({ python_version: "3.9" });
		const named = (name: string, more = {}) => [
			restoring({ pythonVersion: "3.12", workers: 2, ...more }, name),
		];
		await stack.up(named("old"));
		expect((await stack.preview(named("new"))).notices).toContain(
			'"new": a destroy will put back the values that pipeline "p1" has now (pythonVersion, workers). If a resource of this stack ' +
				'that you renamed set them, give the new one an alias, or run "pulumi up --refresh": otherwise the values from before that resource are ' +
				"lost.",
		);
		const told = async (program: Program) => (await stack.preview(program)).notices.join("\n");
		expect(await told(named("new", { onDestroy: "keep" }))).not.toMatch(/ lost/);
		expect(await told(named("old", { workers: 3 }))).not.toMatch(/ lost/);
		expect(await told([restoring({ pipelineName: "p2", workers: 2 }, "other")])).not.toMatch(/ lost/);
		expect((await stack.up(named("new"))).notices.join("\n")).not.toContain("a destroy will put back");
	});

	it("keeps the previous values where the pause is refused", async () => {
		theySet({ workers: 7 });
		const program = [restoring({ workers: 2, paused: true })];
		const mend = world.fault({ kind: "status", status: 403, endpoint: "pausePipeline" });
		expect((await stack.up(program)).failures).toEqual([
			expect.stringMatching(
				/needed read or write access to the JOB scope\. Then run "pulumi up", which sends it again\.$/,
			),
		]);
		expect(on().settings.workers).toBe(2);
		mend();
		expect((await stack.up(program)).failures).toEqual([]);
		await stack.destroy();
		expect(on()).toMatchObject({ settings: { workers: 7 } });
	});
});

describe("a previous value that no request can carry", () => {
	/** A state that holds the value already, as version 0.2.0 has it. */
	const holding = async (inputs: object) => {
		theySet({ workers: 7, priority: 7 });
		expect((await stack.up([restoring({ ...inputs, onDestroy: "keep" })])).failures).toEqual([]);
		const restore = { onDestroy: "restore" };
		stack.alter("s", restore, restore);
	};
	const LEFT = expect.stringMatching(
		/^The priority of pipeline "p1" stays as it is: its previous value 7 cannot be sent \(.*\)\. Set it in the web UI if it is still wanted\.$/,
	);

	it("is refused at preview, with the key and what to do", async () => {
		theySet({ priority: 7 });
		variable("FSSPEC_S3", "one\ntwo");
		const ours = { priority: 1, ...S3 };
		for (const { failures } of [await stack.preview([restoring(ours)]), await stack.up([restoring(ours)])])
			expect(failures).toEqual([
				expect.stringMatching(
					/^s: onDestroy "restore" could not put back .*: priority 7 \(.*"FSSPEC_S3" has a line break .* or use onDestroy "keep"\.$/,
				),
			]);
		expect(world.writes()).toEqual([]);
		expect((await stack.up([restoring({ ...ours, onDestroy: "keep" })])).failures).toEqual([]);
	});

	it.each([
		["the key comes to settings under management", { workers: 2 }, { workers: 2, priority: 1 }],
		["onDestroy becomes restore only now", { priority: 1, onDestroy: "keep" }, { priority: 1 }],
	])("is refused at preview if %s", async (_, first, second) => {
		theySet({ priority: 7 });
		expect((await stack.up([restoring(first)])).failures).toEqual([]);
		for (const run of [await stack.preview([restoring(second)]), await stack.up([restoring(second)])])
			expect(run.failures).toEqual([expect.stringMatching(/could not put back .*priority 7/)]);
		expect((await stack.up([restoring({ ...second, onDestroy: "reset" })])).failures).toEqual([]);
		const { failures, notices } = await stack.up([restoring({ ...second, pipelineName: "p2" })]);
		expect([failures, notices.join()]).toEqual([[], expect.not.stringContaining("stays as it is")]);
	});

	it("is named without it where it is a secret, or was one", async () => {
		const secret = { __secret: ["priority"] };
		theySet({ priority: 7 });
		const refused = (await stack.preview([restoring({ priority: 1, ...secret })])).failures;
		expect(refused).toEqual([
			expect.stringMatching(/could not put back what is there now: priority \(.*\)\. Change/),
		]);
		await holding({ priority: 1, ...secret });
		expect((await stack.destroy()).notices).toEqual([
			expect.stringMatching(
				/^The priority of pipeline "p1" stays as it is: its previous value cannot be sent \(.*\)\. /,
			),
		]);
	});

	it("does not keep a destroy from ending: the other keys are put back, and the one that stays is named", async () => {
		await holding({ workers: 2, priority: 1 });
		expect((await stack.up([restoring({ workers: 3, priority: 1 })])).failures).toEqual([]);
		expect(await stack.destroy()).toMatchObject({ failures: [], notices: [LEFT] });
		expect(stack.entries).toEqual([]);
		expect(on().settings).toMatchObject({ workers: 7, priority: 1 });
	});
});

describe("settings whose resource is deleted", () => {
	const AGAIN = "Run the command again; if that does not help, compare the settings in the web UI.";
	const all = {
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
		repository: PASSWORD,
		workers: 7,
		priority: 3,
		environment: "B=1",
	};

	it("with keep stay as they are, unread, and nothing is said", async () => {
		await stack.up([tuned({ ...all, onDestroy: "keep" })]);
		const kept = on();
		world.server.requests.clear();
		expect(await stack.destroy()).toMatchObject({ failures: [], notices: [] });
		expect(on()).toEqual(kept);
		expect(world.server.requests.entries).toEqual([]);
	});

	const nobodys = {
		pythonVersion: "",
		requirements: "",
		repository: "",
		workers: 1,
		priority: 5,
		environment: {},
	};
	it.each([
		["reset", "what nobody set, and the pause stays"],
		["restore", "what others had set, the pause too, and a notice names what cannot"],
	])("with %s go back to %s", async (onDestroy) => {
		theySet(before);
		const theirs = on().settings;
		const { failures, notices } = await stack.up([tuned({ ...all, onDestroy })]);
		expect(failures).toEqual([]);
		expect(notices.join()).not.toContain("hunter2");
		expect(on().paused).toBe(true);
		const isReset = onDestroy === "reset";
		const left =
			'The files and credentialsNames of pipeline "p1" stay as they are: the service does not show what was there before.';
		expect(await stack.destroy()).toMatchObject({ failures: [], notices: isReset ? [] : [left] });
		const settings = isReset
			? { ...nobodys, credentialsNames: [] }
			: { ...theirs, credentialsNames: ["aws"] };
		expect(on()).toMatchObject({ paused: isReset, settings });
	});

	it.each([
		["restore", { FSSPEC_S3: '{"anon":true}', THEIRS: "1" }],
		["reset", { THEIRS: "1" }],
	])(
		"with %s leave of a storage's variable what that means, and those of others",
		async (onDestroy, left) => {
			variable("FSSPEC_S3", '{"anon":true}');
			variable("THEIRS", "1");
			expect((await stack.up([tuned({ onDestroy, adopt: true, ...S3 })])).failures).toEqual([]);
			expect((await stack.destroy()).failures).toEqual([]);
			expect(variables()).toEqual(left);
		},
	);

	it.each([
		["workers", { workers: 2 }, { set: { workers: 9 } }],
		["a pause", { paused: true }, { set: { status: "PAUSED" } }],
		["a variable", { environment: { A: "1" } }, { set: { "environment_variables.A": "1" } }],
		["one variable less", { environment: { A: "1" } }, { remove: ["environment_variables.THEIRS"] }],
	])("are still in the state where the service goes on to show others: %s", async (_, inputs, change) => {
		variable("THEIRS", "0");
		expect((await stack.up([restoring(inputs)])).failures).toEqual([]);
		const heal = world.fault({ kind: "rewrite", endpoint: "pipelineStatus", skip: 1, ...change });
		expect((await stack.destroy()).failures).toEqual([
			`s: The service accepted to restore the settings of pipeline "p1" in team "ml", but still shows others. ${AGAIN}`,
		]);
		expect(stack.ids()).toEqual({ s: "ml/p1" });
		heal();
		expect((await stack.destroy()).failures).toEqual([]);
	});
});

const base = { workers: 2 };

it.each([
	["takes its variable and credentials off the service, and leaves the others", { THEIRS: "1" }],
	["puts back what the variable was before", { THEIRS: "1", FSSPEC_S3: '{"anon":true}' }],
])("storage that is removed from the program %s", async (_, before) => {
	for (const [name, value] of Object.entries(before)) variable(name, value);
	await stack.up([tuned({ ...base, ...S3, adopt: true })]);
	expect(variables()).toEqual({ THEIRS: "1", FSSPEC_S3: '{"key":"k","secret":"s"}' });
	expect((await stack.preview([tuned(base)])).notices).toEqual([
		'"s" will put FSSPEC_S3 on pipeline "p1" back as before: its storage is no longer declared.',
	]);
	expect((await stack.up([tuned(base)])).failures).toEqual([]);
	expect(variables()).toEqual(before);
});

it("storage that is removed and whose variable the service still shows is not called done, and is removed again", async () => {
	await stack.up([tuned({ workers: 2, ...S3 })]);
	const set = { "environment_variables.FSSPEC_S3": "{}" };
	const heal = world.fault({ kind: "rewrite", endpoint: "pipelineStatus", set, skip: 1 });
	expect((await stack.up([tuned({ workers: 2 })])).failures).toEqual([
		expect.stringContaining(
			"shows other values: the variable FSSPEC_S3 of a storage that is no longer declared. Run",
		),
	]);
	heal();
	world.writes();
	expect((await stack.up([tuned({ workers: 2 })])).failures).toEqual([]);
	expect(world.writes()).toEqual(["updateSettings"]);
	expect(variables()).toEqual({});
});

describe("variables of others beside a storage of ours", () => {
	const storageOnly = [tuned({ onDestroy: "reset", ...S3 })];

	it("that no request can carry are refused at preview, without their value", async () => {
		variable("PEM", "line one\nline two");
		for (const { failures } of [await stack.preview(storageOnly), await stack.up(storageOnly)]) {
			expect(failures).toEqual([
				expect.stringMatching(/^s: Pipeline "p1" has variables .*"PEM" has a line break/),
			]);
			expect(failures.join("")).not.toContain("line one");
		}
		expect(world.writes()).toEqual([]);
	});

	it("that no request can carry do not keep a destroy from ending", async () => {
		await stack.up(storageOnly);
		variable("PEM", "line one\nline two");
		const { failures, notices } = await stack.destroy();
		expect(failures).toEqual([]);
		expect(notices).toEqual([
			'The environment of pipeline "p1" stays as it is: the value of "PEM" has a line break (U+000A), and the service takes one ' +
				"line per variable. Remove what is no longer wanted in the web UI.",
		]);
		expect(variables().PEM).toBe("line one\nline two");
	});
});
