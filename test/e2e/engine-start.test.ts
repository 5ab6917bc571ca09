import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive, killTree } from "../../tools/process/kill-tree";
import { type Running, run, start } from "../../tools/process/run";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";
import { repository, testEngine } from "../helpers/engine";

let temporary: TempFolder;

beforeEach(async () => {
	// Made beforehand, so that no test here is measured by the minutes of a first build.
	await testEngine();
	temporary = tempFolder("start-test-");
});
afterEach(() => temporary.remove());

/** `npm start` without npm and its build, with a temporary folder of its own that shows what is left behind. */
function npmStart(args: readonly string[] = [], onOutput?: (chunk: string) => void): Running {
	const script = ["-r", "ts-node/register/transpile-only", "tools/start/main.ts", ...args];
	return start(process.execPath, script, {
		cwd: repository,
		// ts-node's own cache would be mistaken for something left behind.
		env: { ...process.env, TMPDIR: temporary.path, DISABLE_V8_COMPILE_CACHE: "1" },
		timeoutMs: 240_000,
		onOutput,
	});
}

/** The processes that have our temporary folder in their environment; none are seen where there is no /proc. */
async function survivors(): Promise<string[]> {
	const { stdout } = await run("sh", ["-c", `grep -lsaF '${temporary.path}' /proc/[0-9]*/environ`], {
		timeoutMs: 10_000,
	});
	return stdout.split("\n").filter((line) => line !== "");
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
	expect(readdirSync(temporary.path)).toEqual([]);
	expect(await survivors()).toEqual([]);
});

test("Ctrl-C while the program runs ends with 130 and leaves no folder and no process", async () => {
	const moment = "Updating (dev)";
	let shown = "";
	const running = npmStart([], (chunk) => {
		shown += chunk;
	});
	await expect.poll(() => shown.includes(moment), { timeout: 120_000, interval: 50 }).toBe(true);
	running.interrupt();
	expect((await running.finished).code).toBe(130);
	expect(readdirSync(temporary.path)).toEqual([]);
	await expect.poll(survivors, { timeout: 15_000 }).toEqual([]);
});

test("npm start -- --keep leaves a server and a stack that the printed lines reach", async () => {
	const { code, stdout } = await npmStart(["--keep"]).finished;
	const pid = Number(/^\s*kill (\d+);/m.exec(stdout)?.[1]);
	try {
		expect(code).toBe(0);
		expect(isAlive(pid)).toBe(true);
		if (process.platform === "linux") expect(await survivors()).toEqual([`/proc/${pid}/environ`]);
		const lines = stdout.split("\n").map((line) => line.trim());
		const exports = lines.filter((line) => /^(cd|export) /.test(line));
		const preview = lines.find((line) => line.startsWith("pulumi preview --diff"));
		const script = [...exports, `${preview} --non-interactive --expect-no-changes`].join("\n");
		const byHand = await run("sh", ["-ec", script], { timeoutMs: 120_000 });
		expect(byHand).toMatchObject({ code: 0 });

		const stop = lines.find((line) => line.startsWith("kill "));
		await run("sh", ["-ec", stop ?? "exit 1"], { timeoutMs: 10_000 });
		await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
		expect(readdirSync(temporary.path)).toEqual([]);
	} finally {
		if (Number.isInteger(pid) && isAlive(pid)) killTree(pid);
	}
});

test("the checkout has no stack configuration after all that", () => {
	expect(existsSync(join(repository, "Pulumi.dev.yaml"))).toBe(false);
});
