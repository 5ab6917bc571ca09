import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onExit } from "../../tools/process/cleanup";
import { readProcFile } from "../../tools/process/proc";
import { repository } from "../../tools/repository";

/** The built package, as users run it. */
export const dist = join(repository, "dist");

/** A local server in a process of its own. */
export interface ServerChild {
	readonly url: string;
	readonly token: string;
	readonly team: string;
	readonly stderr: () => string;
	readonly alive: () => boolean;
	/** The most memory it has had so far; 0 where the system does not say. */
	readonly peakMegabytes: () => number;
	/** SIGKILL; answers once the process is gone. */
	kill(): Promise<void>;
}

const START_MILLIS = 30_000;

/** Starts Node with these arguments and waits for the three NAME=value lines that `serve` prints. */
export async function startChild(args: readonly string[]): Promise<ServerChild> {
	const child = spawn(process.execPath, args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
	const withdraw = onExit(() => void child.kill("SIGKILL"));
	const alive = (): boolean => child.exitCode === null && child.signalCode === null;
	const output = { stdout: "", stderr: "" };
	for (const stream of ["stdout", "stderr"] as const) {
		child[stream].setEncoding("utf8").on("data", (chunk: string) => {
			output[stream] = (output[stream] + chunk).slice(-1_000_000);
		});
	}
	const kill = async (): Promise<void> => {
		const gone = alive() ? once(child, "exit") : undefined;
		child.kill("SIGKILL");
		await gone;
		withdraw();
	};
	const end = Date.now() + START_MILLIS;
	while (output.stdout.split("\n").length < 4) {
		if (!alive() || Date.now() > end) {
			await kill();
			throw new Error(`The local server did not start: ${output.stderr.slice(0, 500)}`);
		}
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
	const value = (name: string): string => new RegExp(`^${name}=(.*)$`, "m").exec(output.stdout)?.[1] ?? "";
	return {
		url: value("DATACHAIN_STUDIO_URL"),
		token: value("DATACHAIN_STUDIO_TOKEN"),
		team: value("DATACHAIN_STUDIO_TEAM"),
		stderr: () => output.stderr,
		alive,
		peakMegabytes: () => {
			const status = readProcFile(child.pid ?? 0, "status") ?? "";
			return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
		},
		kill,
	};
}

/** `pulumi-datachain serve` over a data file. Its clock stands still, so that nothing changes by itself. */
export function startServe(dataFile: string): Promise<ServerChild> {
	const cli = join(dist, "cli", "main.js");
	const options = [
		"--data",
		dataFile,
		"--token-file",
		`${dataFile}.token`,
		"--clock",
		"2026-01-01T00:00:00Z",
	];
	return startChild([cli, "serve", ...options]);
}
