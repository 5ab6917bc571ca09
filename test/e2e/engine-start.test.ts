import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run, start } from "../../tools/process/run";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository, testEngine } from "../helpers/engine";

/** It shows what is left behind. */
let temporary: TempFolder;
beforeEach(async () => {
	// Made beforehand, so that no test here is measured by the minutes of a first build.
	await testEngine();
	temporary = tempFolder("start-test-");
});
afterEach(() => temporary.remove());

/** `npm start` without npm and its build. */
const npmStart = (onOutput?: (chunk: string) => void) =>
	start(process.execPath, ["-r", "ts-node/register/transpile-only", "tools/start/main.ts"], {
		cwd: repository,
		// ts-node's own cache would be mistaken for something left behind.
		env: { ...process.env, TMPDIR: temporary.path, DISABLE_V8_COMPILE_CACHE: "1" },
		timeoutMs: 240_000,
		onOutput,
	});

/** The processes that have our temporary folder in their environment; none are seen where there is no /proc. */
async function processes(): Promise<string> {
	const script = `grep -lsaF '${temporary.path}' /proc/[0-9]*/environ`;
	return (await run("sh", ["-c", script], { timeoutMs: 10_000 })).stdout;
}

test("npm start runs the whole tour, ends by itself and leaves nothing behind", async () => {
	const { code, stdout, stderr } = await npmStart().finished;
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
	expect([readdirSync(temporary.path), await processes()]).toEqual([[], ""]);
	expect(existsSync(join(repository, "Pulumi.dev.yaml"))).toBe(false);
});

test("Ctrl-C while the program runs ends with 130 and leaves no folder and no process", async () => {
	let shown = "";
	const running = npmStart((chunk) => {
		shown += chunk;
	});
	await expect.poll(() => shown.includes("Updating (dev)"), { timeout: 120_000, interval: 50 }).toBe(true);
	running.interrupt();
	expect((await running.finished).code).toBe(130);
	expect(readdirSync(temporary.path)).toEqual([]);
	await expect.poll(processes, { timeout: 15_000 }).toBe("");
});
