import { type ChildProcess, fork, spawn } from "node:child_process";
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
	stdoutTo: "pipe" | number = "pipe",
): {
	child: ChildProcess;
	stdout: () => string;
	stderr: () => string;
} {
	const child = spawn(process.execPath, [cli, ...args], {
		cwd: root,
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

export interface CliResult {
	readonly code: number | NodeJS.Signals | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** Follows what a command prints on each stream. */
const MARK = "\u0001done\u0001";

/** The built command line in a process that has its libraries loaded: to load them takes longer than most commands do. */
export class WarmCli {
	private child: ChildProcess | undefined;
	private last: Promise<unknown> = Promise.resolve();

	/** A command to its end; one after another. */
	run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<CliResult> {
		const result = this.last.then(() => this.runNow(args, env));
		this.last = result.catch(() => undefined);
		return result;
	}

	close(): void {
		this.child?.kill("SIGKILL");
	}

	private async runNow(args: readonly string[], env: NodeJS.ProcessEnv): Promise<CliResult> {
		this.child ??= fork(join(__dirname, "warm-cli.cjs"), [cli, MARK], {
			cwd: root,
			execArgv: [],
			silent: true,
		});
		const { child } = this;
		const printed = { stdout: "", stderr: "" };
		let code: CliResult["code"] | undefined;
		await new Promise<void>((resolve) => {
			const look = () => {
				const isAll = printed.stdout.endsWith(MARK) && printed.stderr.endsWith(MARK);
				if (code !== undefined && isAll) resolve();
			};
			for (const stream of ["stdout", "stderr"] as const)
				child[stream]?.removeAllListeners("data").on("data", (chunk) => {
					printed[stream] += chunk;
					look();
				});
			child.removeAllListeners("message").on("message", (ended: { code: number }) => {
				code = ended.code;
				look();
			});
			// A command may also end the process by itself, as --help does.
			child.removeAllListeners("close").once("close", (exitCode, signal) => {
				this.child = undefined;
				code = exitCode ?? signal;
				resolve();
			});
			child.send({ args, env: { ...process.env, ...env } });
		});
		const text = (all: string) => all.replace(MARK, "");
		return { code: code ?? null, stdout: text(printed.stdout), stderr: text(printed.stderr) };
	}
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
