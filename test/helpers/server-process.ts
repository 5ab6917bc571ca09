import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { repository } from "../../tools/repository";
import { command } from "./drift-cli";
import { eventually } from "./server-harness";

export interface CliProcess {
	readonly child: ChildProcess;
	readonly stdout: () => string;
	readonly stderr: () => string;
}

/** The built command line, as users run it, still running; it ends with the test. */
export function spawnCli(
	args: readonly string[],
	env: NodeJS.ProcessEnv = {},
	{ cwd = repository, stdoutTo = "pipe" }: { cwd?: string; stdoutTo?: "pipe" | number } = {},
): CliProcess {
	const child = spawn(process.execPath, [command, ...args], {
		cwd,
		env: { ...process.env, ...env },
		stdio: ["ignore", stdoutTo, "pipe"],
	});
	onTestFinished(() => void child.kill("SIGKILL"));
	let stdout = "";
	let stderr = "";
	child.stdout?.on("data", (chunk) => {
		stdout += chunk;
	});
	child.stderr?.on("data", (chunk) => {
		stderr += chunk;
	});
	return { child, stdout: () => stdout, stderr: () => stderr };
}

/** `pulumi-datachain serve` as a process of its own, once it has said where it listens. */
export async function spawnServe(args: readonly string[] = []) {
	const serve = spawnCli(["serve", ...args]);
	await eventually(() => serve.stdout().split("\n").length > 3, 30_000);
	const value = (name: string): string =>
		new RegExp(`^export DATACHAIN_STUDIO_${name}=(.*)$`, "m").exec(serve.stdout())?.[1] ?? "";
	return { ...serve, url: value("URL"), token: value("TOKEN"), team: value("TEAM") };
}

export async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
	if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
	return child.exitCode ?? child.signalCode;
}
