import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/provider/kinds/job-file/job-file";
import { UNKNOWN } from "../../src/provider/model/props";
import { startRawServer } from "../helpers/api-servers";
import { asset, HOLD } from "../helpers/provider-kinds";
import { diffOf, freshStack, job, jobs, stack, world } from "../helpers/provider-scene";
import { testFile } from "../helpers/test-folder";

freshStack();

const refusals = (inputs: object) =>
	world.process({ preview: true }).refusals(job({}), job(inputs).args);
const known = (outs: object): void => stack.alter("train", outs);

describe("a job that is refused", () => {
	it("does not repeat a number, a part of a text or a path that is a secret", async () => {
		const secretly = (inputs: object) =>
			refusals({ ...inputs, __secret: Object.keys(inputs) });
		expect(await secretly({ workers: 9 })).toEqual([
			'workers: must be 1 to 8 on compute cluster "default", [redacted].',
		]);
		const [cron = ""] = await secretly({ cronExpression: "71-83 3 * * *" });
		expect(cron).toMatch(
			/^cronExpression: The cron expression "\[redacted\]" cannot be used: minute/,
		);
		expect(cron).not.toMatch(/71|83/);
		const canary = testFile("canary.constructor", "print(1)");
		for (const path of [canary, asset({ path: canary })])
			expect(await secretly({ query: undefined, file: path })).toEqual([
				"queryType: the file's name does not say what it is. Set queryType to PYTHON or SHELL.",
			]);
		expect(await secretly({ query: undefined, file: "./canary.txt" })).toEqual([
			expect.stringMatching(
				/^file: cannot read "\[redacted\]": there is no such file \(ENOENT\)/,
			),
		]);
	});

	it("for a file that is no text, or empty, says so at the preview", async () => {
		const latin = testFile("latin.py", Buffer.from("print('café')", "latin1"));
		expect(await refusals({ query: undefined, file: latin })).toEqual([
			"file: is not UTF-8, and a query must be. Save it in that encoding.",
		]);
		expect(
			await refusals({ query: undefined, file: testFile("empty.py", "") }),
		).toEqual(["file: is empty: there is nothing to run."]);
	});

	it("for a remote file that is no text says so before anything is sent", async () => {
		const { url } = await startRawServer(({ response }) =>
			response.end(Buffer.from("print('café')", "latin1")),
		);
		const { failures } = await stack.up([
			job({ query: undefined, file: asset({ uri: `${url}/latin.py` }) }),
		]);
		expect(failures).toEqual([
			expect.stringContaining(
				'The file of job "latin.py" is not UTF-8, and a query must be.',
			),
		]);
		expect(world.writes()).toEqual([]);
	});

	it.each<[object, string[]]>([
		[{ "*.is_active": null, "*.status": null }, []],
		[{ "*.is_active": null, "*.status": "active" }, []],
		[{ "*.is_active": null, "*.status": "STOPPED" }, ["STOPPED"]],
		[{ "*.is_active": false, "*.status": null }, ["not active"]],
		[{ "*.is_active": true, "*.status": "STOPPED" }, []],
	])("for a cluster that the service shows with %j: %j", async (set, shown) => {
		world.fault({ kind: "rewrite", endpoint: "listClusters", set: { ...set } });
		expect(await refusals({ clusterName: "gpu" })).toEqual(
			shown.map(
				(how) =>
					`clusterName: compute cluster "gpu" is ${how}, so a job on it would not start.`,
			),
		);
	});

	it("for a cluster of a team that has none says so", async () => {
		world.server.addTeam("bare", { clusters: [] });
		expect(await refusals({ clusterId: 7, teamName: "bare" })).toEqual([
			'clusterId: team "bare" has no compute cluster 7. It has none.',
		]);
		expect(await refusals({ workers: 7, teamName: "bare" })).toEqual([]);
	});

	it("for its workers is measured by the default cluster, wherever that is in the list", async () => {
		const set = { "0.default": false, "1.default": true };
		world.fault({ kind: "rewrite", endpoint: "listClusters", set });
		expect(await refusals({ workers: 5 })).toEqual([
			'workers: must be 1 to 4 on compute cluster "gpu", not 5.',
		]);
	});

	it("for a cluster costs no request if it names neither a cluster nor workers", async () => {
		expect(await refusals({})).toEqual([]);
		expect((await stack.up([job({})])).failures).toEqual([]);
		expect(world.server.requests.count({ endpoint: "listClusters" })).toBe(0);
	});
});

describe("what a job is made of", () => {
	const inputsOf = async (inputs: object) => {
		const provider = world.process({ preview: true }).serve("Job");
		return (await provider.check({}, job(inputs).args)).inputs;
	};

	it.each<[string, string]>([
		["TRAIN.PY", "PYTHON"],
		["run.sh", "SHELL"],
		["run.v2.bash", "SHELL"],
	])("the file %s is %s, under its own name", async (name, queryType) => {
		const source = testFile(name, HOLD);
		expect(
			(await stack.up([job({ query: undefined, file: source })])).failures,
		).toEqual([]);
		expect(jobs()).toMatchObject([{ name, queryType, query: HOLD }]);
	});

	it.each([
		["query", /^scrypt:/],
		["file", /^scrypt:/],
		["file.text", /^scrypt:/],
		["environment.query", /^[0-9a-f]{64}$/],
	])("the hash of a secret query is salted, and no other: %s", async (path, form) => {
		const { contentHash } = await inputsOf({ __secret: [path] });
		expect(contentHash).toMatch(form);
	});

	it("what a query says of it is not known before the query is", async () => {
		const unknown = { name: UNKNOWN, queryType: UNKNOWN, contentHash: UNKNOWN };
		for (const given of [{ name: "n" }, { queryType: "SHELL" }])
			expect(await inputsOf({ query: UNKNOWN, ...given })).toMatchObject({
				...unknown,
				...given,
			});
	});

	it("a file that changes between the plan and the deployment is not run", async () => {
		const source = testFile("train.py", HOLD);
		const process = world.process();
		const inputs = await process.check(job({}), { file: source });
		writeFileSync(source, "print(2)");
		await expect(process.create(job({}), inputs)).rejects.toThrow(
			'The query of job "train.py" changed while it was being deployed. Run "pulumi up" again to run the new query.',
		);
		const nothing = process.create(job({}), { name: "train.py" });
		await expect(nothing).rejects.toThrow("Job: neither query nor file is given.");
		expect(jobs()).toEqual([]);
	});
});

describe("what a deployment does where the state and the program differ", () => {
	it.each<[string, object, object]>([
		["same", { status: "FAILED" }, {}],
		["replace", { status: "FAILED" }, { wait: true }],
		["replace", { status: "canceled" }, { wait: true }],
		["same", { status: "COMPLETE" }, { wait: true }],
		["same", { status: "TASK" }, { wait: true }],
		["update", { status: "RUNNING" }, { wait: true }],
		["same", {}, { reset: false }],
		["same", { reset: false }, {}],
		["replace", { contentHash: "0".repeat(64) }, {}],
		["replace", { contentHash: undefined }, {}],
	])("%s for %j and %j", async (step, state, declared) => {
		await stack.up([job({ query: HOLD })]);
		known(state);
		const { steps } = await stack.preview([job({ query: HOLD, ...declared })]);
		expect(steps).toEqual([`${step} train`]);
	});

	it("other bytes run nothing where changes of them are ignored, and are taken where something else changes", async () => {
		await stack.up([job({ query: HOLD })]);
		// The engine hands back what the state has for an input that is ignored.
		const ignored = {
			query: `${HOLD}#`,
			contentHash: stack.entry("train").inputs.contentHash,
		};
		expect((await stack.up([job(ignored)])).steps).toEqual(["same train"]);
		expect(await stack.up([job({ ...ignored, workers: 2 })])).toMatchObject({
			steps: ["replace train"],
			failures: [],
		});
		expect(jobs().map(({ query }) => query)).toEqual([HOLD, `${HOLD}#`]);
	});

	it("the id of a cluster is the same as a number and as a text, and needs to be active only for what is started", async () => {
		expect((await stack.up([job({ query: HOLD, clusterId: "2" })])).failures).toEqual(
			[],
		);
		expect(jobs()).toMatchObject([{ clusterId: 2 }]);
		world.fault({
			kind: "rewrite",
			endpoint: "listClusters",
			set: { "*.is_active": false },
		});
		const same = { steps: ["same train"], failures: [] };
		expect(await stack.up([job({ query: HOLD, clusterId: 2 })])).toMatchObject(same);
	});

	it("a query that became secret, or was, is the same query: only the state changes", async () => {
		await stack.up([job({ query: HOLD })]);
		const secret = job({ query: HOLD, __secret: ["query"] });
		expect((await stack.up([secret])).steps).toEqual(["update train"]);
		expect(String(stack.entry("train").outs.contentHash)).toMatch(/^scrypt:/);
		expect((await stack.up([secret])).steps).toEqual(["same train"]);
		known({ contentHash: sha256(HOLD) });
		expect((await stack.up([secret])).steps).toEqual(["update train"]);
		expect((await stack.up([job({ query: HOLD })])).steps).toEqual(["update train"]);
		expect(
			(await stack.up([job({ query: `${HOLD}#`, __secret: ["query"] })])).steps,
		).toEqual(["replace train"]);
		expect(jobs()).toHaveLength(2);
	});

	it("a default name that changes with the resource's runs nothing again; the next job has it", async () => {
		await stack.up([job({ query: HOLD })]);
		const renamed = { ...job({ query: HOLD }, "trained"), aliases: ["train"] };
		expect((await stack.up([renamed])).steps).toEqual(["same trained"]);
		expect(jobs()).toMatchObject([{ name: "train" }]);
		expect((await stack.up([job({ query: `${HOLD}#` }, "trained")])).steps).toEqual([
			"replace trained",
		]);
		expect(jobs().map(({ name }) => name)).toEqual(["train", "trained"]);
	});

	it.each<[object, string[]]>([
		[{}, ["contentHash"]],
		[{ triggers: 1 }, ["triggers"]],
	])(
		"a job that failed is deleted before it is run again, and the reason is told: %j",
		async (more, replaces) => {
			await stack.up([job({ query: "exit(3)", wait: true })]);
			expect(await diffOf("train", more)).toEqual({
				changes: true,
				replaces,
				deleteBeforeReplace: true,
			});
		},
	);
});

it("a job's outputs are its inputs and what the service says of it", async () => {
	await stack.up([job({ wait: true })]);
	const [made] = jobs();
	const { outs } = stack.entry("train");
	expect(outs).toMatchObject({
		query: "print(1)",
		jobId: made?.id,
		status: "COMPLETE",
		url: expect.stringContaining(String(made?.id)),
		createdAt: expect.stringMatching(/^20[^+]*Z$/),
		createdBy: "developer",
		startedAt: expect.stringMatching(/^20[^+]*Z$/),
		finishedAt: expect.stringMatching(/^20[^+]*Z$/),
		exitCode: 0,
		serviceUrl: `${world.server.url}/api`,
	});
});
