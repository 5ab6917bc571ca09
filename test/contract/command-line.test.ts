import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { run } from "../../tools/process/run";
import { repository } from "../../tools/repository";
import { command } from "../helpers/cli";
import { teamCli } from "../helpers/cli-process";

describe("the command line", { timeout: 120_000 }, () => {
	const { fails, json, cli } = teamCli({ "train.py": 'print("hello")\n' });

	it.each([
		[["drift", "--stack", "a", "--stack", "b"], "--stack"],
		[["drift", "-s", "a", "--stack=b"], "--stack"],
		[["jobs", "--status", "failed", "--status", "complete"], "--status"],
		[["forecast", "--live", "--days", "3", "--live"], "--live"],
		[["serve", "--team", "a", "--team", "b"], "--team"],
		[["board", "--no-open", "--no-open"], "--no-open"],
	])("refuses an option that is given twice: %j", async (args, option) => {
		expect(await fails(...args)).toBe(
			`error: ${option} is given more than once, and only one of them could count. Keep one.\n`,
		);
	});

	it("takes a repeatable option as often as it is given", async () => {
		expect(
			await json("pipelines", "--status", "paused", "--status", "failed"),
		).not.toEqual([]);
		expect(
			(await cli("pipelines", "--status", "paused", "--status", "failed")).code,
		).toBe(0);
	});

	it.skipIf(process.platform === "win32")(
		"runs as a program of its own, as npx runs it in a checkout",
		async () => {
			const result = await run(command, ["--version"], {
				cwd: repository,
				timeoutMs: 60_000,
			});
			expect(result, result.stderr).toMatchObject({
				code: 0,
				stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
			});
		},
	);

	it.each([
		["pulumi-datachain dr", ["drift"]],
		["pulumi-datachain jobs --st", ["--status", "--stack"]],
		["pulumi-datachain jobs --status RUN", ["RUNNING"]],
		["pulumi-datachain export --language py", ["python"]],
		["pulumi-datachain --quiet sched", ["schedules"]],
	])("completes %j in bash", async (line, wanted) => {
		const words = line.split(" ");
		const script = [
			(await cli("completion", "bash")).stdout,
			`COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}`,
			`_pulumi_datachain; printf '%s\\n' "\${COMPREPLY[@]}"`,
		].join("\n");
		const { stdout } = await run("bash", ["-c", script], {
			cwd: repository,
			timeoutMs: 60_000,
		});
		expect(stdout.trim().split("\n").sort()).toEqual([...wanted].sort());
	});

	it.each(["zsh", "fish"])("prints for %s what that shell can read", async (shell) => {
		const { stdout, code } = await cli("completion", shell);
		expect(code).toBe(0);
		for (const text of ["rerun", "forecast", "RUNNING"]) expect(stdout).toContain(text);
		if (spawnSync(shell, ["--version"]).status !== 0) return;
		const checked = spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8" });
		expect([checked.status, checked.stderr]).toEqual([0, ""]);
	});

	it("names the shells if it is asked for another", async () => {
		expect(await fails("completion", "tcsh")).toMatch(
			/Allowed choices are bash, zsh, fish/,
		);
	});
});
