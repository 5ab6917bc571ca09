import { spawn, spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { killTree } from "../../tools/process/kill-tree";
import { repository } from "../../tools/repository";
import { command } from "./cli";

/** Whether there is the `script` of util-linux, which runs a program on a terminal of its own. */
export const hasPseudoTerminal = /util-linux/.test(
	spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "",
);

export const CTRL_C = "\u0003";

/** The built command on a terminal, whose keys the test presses; it ends with the test. */
export function onTerminal(args: readonly string[], env: NodeJS.ProcessEnv) {
	const words = [process.execPath, command, ...args].map((word) => `'${word}'`);
	// A shell that stays in between ends with 130 after Ctrl-C (dash does), whatever the command ends with.
	const line = `exec ${words.join(" ")}`;
	const child = spawn(
		"script",
		["--quiet", "--flush", "--return", "--command", line, "/dev/null"],
		{
			cwd: repository,
			env: { ...process.env, ...env, NO_COLOR: "1" },
			stdio: ["pipe", "pipe", "inherit"],
			detached: true,
		},
	);
	let screen = "";
	child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
		screen += chunk;
	});
	const finished = new Promise<number | null>((resolve) =>
		child.once("close", resolve),
	);
	onTestFinished(() => {
		if (child.pid !== undefined && child.exitCode === null) killTree(child.pid);
	});
	return {
		/** Everything that the terminal has shown so far, typed keys included. */
		screen: () => screen.replaceAll("\r\n", "\n"),
		press: (keys: string) => void child.stdin.write(keys),
		/** The exit code of the command. */
		finished,
	};
}
