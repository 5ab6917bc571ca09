import { describe, expect, it } from "vitest";
import {
	freshStack,
	pipelineThere as on,
	stack,
	theySet,
	tuned,
	world,
} from "../helpers/provider-scene";

const S3 = { storage: { s3: { key: "k", secret: "s" } } };
const PASSWORD = "https://ada:hunter2@example.com/theirs.git";
const variables = () => on().settings.environment;
const variable = (name: string, value: string) =>
	world.colleague.setVariable("p1", name, value);
const base = { workers: 2 };

freshStack();

describe("onDestroy: restore, which there was until version 0.4.0", () => {
	const restore = { onDestroy: "restore" };

	it("is refused at preview, and the two others are named", async () => {
		for (const { failures } of [
			await stack.preview([tuned({ ...base, ...restore })]),
			await stack.up([tuned({ ...base, ...restore })]),
		])
			expect(failures).toEqual([
				's: onDestroy: "restore" is no longer supported. Use "keep", which leaves the declared settings as they are, or "reset", ' +
					"which removes them.",
			]);
		expect(world.writes()).toEqual([]);
	});

	it("in the state changes nothing when the resource is deleted, and says what to do", async () => {
		await stack.up([tuned(base)]);
		stack.alter("s", restore, restore);
		world.writes();
		expect((await stack.destroy()).failures).toEqual([
			's: The settings of pipeline "p1" in team "ml" were deployed with onDestroy "restore", which is no longer supported. Nothing was ' +
				'changed. Set onDestroy to "keep" or "reset" and run "pulumi up", then delete the resource.',
		]);
		expect(world.writes()).toEqual([]);
		expect((await stack.up([tuned({ ...base, onDestroy: "reset" })])).failures).toEqual(
			[],
		);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(on().settings.workers).toBe(1);
	});
});

describe("settings whose resource is deleted", () => {
	const AGAIN =
		"Run the command again; if that does not help, compare the settings in the web UI.";
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

	it("with keep stay as they are, unread, and the variables that stay are named", async () => {
		await stack.up([tuned({ ...all, onDestroy: "keep" })]);
		const kept = on();
		world.server.requests.clear();
		expect(await stack.destroy()).toMatchObject({
			failures: [],
			notices: [
				'Pipeline "p1" keeps the variables A, because onDestroy is "keep". To remove them, set onDestroy to "reset" and deploy before you ' +
					"destroy, or remove them in the web UI.",
			],
		});
		expect(on()).toEqual(kept);
		expect(world.server.requests.entries).toEqual([]);
	});

	const unset = {
		pythonVersion: "",
		requirements: "",
		repository: "",
		workers: 1,
		priority: 5,
	};
	it("with reset go back to what nobody set, and the pause and the variables of others stay", async () => {
		theySet(before);
		const { failures, notices } = await stack.up([
			tuned({ ...all, onDestroy: "reset" }),
		]);
		expect(failures).toEqual([]);
		expect(notices.join()).not.toContain("hunter2");
		expect(on().paused).toBe(true);
		expect(await stack.destroy()).toMatchObject({ failures: [], notices: [] });
		expect(on()).toMatchObject({
			paused: true,
			settings: { ...unset, credentialsNames: [] },
		});
		expect(variables()).toEqual({ B: "1" });
	});

	it("with reset lose a storage's variable, and no other", async () => {
		variable("FSSPEC_S3", '{"anon":true}');
		variable("THEIRS", "1");
		expect(
			(await stack.up([tuned({ onDestroy: "reset", adopt: true, ...S3 })])).failures,
		).toEqual([]);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(variables()).toEqual({ THEIRS: "1" });
	});

	it.each([
		[
			"workers",
			{ workers: 2 },
			{ set: { workers: 9 } },
			"workers, which is no longer declared, is still set",
		],
		[
			"a variable",
			{ environment: { A: "1" } },
			{ set: { "environment_variables.A": "1" } },
			"the variable A, which is no longer declared, is still set",
		],
		[
			"one variable less",
			{ environment: { A: "1" } },
			{ remove: ["environment_variables.THEIRS"] },
			"the variable THEIRS of other users was changed or removed",
		],
	])(
		"are still in the state where the service goes on to show others: %s",
		async (_, inputs, change, what) => {
			variable("THEIRS", "0");
			expect(
				(await stack.up([tuned({ onDestroy: "reset", ...inputs })])).failures,
			).toEqual([]);
			const heal = world.fault({
				kind: "rewrite",
				endpoint: "pipelineStatus",
				skip: 1,
				...change,
			});
			expect((await stack.destroy()).failures).toEqual(
				[
					'The service accepted the request to reset the settings of pipeline "p1" in team "ml", but still returns the old ones: ',
				].map((text) => `s: ${text}${what}. ${AGAIN}`),
			);
			expect(stack.ids()).toEqual({ s: "ml/p1" });
			heal();
			expect((await stack.destroy()).failures).toEqual([]);
		},
	);
});

it("storage that is removed from the program takes its variable and credentials off the service, and leaves the others", async () => {
	variable("THEIRS", "1");
	variable("FSSPEC_S3", '{"anon":true}');
	await stack.up([tuned({ ...base, ...S3, adopt: true })]);
	expect(variables()).toEqual({ THEIRS: "1", FSSPEC_S3: '{"key":"k","secret":"s"}' });
	expect((await stack.up([tuned(base)])).failures).toEqual([]);
	expect(variables()).toEqual({ THEIRS: "1" });
});

it("storage that is removed takes its variable off the service, also where a refresh found a value of others in it", async () => {
	await stack.up([tuned({ ...base, ...S3 })]);
	variable("FSSPEC_S3", '{"key":"k","secret":"s","added_here":"x"}');
	await stack.refresh();
	expect((await stack.up([tuned({ ...base, ...S3 })])).failures).toEqual([]);
	expect(variables()).toEqual({ FSSPEC_S3: '{"key":"k","secret":"s"}' });
	variable("FSSPEC_S3", '{"key":"k","secret":"s","added_here":"x"}');
	await stack.refresh();
	expect((await stack.up([tuned(base)])).failures).toEqual([]);
	expect(variables()).toEqual({});
});

it("storage that is removed and whose variable the service still shows is not called done, and is removed again", async () => {
	await stack.up([tuned({ workers: 2, ...S3 })]);
	const set = { "environment_variables.FSSPEC_S3": "{}" };
	const heal = world.fault({
		kind: "rewrite",
		endpoint: "pipelineStatus",
		set,
		skip: 1,
	});
	expect((await stack.up([tuned({ workers: 2 })])).failures).toEqual([
		expect.stringContaining(
			"returns other values: the variable FSSPEC_S3, which is no longer declared, is still set. Run",
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
		for (const { failures } of [
			await stack.preview(storageOnly),
			await stack.up(storageOnly),
		]) {
			expect(failures).toEqual([
				expect.stringMatching(
					/^s: Pipeline "p1" has variables .*"PEM" has a line break/,
				),
			]);
			expect(failures.join("")).not.toContain("line one");
		}
		expect(world.writes()).toEqual([]);
	});

	it("that no request can carry are kept by a destroy, which says how it ends, and ends so", async () => {
		await stack.up(storageOnly);
		variable("PEM", "line one\nline two");
		const { failures } = await stack.destroy();
		expect(failures).toEqual([
			's: Pipeline "p1" has variables of other users that a request cannot send back unchanged: the value of "PEM" has a line break ' +
				"(U+000A), and the service takes one line per variable. Nothing was changed. Change them on the service first, or declare them " +
				'in environment with adopt set to true. Or set onDestroy to "keep" and deploy that first.',
		]);
		expect((await stack.up([tuned({ onDestroy: "keep", ...S3 })])).failures).toEqual(
			[],
		);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(variables().PEM).toBe("line one\nline two");
	});
});
