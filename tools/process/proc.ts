import { readdirSync, readFileSync } from "node:fs";

/** Every process that Linux shows now. */
export function listPids(): number[] {
	return readdirSync("/proc")
		.filter((name) => /^\d+$/.test(name))
		.map(Number);
}

/** A file of the process, or undefined where it has ended. */
export function readProcFile(pid: number, file: string): string | undefined {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "utf8");
	} catch {
		return undefined;
	}
}

/** State, parent and so on of a process, as in `man 5 proc` from the third field; undefined where it has ended. */
export function statFields(pid: number): string[] | undefined {
	const stat = readProcFile(pid, "stat");
	// The command name may hold spaces and parentheses, so count from its last closing one.
	return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}
