import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onExit } from "../../../../tools/process/cleanup";
import { readProcFile } from "../../../../tools/process/proc";
import { repository } from "../../../../tools/repository";

/** The built package, as users run it. */
export const dist = join(repository, "dist");

/** A local server in a process of its own. */
export interface ServerChild {
	readonly url: string;
	stderr(): string;
	alive(): boolean;
	/** The most memory it has had so far; 0 where the system does not say. */
	peakMegabytes(): number;
	/** SIGKILL; answers once the process is gone. */
	kill(): Promise<void>;
}

/** The clock stands still, so that only requests change things. */
const SCRIPT = `
const { startServer, manualClock } = require(process.argv[1]);
const options = JSON.parse(process.argv[2]);
startServer({ ...options, clock: manualClock(), log: (line) => process.stderr.write(line + "\\n") })
	.then(({ url }) => process.stdout.write(url + "\\n"));`;

export async function startServerChild(options: object): Promise<ServerChild> {
	const args = ["-e", SCRIPT, join(dist, "server"), JSON.stringify(options)];
	const child = spawn(process.execPath, args, { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
	const withdraw = onExit(() => void child.kill("SIGKILL"));
	const alive = (): boolean => child.exitCode === null && child.signalCode === null;
	let stderr = "";
	child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
		stderr = (stderr + chunk).slice(-1_000_000);
	});
	// Its address, or its end.
	const [url] = await Promise.race([once(child.stdout.setEncoding("utf8"), "data"), once(child, "exit")]);
	if (typeof url !== "string") throw new Error(`The local server did not start: ${stderr.slice(0, 500)}`);
	return {
		url: url.trim(),
		stderr: () => stderr,
		alive,
		peakMegabytes: () => {
			const status = readProcFile(child.pid ?? 0, "status") ?? "";
			return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
		},
		async kill() {
			const gone = alive() ? once(child, "exit") : undefined;
			child.kill("SIGKILL");
			await gone;
			withdraw();
		},
	};
}
