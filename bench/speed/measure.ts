import { descendants } from "../../tools/process/kill-tree";
import { succeeded } from "../../tools/process/must";
import { readProcFile, statFields } from "../../tools/process/proc";
import type { Running } from "../../tools/process/run";
import type { Cost } from "./samples";

/** Linux counts process times in hundredths of a second on every architecture. */
const tickMs = 10;
const lookMs = 200;

/**
 * Runs a command that must succeed. The CPU time is that of all processes below it, which the engine waits for; the
 * memory is the most that the process whose command line matches ever held. Without /proc both stay empty.
 */
export async function timed(what: string, begin: () => Running, provider: RegExp): Promise<Cost> {
	const [started, before] = [performance.now(), endedChildrenMs()];
	const running = begin();
	let memoryBytes: number | undefined;
	const look = () => {
		for (const pid of descendants(running.pid ?? -1)) {
			const peak = provider.test(commandLine(pid)) ? peakMemory(pid) : 0;
			if (peak > 0) memoryBytes = Math.max(memoryBytes ?? 0, peak);
		}
	};
	const timer = process.platform === "linux" ? setInterval(look, lookMs) : undefined;
	const result = await running.finished;
	clearInterval(timer);
	const [wallMs, after] = [performance.now() - started, endedChildrenMs()];
	succeeded(what, result);
	const cpuMs = after !== undefined && before !== undefined ? after - before : undefined;
	return { wallMs, cpuMs, memoryBytes };
}

/** User and system time of all children that have ended, and of theirs. */
function endedChildrenMs(): number | undefined {
	const fields = statFields(process.pid);
	return fields && (Number(fields[13]) + Number(fields[14])) * tickMs;
}

const commandLine = (pid: number): string =>
	(readProcFile(pid, "cmdline") ?? "").replaceAll("\0", " ").trim();

function peakMemory(pid: number): number {
	const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readProcFile(pid, "status") ?? "")?.[1];
	return Number(kilobytes ?? 0) * 1024;
}
