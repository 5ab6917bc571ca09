import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "../../tools/process/kill-tree";
import type { TempFolder } from "../../tools/process/temp-folder";
import { createStack, managedResources, resourceName, type Stack } from "../../tools/stack";
import { temporaryProject, testEngine } from "../helpers/engine";

/** Resources whose outside world is a folder: one file each. */
const program = `
const pulumi = require("@pulumi/pulumi");
const folder = process.env.WORLD;
const provider = {
	async create(inputs) {
		const { writeFileSync } = require("node:fs");
		const file = process.env.WORLD + "/" + inputs.name;
		if (process.env.SLOW) {
			writeFileSync(process.env.WORLD + "/pid", String(process.pid));
			await new Promise((resolve) => setTimeout(resolve, 60000));
		}
		writeFileSync(file, inputs.text);
		return { id: file, outs: inputs };
	},
};
class Note extends pulumi.dynamic.Resource {
	constructor(name, text) { super(provider, name, { name, text }); }
}
new Note("first", "hello");
exports.where = folder;
`;

describe("the real engine", () => {
	let project: TempFolder;
	let stack: Stack;

	beforeAll(async () => {
		project = temporaryProject("engine-check", program);
		stack = await createStack({
			projectDir: project.path,
			engine: await testEngine(),
			env: { WORLD: project.path },
		});
	});
	afterAll(() => {
		stack?.dispose();
		project?.remove();
	});

	test("runs up, and its state is read from the file as the engine exports it", async () => {
		const note = join(project.path, "first");
		expect(await stack.up(["--skip-preview"])).toMatchObject({ code: 0 });
		expect(readFileSync(note, "utf8")).toBe("hello");
		expect(await stack.outputs()).toEqual({ where: project.path });
		expect(managedResources(await stack.export()).map(resourceName)).toEqual(["first"]);
		expect(stack.checkpoint().deployment.resources).toEqual((await stack.export()).deployment.resources);
	});

	test("writes nothing into the project's folder", () => {
		expect(readdirSync(project.path).sort()).toEqual([
			"Pulumi.yaml",
			// The program's own.
			"first",
			"index.js",
			"node_modules",
			"package.json",
		]);
	});
});

test("a killed stack leaves no process and no folder behind", async () => {
	const project = temporaryProject("engine-kill", program);
	const stack = await createStack({
		projectDir: project.path,
		engine: await testEngine(),
		env: { WORLD: project.path, SLOW: "1" },
	});
	try {
		const running = stack.start("up", ["--skip-preview"]);
		const pidFile = join(project.path, "pid");
		await expect.poll(() => existsSync(pidFile), { timeout: 60_000, interval: 100 }).toBe(true);
		const provider = Number(readFileSync(pidFile, "utf8"));
		expect(isAlive(provider)).toBe(true);
		running.kill();
		expect((await running.finished).code).toBe(137);
		await expect.poll(() => isAlive(provider), { timeout: 5_000 }).toBe(false);
	} finally {
		stack.dispose();
		project.remove();
	}
	expect(existsSync(stack.folder)).toBe(false);
});

test("the user's own Pulumi and Studio settings do not reach a throw-away stack", async () => {
	process.env.PULUMI_ACCESS_TOKEN = "user-token";
	process.env.DATACHAIN_STUDIO_TOKEN = "user-studio-token";
	const project = temporaryProject("engine-env", program);
	const stack = await createStack({ projectDir: project.path, engine: await testEngine() });
	try {
		expect(stack.env.PULUMI_ACCESS_TOKEN).toBeUndefined();
		expect(stack.env.DATACHAIN_STUDIO_TOKEN).toBeUndefined();
	} finally {
		delete process.env.PULUMI_ACCESS_TOKEN;
		delete process.env.DATACHAIN_STUDIO_TOKEN;
		stack.dispose();
		project.remove();
	}
});
