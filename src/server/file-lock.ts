import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Locks held by this process: a restarted container often has the pid that the dead one had. */
const held = new Set<string>();

/**
 * Takes `<file>.lock`, so that two servers never write one data file; returns its release.
 * The lock of a process that is gone is taken over.
 */
export function lockFile(file: string): () => void {
	const lock = `${file}.lock`;
	const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid), nonce: randomUUID() });
	for (let attempt = 0; attempt < 5; attempt++) {
		if (tryCreate(lock, mine)) {
			held.add(lock);
			return () => {
				held.delete(lock);
				rmSync(lock, { force: true });
			};
		}
		const theirs = readOrEmpty(lock);
		const owner = liveOwner(lock, theirs);
		if (owner !== undefined) {
			throw new Error(
				`The data file "${file}" is in use by another server (process ${owner}). Stop that server, or use another file.`,
			);
		}
		discardStale(lock, theirs);
	}
	throw new Error(
		`Could not lock the data file "${file}": other servers are taking it. Give each its own file.`,
	);
}

function tryCreate(lock: string, content: string): boolean {
	try {
		writeFileSync(lock, content, { flag: "wx", mode: 0o600 });
		return true;
	} catch (error) {
		if (isCode(error, "EEXIST")) return false;
		throw error;
	}
}

function liveOwner(lock: string, content: string): number | undefined {
	const match = /"pid":(\d+),"started":(?:null|"([^"]*)")/.exec(content);
	if (!match) return undefined;
	const pid = Number(match[1]);
	if (pid === process.pid) return held.has(lock) ? pid : undefined;
	try {
		process.kill(pid, 0);
	} catch (error) {
		if (!isCode(error, "EPERM")) return undefined;
	}
	const started = startOf(pid);
	const reused = match[2] !== undefined && started !== null && started !== match[2];
	return reused ? undefined : pid;
}

/** Moves the stale lock away. If it is no longer the one we judged, somebody was faster, and it is put back. */
function discardStale(lock: string, judged: string): void {
	const aside = `${lock}.${randomUUID()}`;
	try {
		renameSync(lock, aside);
	} catch (error) {
		if (isCode(error, "ENOENT")) return;
		throw error;
	}
	try {
		if (readOrEmpty(aside) !== judged) linkSync(aside, lock);
	} catch (error) {
		if (!isCode(error, "EEXIST")) throw error;
	} finally {
		rmSync(aside, { force: true });
	}
}

/** When a process started, where the system says so: tells a reused pid from the original owner. */
function startOf(pid: number): string | null {
	const stat = readOrEmpty(`/proc/${pid}/stat`);
	// The command name is in parentheses and may hold spaces; fields count from behind it.
	return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

function readOrEmpty(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}

export function isCode(error: unknown, ...codes: string[]): boolean {
	return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
