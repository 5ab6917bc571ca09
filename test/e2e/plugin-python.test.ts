import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { KINDS } from "../../src/schemas/kinds";
import { ensureHost } from "../../tools/engine/hosts";
import { must } from "../../tools/process/must";
import {
	type Declared,
	type TestDeployment,
	testDeployment,
} from "../helpers/e2e-deployment";
import {
	ids,
	pathWithoutNode,
	types,
	wheelEnvironment,
	writeProgram,
	writes,
} from "../helpers/plugin-languages";
import { DECLARED } from "../helpers/state-fixture";

it("the package for Python brings the plugin and the commands, without a Node.js to install", async () => {
	const { python, scripts } = await wheelEnvironment();
	const env = { ...process.env, PATH: "" };
	for (const name of ["pulumi-resource-datachain", "pulumi-datachain"])
		expect(await must(join(scripts, name), ["--version"], { env })).toBe(
			`${version}\n`,
		);
	expect(await must(join(scripts, "pulumi-datachain"), ["--help"], { env })).toMatch(
		/\n {2}drift /,
	);
	expect(await must(python, ["-m", "pip", "list"])).not.toMatch(/nodejs/);
});

const CANARY = "canary-never-in-clear";

const MORE: Partial<Record<Declared["kind"], object>> = {
	PipelineSettings: {
		requirements: ["pillow", `https://bot:${CANARY}@pypi.example.com/x.whl`],
		storage: { s3: { key: `${CANARY}-key`, secret: `${CANARY}-secret` } },
		onDestroy: "reset",
	},
	PipelineSchedule: { paused: false },
	Job: { wait: true },
};

/** One of each kind, with a declared pause, secrets by word and by nature, and files from another resource. */
const team: readonly Declared[] = DECLARED.map((row) => ({
	...row,
	args: { ...row.args, ...MORE[row.kind] },
}));

it("the stack that moves has every kind", () => {
	expect(new Set(team.map(({ kind }) => kind))).toEqual(new Set(Object.keys(KINDS)));
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
		expect(JSON.stringify(test.stack.checkpoint())).not.toMatch(
			new RegExp(`${CANARY}|not-really-a-secret`),
		);
	});

	it("and Python's destroy takes down what TypeScript made", async () => {
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		for (const name of ["kept", "kept-local"])
			expect(await test.named(name)).toEqual([]);
		expect(
			(await test.client.pipelines.status({ name: "rusty-vise" }))
				.environment_variables,
		).toEqual({});
	});
});
