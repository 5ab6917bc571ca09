import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endTree, isAlive } from "../../../tools/process/kill-tree";
import { run, start } from "../../../tools/process/run";
import { type TempFolder, tempFolder } from "../../../tools/process/temp-folder";

let folder: TempFolder;

beforeEach(() => {
	folder = tempFolder("processes-test-");
});
afterEach(() => folder.remove());

const startScript = (source: string, timeoutMs = 15_000) =>
	start(process.execPath, ["-e", source], { cwd: folder.path, timeoutMs });
const appears = (name: string) =>
	expect.poll(() => existsSync(join(folder.path, name)), { timeout: 10_000, interval: 20 }).toBe(true);
const wait = "setInterval(() => {}, 1000);";
const write = (name: string, value = '""') =>
	`require("node:fs").writeFileSync("${name}", String(${value}));`;

describe.skipIf(process.platform === "win32")("a process tree", () => {
	test("that is asked to end gets to clean up after itself", async () => {
		const running = startScript(
			`process.on("SIGTERM", () => { ${write("cleaned")} process.exit(0); }); ${write("ready")} ${wait}`,
		);
		await appears("ready");
		endTree(running.pid ?? 0, 5_000);
		expect((await running.finished).code).toBe(0);
		expect(existsSync(join(folder.path, "cleaned"))).toBe(true);
	});

	test("that does not listen is ended after its time of grace", async () => {
		const running = startScript(`process.on("SIGTERM", () => {}); ${write("ready")} ${wait}`);
		await appears("ready");
		endTree(running.pid ?? 0, 200);
		expect((await running.finished).code).toBe(137);
	});

	test("is ended as a whole when its time is up, process groups of their own included", async () => {
		const child = `${write("child", "process.pid")} ${wait}`;
		const running = startScript(
			`require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { detached: true, stdio: "ignore" }); ${wait}`,
			2_000,
		);
		await appears("child");
		const pid = Number(readFileSync(join(folder.path, "child"), "utf8"));
		expect(await running.finished).toMatchObject({ code: 137, timedOut: true });
		await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
	});

	test("is ended as a whole also while it starts one process after the other", async () => {
		const seconds = `60.${process.pid}`;
		const running = startScript(
			`const again = () => { require("node:child_process").spawn("sleep", ["${seconds}"], { detached: true, stdio: "ignore" }); setImmediate(again); }; ${write("ready")} again();`,
		);
		await appears("ready");
		await new Promise((resolve) => setTimeout(resolve, 200));
		running.kill();
		await running.finished;
		const left = async () => (await run("pgrep", ["-f", `^sleep ${seconds}`], { timeoutMs: 10_000 })).stdout;
		await expect.poll(left, { timeout: 10_000 }).toBe("");
	});
});

test("a program that does not exist ends with 127 and says so", async () => {
	const result = await run(join(folder.path, "nothing-here"), [], { timeoutMs: 5_000 });
	expect(result).toMatchObject({ code: 127, timedOut: false });
	expect(result.stderr).toContain("could not be started");
});
