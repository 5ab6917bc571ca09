import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { repository } from "../helpers/engine";
import { NpmStart } from "../helpers/npm-start";

let npm: NpmStart;
beforeEach(async () => {
	npm = await NpmStart.prepare();
});
afterEach(() => npm.remove());

test("npm start runs the whole tour, ends by itself and leaves nothing behind", async () => {
	const { code, stdout, stderr } = await npm.start().finished;
	expect({ code, stderr }).toMatchObject({ code: 0 });
	for (const command of [
		"pulumi up",
		"pulumi refresh --preview-only --diff",
		"pulumi up --yes --refresh",
		"pulumi destroy",
	]) {
		expect(stdout).toContain(`$ ${command}`);
	}
	expect(stdout).toContain("Nothing is left in the state.");
	expect(npm.files()).toEqual([]);
	expect(await npm.processes()).toEqual([]);
});

test("Ctrl-C while the program runs ends with 130 and leaves no folder and no process", async () => {
	const moment = "Updating (dev)";
	let shown = "";
	const running = npm.start([], (chunk) => {
		shown += chunk;
	});
	await expect.poll(() => shown.includes(moment), { timeout: 120_000, interval: 50 }).toBe(true);
	running.interrupt();
	expect((await running.finished).code).toBe(130);
	expect(npm.files()).toEqual([]);
	await expect.poll(() => npm.processes(), { timeout: 15_000 }).toEqual([]);
});

test("the checkout has no stack configuration after all that", () => {
	expect(existsSync(join(repository, "Pulumi.dev.yaml"))).toBe(false);
});
