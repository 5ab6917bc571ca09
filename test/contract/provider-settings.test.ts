import { describe, expect, it } from "vitest";
import { type Props, UNKNOWN } from "../../src/provider/model/props";
import {
	freshStack,
	pipelineThere,
	tuned as s,
	stack,
	theySet,
	world,
} from "../helpers/provider-scene";
import { urnOf } from "../model/process";

const S3 = { storage: { s3: { key: "k", secret: "s" } } };
const PASSWORD = "https://ada:hunter2@example.com/repo.git";
const KIND = "PipelineSettings";

freshStack();

const who = (name: string) => ({ kind: KIND, name }) as const;

/** `pulumi import`: the engine asks with nothing but the id. */
const imported = async (id: string) => {
	const process = world.process();
	const found = await process.serve(KIND).read(id, { __urn: urnOf(KIND, "s") });
	return { ...found, notices: process.notices };
};

describe("settings that are imported", () => {
	it.each(["ml/p1", "p1"])(
		"by %s bring every value that is set, and none that is a default",
		async (id) => {
			theySet({
				python_version: "3.9",
				workers: 7,
				priority: 5,
				requirements: "a\n\nb",
			});
			world.colleague.pause("p1");
			const { id: known, inputs, props, notices } = await imported(id);
			expect(known).toBe("ml/p1");
			expect(inputs).toEqual({
				pipelineName: "p1",
				pythonVersion: "3.9",
				requirements: ["a", "b"],
				workers: 7,
				teamName: "ml",
				onDestroy: "keep",
				__urn: expect.any(String),
			});
			expect(props).toMatchObject({ ...inputs, adopted: true });
			expect(notices).toEqual([]);
		},
	);

	it("leave out what may be a secret of others, and name it", async () => {
		theySet({
			repository: PASSWORD,
			environment: "TOKEN=secret-of-theirs",
			workers: 7,
		});
		const { inputs, props, notices } = await imported("ml/p1");
		expect(inputs).not.toHaveProperty("repository");
		expect(inputs).not.toHaveProperty("environment");
		expect(JSON.stringify([inputs, props, notices])).not.toMatch(
			/hunter2|secret-of-theirs/,
		);
		expect(notices).toEqual([
			'Pipeline "p1" in team "ml" also has environment, repository: may hold secrets of other users, and was left out. ' +
				"To manage it, declare it and set adopt to true.",
		]);
	});

	it.each<[string, object, string]>([
		[
			"none has a value",
			{ priority: 5 },
			'Pipeline "p1" in team "ml" has no settings to import: none of them has a value. Declare a PipelineSettings resource with ' +
				'the settings that you want, and run "pulumi up".',
		],
		[
			"only what may be a secret has one",
			{ environment: "TOKEN=secret-of-theirs" },
			'Pipeline "p1" in team "ml" has no settings to import: only environment has a value, and it may hold secrets of other ' +
				'users. Declare a PipelineSettings resource with the settings that you want and adopt set to true, and run "pulumi up".',
		],
		[
			"only what may be secrets have one",
			{ repository: PASSWORD, environment: "TOKEN=secret-of-theirs" },
			'Pipeline "p1" in team "ml" has no settings to import: only environment and repository have values, and they may hold ' +
				"secrets of other users. Declare",
		],
	])(
		"are refused if %s, and a lookup finds them all the same",
		async (_, set, reason) => {
			theySet(set);
			// The engine has no state for an import; a lookup in a program comes with its URN.
			await expect(world.process().serve(KIND).read("ml/p1", {})).rejects.toThrow(
				reason,
			);
			expect((await imported("ml/p1")).inputs).toMatchObject({
				pipelineName: "p1",
				teamName: "ml",
			});
		},
	);

	it("are found by their id if the names of team and pipeline have slashes", async () => {
		world.server
			.addTeam("a/b", { pipelines: ["c/d"] })
			.setSettings({ pipeline_name: "c/d", workers: 3 });
		expect(await imported("a/b/c/d")).toMatchObject({
			id: "a/b/c/d",
			inputs: { pipelineName: "c/d", teamName: "a/b", workers: 3 },
		});
	});

	it("are refused if their id can be read in two ways", async () => {
		world.server.addTeam("a", { pipelines: ["b/c"] });
		world.server.addTeam("a/b", { pipelines: ["c"] });
		await expect(imported("a/b/c")).rejects.toThrow(
			'"a/b/c" is the id of several pipelines: "b/c" in team "a", "c" in team "a/b". Set DATACHAIN_STUDIO_TEAM to the team that ' +
				"you mean, and give the name of the pipeline alone.",
		);
		const process = world.process({ env: { DATACHAIN_STUDIO_TEAM: "a/b" } });
		expect(
			await process.serve(KIND).read("c", { __urn: urnOf(KIND, "s") }),
		).toMatchObject({ id: "a/b/c" });
	});
});

describe("settings that others made", () => {
	const list = `already has settings that this program does not manage: `;
	const ways =
		"They were not changed. If a resource of this stack that you renamed or moved manages it, declare its earlier name in aliases. To " +
		"manage them, set adopt to true. Otherwise leave these inputs out. If an interrupted deployment created them, run " +
		'"DATACHAIN_ADOPT_EQUAL=true pulumi up" once. It adopts an equal object, or creates one if there is none.';

	it("are named in the preview of new settings, and refused by the deployment four seconds later", async () => {
		theySet({ python_version: "3.9", workers: 7 });
		const program = [s({ pythonVersion: "3.9", workers: 2 })];
		const what = `ipeline "p1" in team "ml" ${list}pythonVersion (the same value); workers is 7 on the service and 2 in the program`;
		expect((await stack.preview(program)).notices).toEqual([
			`"s": p${what}. Unless a resource of this program has them, the deployment will fail: set adopt to true to manage them, or leave ` +
				"these inputs out.",
		]);
		const before = world.time.now();
		const run = await stack.up(program);
		expect(run).toMatchObject({ notices: [], failures: [`s: P${what}. ${ways}`] });
		expect(world.time.now() - before).toBe(4_000);
		expect((await stack.up(program, { adoptEqual: true })).failures).toEqual(
			run.failures,
		);
		expect(stack.entries).toEqual([]);
	});

	it("are refused at once where a key is added to settings under management", async () => {
		theySet({ workers: 7 });
		await stack.up([s({ priority: 1 })]);
		const before = world.time.now();
		for (const run of [
			await stack.preview([s({ workers: 7 })]),
			await stack.up([s({ workers: 7 })]),
		]) {
			expect(run.failures).toEqual([
				`s: Pipeline "p1" in team "ml" ${list}workers (the same value). ${ways}`,
			]);
		}
		expect(world.time.now()).toBe(before);
	});

	it("are taken by an update of a run that consents to equal ones", async () => {
		theySet({ workers: 7, python_version: "3.9" });
		await stack.up([s({ priority: 1 })]);
		const update = (inputs: Props) =>
			stack.up([s({ priority: 1, workers: 7, ...inputs })], { adoptEqual: true });
		expect((await update({ pythonVersion: "3.12" })).failures).toEqual([
			`s: Pipeline "p1" in team "ml" ${list}pythonVersion is "3.9" on the service and "3.12" in the program; workers (the same value). ${ways}`,
		]);
		expect(await update({})).toMatchObject({
			steps: ["update s"],
			failures: [],
			notices: [],
		});
		expect(pipelineThere().settings).toMatchObject({
			workers: 7,
			pythonVersion: "3.9",
		});
	});

	it("are refused by an update, too, where they were made after the check", async () => {
		await stack.up([s({ priority: 1 })]);
		const process = world.process();
		const declared = { pipelineName: "p1", priority: 1, workers: 2 };
		const inputs = await process.check(who("s"), declared, stack.entry("s"));
		theySet({ workers: 7 });
		world.writes();
		await expect(process.update(stack.entry("s"), inputs)).rejects.toThrow(
			`Pipeline "p1" in team "ml" ${list}workers is 7 on the service and 2 in the program. ${ways}`,
		);
		expect(world.writes()).toEqual([]);
	});

	it.each<[Props, string[], string[]]>([
		[
			{
				workers: 2,
				priority: 3,
				pythonVersion: "3.12",
				environment: { A: "2" },
				files: [],
			},
			[
				'Adopting the settings of pipeline "p1" in team "ml" will write pythonVersion "3.12" (not set now); workers 2 (now 7); ' +
					"environment (A); files.",
			],
			["updateSettings"],
		],
		[
			{ priority: 3 },
			['Adopting the settings of pipeline "p1" in team "ml": nothing will change.'],
			[],
		],
	])(
		"are adopted with a notice of what %j writes, and nothing of what is equal",
		async (ours, notices, writes) => {
			theySet({ workers: 7, priority: 3, environment: "B=1\nA=1" });
			const program = [s({ ...ours, adopt: true })];
			expect((await stack.preview(program)).notices).toEqual(notices);
			expect(await stack.up(program)).toMatchObject({ notices, failures: [] });
			expect(world.writes()).toEqual(writes);
			expect(stack.entry("s").outs.adopted).toBe(true);
		},
	);

	it("are judged by what is known of the inputs, and the preview names what is not known yet", async () => {
		theySet({ workers: 7, python_version: "3.9", environment: "A=1" });
		const unknown = {
			workers: UNKNOWN,
			environment: { A: UNKNOWN },
			files: [UNKNOWN],
			pythonVersion: "3.12",
		};
		expect((await stack.preview([s(unknown)])).notices).toEqual([
			expect.stringContaining(
				`${list}pythonVersion is "3.9" on the service and "3.12" in the program. Unless`,
			),
		]);
		expect(await stack.preview([s({ ...unknown, adopt: true })])).toMatchObject({
			failures: [],
			notices: [
				'Adopting the settings of pipeline "p1" in team "ml" will write pythonVersion "3.12" (now "3.9"); files, and maybe workers and ' +
					"environment, whose values are not known yet.",
			],
		});
	});

	it("are refused by the variables that are declared and exist there, and by no others", async () => {
		world.colleague.setVariable("p1", "THEIRS", "1");
		world.colleague.setVariable("p1", "FSSPEC_S3", "{}");
		const of = async (inputs: Props) => (await stack.up([s(inputs)])).failures;
		expect(await of({ environment: { OURS: "1", THEIRS: "2" } })).toEqual([
			expect.stringContaining(`${list}environment (THEIRS). They were not changed`),
		]);
		expect(await of(S3)).toEqual([
			expect.stringContaining(`${list}storage (FSSPEC_S3). They were`),
		]);
		expect(await of({ environment: { OURS: "1" } })).toEqual([]);
		expect(pipelineThere().settings.environment).toEqual({
			OURS: "1",
			THEIRS: "1",
			FSSPEC_S3: "{}",
		});
	});

	it("cannot steer a terminal by their names", async () => {
		world.colleague.setVariable("p1", "X\u001b[31m\u202e", "1\n2");
		const { failures } = await stack.up([s({ environment: { A: "1" } })]);
		expect(failures).toEqual([expect.stringContaining("X\\u001b[31m\\u202e")]);
	});

	it("are named by variable and parameter where the engine shows that another one changes", async () => {
		const program = (A: string, endpoint: string, secret?: string[]) => [
			s({
				environment: { A, B: "2", C: "3" },
				storage: { hf: { endpoint }, s3: { endpointUrl: "https://ours.example" } },
				...(secret && { __secret: secret }),
			}),
		];
		await stack.up(program("1", "https://one.example"));
		world.colleague.setVariable("p1", "B", "theirs");
		world.colleague.setVariable(
			"p1",
			"FSSPEC_S3",
			'{"endpoint_url":"https://theirs.example"}',
		);
		const notices = [
			'The settings of pipeline "p1" in team "ml" were changed outside Pulumi. The update will restore: environment (B); storage ' +
				"(s3.endpoint_url).",
		];
		expect((await stack.preview(program("11", "https://two.example"))).notices).toEqual(
			notices,
		);
		// The names in an environment that is a secret as a whole are as secret.
		const secretly = program("11", "https://two.example", ["environment"]);
		expect((await stack.preview(secretly)).notices).toContain(
			notices[0]?.replace(" (B)", ""),
		);
		expect(await stack.up(program("11", "https://two.example"))).toMatchObject({
			notices,
			failures: [],
		});
	});

	it("changed since the last deployment are named beside a change of ours that the engine shows", async () => {
		await stack.up([s({ workers: 2, priority: 1, pythonVersion: "3.12" })]);
		theySet({ workers: 7, priority: 2, python_version: "3.13" });
		const changed = [s({ workers: 3, priority: 1, pythonVersion: "3.12" })];
		expect((await stack.preview(changed)).notices).toEqual([
			'The settings of pipeline "p1" in team "ml" were changed outside Pulumi. The update will restore: pythonVersion "3.12" (now "3.13"); ' +
				"priority 1 (now 2).",
		]);
		expect((await stack.up(changed)).failures).toEqual([]);
		expect(pipelineThere().settings).toMatchObject({
			workers: 3,
			priority: 1,
			pythonVersion: "3.12",
		});
		expect(stack.entry("s").outs.adopted).toBe(false);
	});
});

describe("a setting that is no longer declared", () => {
	it("is cleared, also if another user changed it, and the pause stays", async () => {
		const all = { priority: 1, environment: { A: "1", B: "2" }, paused: true };
		await stack.up([s({ workers: 2, ...all })]);
		theySet({ priority: 3, environment: "A=9\nB=2\nTHEIRS=1" });
		const { notices, failures } = await stack.up([s({ workers: 2 })]);
		expect([notices, failures]).toEqual([[], []]);
		expect(pipelineThere()).toMatchObject({
			paused: true,
			settings: { workers: 2, priority: 5 },
		});
		expect(pipelineThere().settings.environment).toEqual({ THEIRS: "1" });
		expect((await stack.up([s({ workers: 2 })])).steps).toEqual(["same s"]);
	});

	it("is not cleared on the pipeline that the resource moves to", async () => {
		theySet({ priority: 3 }, "p2");
		await stack.up([s({ workers: 2, priority: 1 })]);
		expect((await stack.up([s({ workers: 2, pipelineName: "p2" })])).failures).toEqual(
			[],
		);
		expect(pipelineThere("p2").settings).toMatchObject({ workers: 2, priority: 3 });
		// The one that is left keeps what was declared.
		expect(pipelineThere("p1").settings).toMatchObject({ workers: 2, priority: 1 });
	});
});

describe("settings that the service does not show as they were sent", () => {
	it("are reported where a variable of others is missing", async () => {
		world.colleague.setVariable("p1", "THEIRS", "1");
		const remove = ["environment_variables.THEIRS"];
		// The first read is before the write.
		const heal = world.fault({
			kind: "rewrite",
			endpoint: "pipelineStatus",
			skip: 1,
			remove,
		});
		expect((await stack.up([s(S3)])).failures).toEqual([
			expect.stringContaining(
				"but other settings changed too: the variable THEIRS of other users was changed or removed. The service may replace",
			),
		]);
		heal();
		expect(await stack.up([s(S3)])).toMatchObject({
			steps: ["update s"],
			failures: [],
		});
	});

	it.each([
		["a 404 if the list has the pipeline", 404, {}],
		["a refusal, also if no list has the pipeline", 403, { "*.name": "another" }],
	])("are not called gone by %s", async (_, status, set) => {
		await stack.up([s({ workers: 2 })]);
		world.fault({ kind: "status", status, endpoint: "pipelineStatus" });
		world.fault({ kind: "rewrite", endpoint: "listPipelines", set });
		const { failures } = await stack.up([s({ workers: 3 })]);
		expect(failures).toEqual([
			expect.stringMatching(`^s: Could not get a pipeline .* ${status}, `),
		]);
	});

	it.each([false, true])(
		"lose a storage that failed to be removed before, refreshed in between: %s",
		async (isRefreshed) => {
			theySet({ environment: "X=1" });
			const tuned = { workers: 2, adopt: true };
			await stack.up([s({ ...tuned, ...S3 })]);
			const heal = world.fault({
				kind: "status",
				status: 500,
				endpoint: "updateSettings",
			});
			expect((await stack.up([s(tuned)])).failures).toEqual([
				expect.stringContaining("500"),
			]);
			heal();
			if (isRefreshed) await stack.refresh();
			expect((await stack.up([s(tuned)])).failures).toEqual([]);
			expect(pipelineThere().settings.environment).toEqual({ X: "1" });
			expect(stack.entry("s").outs).not.toHaveProperty("storage");
			expect((await stack.up([s(tuned)])).steps).toEqual(["same s"]);
		},
	);

	it("are sent again where the service never shows them and the response was lost", async () => {
		const program = [s({ workers: 2, files: [], credentialsNames: ["aws"] })];
		const heal = world.fault({
			kind: "status",
			status: 502,
			endpoint: "updateSettings",
			afterWork: true,
		});
		expect((await stack.up(program)).failures).toHaveLength(1);
		expect(stack.entry("s").outs).not.toHaveProperty("files");
		expect(stack.entry("s").outs).toMatchObject({
			pipelineName: "p1",
			teamName: "ml",
			uncheckedKeys: [],
		});
		heal();
		world.writes();
		expect((await stack.up(program)).failures).toEqual([]);
		expect(world.writes()).toEqual(["updateSettings"]);
		expect(stack.entry("s").outs).toMatchObject({
			files: [],
			uncheckedKeys: ["files", "credentialsNames"],
		});
	});
});

it("settings that are written are read again by the same run", async () => {
	await stack.up([s({ workers: 2 })]);
	const process = world.process();
	const entry = stack.entry("s");
	expect((await process.refresh(entry))?.outs.workers).toBe(2);
	const after = await process.update(entry, { ...entry.inputs, workers: 3 });
	theySet({ workers: 4 });
	expect((await process.refresh(after))?.outs.workers).toBe(4);
});
