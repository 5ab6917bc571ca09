import { spawn } from "node:child_process";
import { constants } from "node:os";
import { onExit } from "./cleanup";
import { killTree, signalQuietly } from "./kill-tree";

export interface RunOptions {
	readonly cwd?: string | undefined;
	readonly env?: NodeJS.ProcessEnv | undefined;
	/** The whole process tree is ended after this long. */
	readonly timeoutMs: number;
	/** Sees each chunk as it comes. */
	readonly onOutput?:
		| ((chunk: string, stream: "stdout" | "stderr") => void)
		| undefined;
}

export interface Result {
	/** As a shell reports it: 127 where the program could not be started, 128 + n where signal n ended it. */
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
	readonly timedOut: boolean;
}

export interface Running {
	readonly pid: number | undefined;
	readonly finished: Promise<Result>;
	/** Ctrl-C: SIGINT to the process group. */
	interrupt(): void;
	/** SIGKILL to the whole process tree. */
	kill(): void;
}

/** Enough for any command here; a runaway child must not fill our memory. */
const outputLimit = 64 * 1024 * 1024;

/** Starts a program in a process group of its own, with no input, and collects what it prints. */
export function start(
	command: string,
	args: readonly string[],
	options: RunOptions,
): Running {
	const child = spawn(command, args, {
		cwd: options.cwd,
		env: options.env ?? process.env,
		stdio: ["ignore", "pipe", "pipe"],
		detached: process.platform !== "win32",
		windowsHide: true,
	});
	const kill = () => {
		if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
			killTree(child.pid);
	};
	const withdraw = onExit(kill);
	let timedOut = false;
	const timer = setTimeout(() => {
		timedOut = true;
		kill();
	}, options.timeoutMs);

	const output = { stdout: "", stderr: "" };
	for (const stream of ["stdout", "stderr"] as const) {
		child[stream].setEncoding("utf8");
		child[stream].on("data", (chunk: string) => {
			if (output[stream].length < outputLimit) output[stream] += chunk;
			options.onOutput?.(chunk, stream);
		});
	}

	const finished = new Promise<Result>((resolve) => {
		const end = (code: number) => {
			clearTimeout(timer);
			withdraw();
			resolve({ code, ...output, timedOut });
		};
		child.on("error", (error) => {
			output.stderr += `${command} could not be started: ${error.message}\n`;
			end(127);
		});
		child.on("close", (code, signal) =>
			end(code ?? 128 + (signal ? constants.signals[signal] : 0)),
		);
	});
	return {
		pid: child.pid,
		finished,
		interrupt: () => {
			if (child.pid !== undefined) signalQuietly(-child.pid, "SIGINT");
		},
		kill,
	};
}

/** Runs a program to its end. */
export function run(
	command: string,
	args: readonly string[],
	options: RunOptions,
): Promise<Result> {
	return start(command, args, options).finished;
}
