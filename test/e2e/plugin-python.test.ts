import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { KINDS } from "../../src/schemas/kinds";
import { ensureHost } from "../../tools/engine/hosts";
import { must } from "../../tools/process/must";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import {
	ids,
	pathWithoutNode,
	types,
	wheelEnvironment,
	writeProgram,
	writes,
} from "../helpers/plugin-languages";

it("the package for Python brings the plugin and the commands, without a Node.js to install", async () => {
	const { python, scripts } = await wheelEnvironment();
	const env = { ...process.env, PATH: "" };
	for (const name of ["pulumi-resource-datachain", "pulumi-datachain"])
		expect(await must(join(scripts, name), ["--version"], { env })).toBe(`${version}\n`);
	expect(await must(join(scripts, "pulumi-datachain"), ["--help"], { env })).toMatch(/\n {2}drift /);
	expect(await must(python, ["-m", "pip", "list"])).not.toMatch(/nodejs/);
});

const CANARY = "canary-never-in-clear";

/** One of each kind, with a declared pause, secrets by word and by nature, and files from another resource. */
const team: readonly Declared[] = [
	{ kind: "JobFile", name: "script", args: { text: "print(1)", name: "prepare.py" } },
	{
		kind: "PipelineSettings",
		name: "images",
		args: {
			pipelineName: "rusty-vise",
			pythonVersion: "3.12",
			requirements: ["pillow", `https://bot:${CANARY}@pypi.example.com/x.whl`],
			environment: { MODEL: "clip", API_KEY: { $secret: CANARY } },
			storage: { s3: { key: `${CANARY}-key`, secret: `${CANARY}-secret` } },
			onDestroy: "restore",
			files: [{ $from: "script.id" }],
		},
	},
	{
		kind: "PipelineSchedule",
		name: "nightly",
		args: { pipelineName: "rusty-vise", cronExpression: "0 3 * * *", paused: false },
	},
	{ kind: "Pipeline", name: "catalog", args: { datasets: ["dev.images.clean"] } },
	{
		kind: "ScheduledPipeline",
		name: "daily",
		args: {
			datasets: ["dev.images.clean"],
			schedule: { cronExpression: "0 5 * * *" },
			settings: { workers: 2 },
		},
	},
	{
		kind: "Job",
		name: "smoke",
		args: { query: "print(1)", environment: { API_KEY: { $secret: `${CANARY}-job` } }, wait: true },
	},
];

it("the stack that moves has every kind, and the component", () => {
	expect(team.map(({ kind }) => kind).sort()).toEqual([...Object.keys(KINDS), "ScheduledPipeline"].sort());
});

describe("a stack of TypeScript's dynamic resources goes on in Python", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
		test.declare(...team);
		await test.up();
	});
	afterAll(() => test?.dispose());

	it("with every resource unchanged, under its id, without a request that writes, on a PATH without Node", async () => {
		const before = ids(test);
		const { scripts } = await wheelEnvironment();
		test.stack.env.PATH = pathWithoutNode(test, scripts, await ensureHost("python"));
		writeProgram("python", test.folder, team);
		test.server.requests.clear();
		await test.up(["--expect-no-changes"]);
		expect(ids(test)).toEqual(before);
		expect(types(test)).toEqual(["datachain:index"]);
		await test.expectSettled();
		expect(writes(test.server)).toBe(0);
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain(CANARY);
	});

	it("and Python's destroy takes down what TypeScript made", async () => {
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		expect(await test.named("lifecycle-dev-nightly")).toEqual([]);
		expect((await test.client.pipelines.status({ name: "rusty-vise" })).environment_variables).toEqual({});
	});
});
