import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../tools/process/kill-tree";
import { createStack } from "../../tools/stack";
import { temporaryProject, testEngine } from "../helpers/engine";

/** A resource that is never made; its provider tells who it is. */
const program = `
const pulumi = require("@pulumi/pulumi");
const provider = {
	async create() {
		require("node:fs").writeFileSync(process.env.PID_FILE, String(process.pid));
		await new Promise((resolve) => setTimeout(resolve, 60000));
	},
};
class Note extends pulumi.dynamic.Resource {
	constructor(name) { super(provider, name, {}); }
}
new Note("first");
`;

test("a killed stack leaves no process and no folder behind, and nothing in the project", async () => {
	const project = temporaryProject("engine-kill", program);
	const files = readdirSync(project.path);
	const pidFile = join(project.path, "node_modules", "pid");
	const stack = await createStack({
		projectDir: project.path,
		engine: await testEngine(),
		env: { PID_FILE: pidFile },
	});
	try {
		const running = stack.start("up", ["--skip-preview"]);
		await expect.poll(() => existsSync(pidFile), { timeout: 60_000, interval: 100 }).toBe(true);
		const provider = Number(readFileSync(pidFile, "utf8"));
		expect(isAlive(provider)).toBe(true);
		running.kill();
		expect((await running.finished).code).toBe(137);
		await expect.poll(() => isAlive(provider), { timeout: 5_000 }).toBe(false);
		expect(readdirSync(project.path)).toEqual(files);
	} finally {
		stack.dispose();
		project.remove();
	}
	expect(existsSync(stack.folder)).toBe(false);
});
