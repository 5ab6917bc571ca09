import { delimiter } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KINDS } from "../../src/schemas/kinds";
import { ensureHost } from "../../tools/engine/hosts";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { writeProgram } from "../helpers/plugin-languages";
import { describeLifecycle } from "../helpers/plugin-lifecycle";
import { ids, types, writes } from "../helpers/plugin-state";
import { programsOnly, wheelEnvironment } from "../helpers/plugin-wheel";

describe("a program in Python, from the wheel", () => describeLifecycle("python"));

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
		},
		from: { files: ["script.id"] },
	},
	{
		kind: "PipelineSchedule",
		name: "nightly",
		args: { pipelineName: "rusty-vise", cronExpression: "0 3 * * *", paused: false },
	},
	{ kind: "Pipeline", name: "catalog", args: { datasets: ["dev.images.clean"] } },
	{
		kind: "Job",
		name: "smoke",
		args: { query: "print(1)", environment: { API_KEY: { $secret: `${CANARY}-job` } }, wait: true },
	},
];

it("the stack that moves has every kind", () => {
	expect(team.map(({ kind }) => kind).sort()).toEqual(Object.keys(KINDS).sort());
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
		const system = programsOnly(["sh", "env", "uname", "which"], ["/bin", "/usr/bin"]);
		test.stack.env.PATH = [scripts, await ensureHost("python"), binFolder(test), system].join(delimiter);
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
		const names = (await test.client.schedules.list()).map((item) => item.schedule_name);
		expect(names).not.toContain("lifecycle-dev-nightly");
		expect((await test.client.pipelines.status({ name: "rusty-vise" })).environment_variables).toEqual({});
	});
});

/** The engine's own folder, without the rest of what is on this machine's PATH. */
const binFolder = ({ stack }: TestDeployment): string => (stack.env.PATH ?? "").split(delimiter)[0] ?? "";
