import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive, killTree } from "../../tools/process/kill-tree";
import { run } from "../../tools/process/run";
import { NpmStart } from "../helpers/npm-start";

let npm: NpmStart;
beforeEach(async () => {
	npm = await NpmStart.prepare();
});
afterEach(() => npm.remove());

test("npm start -- --keep leaves a server and a stack that the printed lines reach", async () => {
	const { code, stdout } = await npm.start(["--keep"]).finished;
	const pid = Number(/^\s*kill (\d+);/m.exec(stdout)?.[1]);
	try {
		expect(code).toBe(0);
		expect(isAlive(pid)).toBe(true);
		if (process.platform === "linux") expect(await npm.processes()).toEqual([`/proc/${pid}/environ`]);
		const lines = stdout.split("\n").map((line) => line.trim());
		const exports = lines.filter((line) => /^(cd|export) /.test(line));
		const preview = lines.find((line) => line.startsWith("pulumi preview --diff"));
		const script = [...exports, `${preview} --non-interactive --expect-no-changes`].join("\n");
		const byHand = await run("sh", ["-ec", script], { timeoutMs: 120_000 });
		expect(byHand).toMatchObject({ code: 0 });

		const stop = lines.find((line) => line.startsWith("kill "));
		await run("sh", ["-ec", stop ?? "exit 1"], { timeoutMs: 10_000 });
		await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
		expect(npm.files()).toEqual([]);
	} finally {
		if (Number.isInteger(pid) && isAlive(pid)) killTree(pid);
	}
});
