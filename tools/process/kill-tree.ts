import { spawnSync } from "node:child_process";
import { listPids, statFields } from "./proc";

/**
 * Ends a process and everything below it at once. Pulumi gives its plugins process groups of their own, so
 * a signal to the group of the CLI leaves the language host and the provider behind.
 */
export function killTree(pid: number): void {
	if (process.platform === "win32") {
		spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
		return;
	}
	for (const target of [...stoppedTree(pid), -pid]) signalQuietly(target, "SIGKILL");
}

/** A process and everything below it, all stopped: what is only listed could start one more before it is ended. */
function stoppedTree(root: number): ReadonlySet<number> {
	const stopped = new Set<number>();
	for (
		let next = [root];
		next.length > 0;
		next = descendants(root).filter((pid) => !stopped.has(pid))
	) {
		for (const pid of next) {
			signalQuietly(pid, "SIGSTOP");
			stopped.add(pid);
		}
	}
	return stopped;
}

/**
 * Asks a process and everything below it to end, and ends what has not after `graceMs`. It blocks, so that it can be
 * used while this process itself is ending: test workers get to remove their own folders and children.
 */
export function endTree(pid: number, graceMs = 3_000): void {
	const doomed = process.platform === "win32" ? [] : [pid, ...descendants(pid)];
	for (const target of doomed) signalQuietly(target, "SIGTERM");
	const clock = new Int32Array(new SharedArrayBuffer(4));
	const deadline = Date.now() + graceMs;
	while (doomed.some(isAlive) && Date.now() < deadline) Atomics.wait(clock, 0, 0, 50);
	for (const target of doomed) signalQuietly(target, "SIGKILL");
	if (process.platform === "win32") killTree(pid);
}

/** Sends a signal to a process group, as a terminal does on Ctrl-C; a group that is gone is no error. */
export function signalQuietly(target: number, signal: NodeJS.Signals): void {
	try {
		process.kill(target, signal);
	} catch {
		// Already gone.
	}
}

export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return !isZombie(pid);
	} catch (error) {
		// EPERM: it lives, and belongs to someone else.
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}

/** Ended, but not yet collected by its parent: some containers have nobody who does. */
function isZombie(pid: number): boolean {
	return process.platform === "linux" && statFields(pid)?.[0] === "Z";
}

/** What runs below a process now, at any depth. */
export function descendants(root: number): number[] {
	const children = new Map<number, number[]>();
	for (const [pid, parent] of processTable()) {
		children.set(parent, [...(children.get(parent) ?? []), pid]);
	}
	const found: number[] = [];
	const queue = [root];
	for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
		const below = children.get(next) ?? [];
		found.push(...below);
		queue.push(...below);
	}
	return found;
}

function processTable(): [pid: number, parent: number][] {
	return process.platform === "linux" ? tableFromProc() : tableFromPs();
}

function tableFromProc(): [number, number][] {
	return listPids().map((pid): [number, number] => [
		pid,
		Number(statFields(pid)?.[1] ?? -1),
	]);
}

function tableFromPs(): [number, number][] {
	const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], {
		encoding: "utf8",
		timeout: 5_000,
	});
	return (stdout ?? "")
		.split("\n")
		.map((line) => line.trim().split(/\s+/).map(Number))
		.flatMap(([pid, parent]): [number, number][] =>
			pid && parent !== undefined ? [[pid, parent]] : [],
		);
}
