import { readProcFile, statFields } from "../../../tools/process/proc";
import type { ProcessInfo } from "./usage";

/** Linux counts process times in hundredths of a second on every architecture. */
const tickMs = 10;

/** Undefined where the process has ended. */
export function readProcess(pid: number): ProcessInfo | undefined {
	const fields = statFields(pid);
	if (fields === undefined) return undefined;
	const time = (index: number) => Number(fields[index] ?? 0) * tickMs;
	return {
		pid,
		parent: Number(fields[1]),
		ownMs: time(11) + time(12),
		reapedMs: time(13) + time(14),
	};
}

export function commandLine(pid: number): string {
	return (readProcFile(pid, "cmdline") ?? "").replaceAll("\0", " ").trim();
}

/** The most memory that the process ever held. */
export function peakMemory(pid: number): number | undefined {
	const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readProcFile(pid, "status") ?? "")?.[1];
	return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
