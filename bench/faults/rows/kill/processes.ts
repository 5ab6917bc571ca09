import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { signalQuietly } from "../../../../tools/process/kill-tree";

export interface Process {
	readonly pid: number;
	readonly command: string;
}

const run = promisify(execFile);

async function processTable(): Promise<(Process & { parent: number })[]> {
	const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,args="], {
		timeout: 10_000,
		maxBuffer: 64 * 1024 * 1024,
	});
	return stdout.split("\n").flatMap((line) => {
		const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
		return command === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
	});
}

/** What runs below a process now: the engine's language host, the program and the provider. */
export async function processesBelow(root: number): Promise<Process[]> {
	return below([root], await processTable());
}

function below(roots: readonly number[], table: readonly (Process & { parent: number })[]): Process[] {
	const found: Process[] = [];
	for (let level = roots; level.length > 0; ) {
		const next = table.filter(({ parent }) => level.includes(parent));
		found.push(...next.map(({ pid, command }) => ({ pid, command })));
		level = next.map(({ pid }) => pid);
	}
	return found;
}

/** The node process that runs our provider; the shell script around it is the engine's. */
export const isProvider = ({ command }: Process): boolean =>
	/^\S*node\S* \S*dynamic-provider\b/.test(command);

/** Ends those that still run. A killed CLI leaves its children behind, and nobody else ends them. */
export async function endAll(processes: readonly Process[]): Promise<void> {
	if (processes.length === 0) return;
	const table = await processTable();
	// A number may have gone to another process by now; what was a script may have started the provider since.
	const alive = processes.filter(({ pid, command }) =>
		table.some((other) => other.pid === pid && other.command === command),
	);
	const pids = alive.map(({ pid }) => pid);
	for (const pid of [...pids, ...below(pids, table).map((one) => one.pid)]) signalQuietly(pid, "SIGKILL");
}
