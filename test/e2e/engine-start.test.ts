import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { run, start } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository, testEngine } from "../helpers/engine";

test("npm start runs the whole tour, ends by itself and leaves nothing behind", async () => {
	// Made beforehand, so that the tour is not measured by the minutes of a first build.
	await testEngine();
	/** It shows what is left behind. */
	const temporary = tempFolder("start-test-");
	onTestFinished(() => temporary.remove());
	// Without npm and its build.
	const tour = start(
		process.execPath,
		["-r", "ts-node/register/transpile-only", "tools/start/main.ts"],
		{
			cwd: repository,
			// ts-node's own cache would be mistaken for something left behind.
			env: { ...process.env, TMPDIR: temporary.path, DISABLE_V8_COMPILE_CACHE: "1" },
			timeoutMs: 240_000,
		},
	);
	const { code, stdout, stderr } = await tour.finished;
	expect({ code, stderr }).toMatchObject({ code: 0 });
	for (const command of [
		"pulumi up",
		"pulumi refresh --preview-only --diff",
		"pulumi up --yes --refresh",
		"pulumi destroy",
	])
		expect(stdout).toContain(`$ ${command}`);
	expect(stdout).toContain("Nothing is left in the state.");
	// The processes that have our temporary folder in their environment; none are seen where there is no /proc.
	const script = `grep -lsaF '${temporary.path}' /proc/[0-9]*/environ`;
	const { stdout: processes } = await run("sh", ["-c", script], { timeoutMs: 10_000 });
	expect([readdirSync(temporary.path), processes]).toEqual([[], ""]);
	expect(existsSync(join(repository, "Pulumi.dev.yaml"))).toBe(false);
});
