import { readdirSync, readFileSync } from "node:fs";
import type { ProcessInfo } from "./usage";

/** Linux counts process times in hundredths of a second on every architecture. */
const tickMs = 10;

export function listPids(): number[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map(Number);
}

/** Undefined where the process has ended. */
export function readProcess(pid: number): ProcessInfo | undefined {
	const stat = read(pid, "stat");
	if (stat === undefined) return undefined;
	// The name may hold spaces and parentheses; the fields after its last one are numbers from the fourth on.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const time = (index: number) => Number(fields[index] ?? 0) * tickMs;
	return {
		pid,
		parent: Number(fields[1]),
		ownMs: time(11) + time(12),
		reapedMs: time(13) + time(14),
	};
}

export function commandLine(pid: number): string {
	return (read(pid, "cmdline") ?? "").replaceAll("\0", " ").trim();
}

/** The most memory that the process ever held. */
export function peakMemory(pid: number): number | undefined {
	const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(read(pid, "status") ?? "")?.[1];
	return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function read(pid: number, file: string): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "utf8");
	} catch {
		return undefined;
	}
}
