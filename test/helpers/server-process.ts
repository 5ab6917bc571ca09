import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const root = join(__dirname, "..", "..");

/** The built command line, as users run it; `npm test` builds before this suite. */
const cli = join(root, "dist", "commands", "main.js");

export interface ServeProcess {
	readonly child: ChildProcess;
	readonly url: string;
	readonly token: string;
	readonly team: string;
	readonly stdout: () => string;
	readonly stderr: () => string;
}

export function spawnCli(
	args: readonly string[],
	env: NodeJS.ProcessEnv = {},
): {
	child: ChildProcess;
	stdout: () => string;
	stderr: () => string;
} {
	const child = spawn(process.execPath, [cli, ...args], {
		cwd: root,
		env: { ...process.env, ...env },
		stdio: ["ignore", "pipe", "pipe"],
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
export async function spawnServe(args: readonly string[] = []): Promise<ServeProcess> {
	const { child, stdout, stderr } = spawnCli(["serve", ...args]);
	const end = Date.now() + 30_000;
	while (stdout().split("\n").length < 4) {
		if (child.exitCode !== null || Date.now() > end) throw new Error(`serve did not start: ${stderr()}`);
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	const value = (name: string): string => new RegExp(`^export ${name}=(.*)$`, "m").exec(stdout())?.[1] ?? "";
	return {
		child,
		stdout,
		stderr,
		url: value("DATACHAIN_STUDIO_URL"),
		token: value("DATACHAIN_STUDIO_TOKEN"),
		team: value("DATACHAIN_STUDIO_TEAM"),
	};
}

export async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
	if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
	return child.exitCode ?? child.signalCode;
}
