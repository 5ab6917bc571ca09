import { listPids, readProcFile, statFields } from "../../tools/process/proc";

export interface Usage {
	readonly cpuMs: number | undefined;
	readonly memoryBytes: number | undefined;
}

/** One process as the system shows it. */
interface ProcessInfo {
	readonly pid: number;
	readonly parent: number;
	/** User and system time of its own. */
	readonly ownMs: number;
	/** That of the children that it has waited for, and of theirs. */
	readonly reapedMs: number;
}

/** Keeps the last that was seen of each process, ended ones too. */
class UsageTree {
	readonly #seen = new Map<number, ProcessInfo>();

	constructor(readonly root: number) {}

	has(pid: number): boolean {
		return this.#seen.has(pid);
	}

	get pids(): number[] {
		return [...this.#seen.keys()];
	}

	see(info: ProcessInfo): void {
		// An orphan gets a new parent; it belongs to the first all the same.
		const parent = this.#seen.get(info.pid)?.parent ?? info.parent;
		this.#seen.set(info.pid, { ...info, parent });
	}

	/**
	 * The time of the whole tree. What a parent has waited for is exact and counts also what was too short to be seen;
	 * what nobody waited for (Pulumi kills its plugins) is known as of the last look. So the larger of the two counts.
	 */
	totalMs(pid = this.root): number {
		const info = this.#seen.get(pid);
		if (info === undefined) return 0;
		const children = this.pids.filter((child) => child !== pid && this.#seen.get(child)?.parent === pid);
		const below = children.reduce((sum, child) => sum + this.totalMs(child), 0);
		return info.ownMs + Math.max(info.reapedMs, below);
	}
}

/** Linux counts process times in hundredths of a second on every architecture. */
const tickMs = 10;

/** Undefined where the process has ended. */
function readProcess(pid: number): ProcessInfo | undefined {
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

function commandLine(pid: number): string {
	return (readProcFile(pid, "cmdline") ?? "").replaceAll("\0", " ").trim();
}

/** The most memory that the process ever held. */
function peakMemory(pid: number): number | undefined {
	const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readProcFile(pid, "status") ?? "")?.[1];
	return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/**
 * Known processes are looked at often, as the end of each is lost. New ones are looked for less often, as it costs, but
 * every time in the first two seconds: in them processes start, and the shortest operations are over after them.
 */
const lookMs = 50;
const looksPerSearch = 4;
const firstLooks = 40;

/**
 * Watches a process and everything below it until `stop`. The provider is the process whose command line matches.
 * Times and memory come from /proc; where there is none, the columns stay empty.
 */
export function watchProcesses(root: number, provider: RegExp): { stop(): Usage } {
	if (process.platform !== "linux") return { stop: () => ({ cpuMs: undefined, memoryBytes: undefined }) };
	const tree = new UsageTree(root);
	const providers = new Set<number>();
	let memoryBytes: number | undefined;
	let looks = 0;
	const look = () => {
		looks++;
		if (looks < firstLooks || looks % looksPerSearch === 0) search(tree, providers, provider);
		for (const pid of tree.pids) {
			const info = readProcess(pid);
			if (info) tree.see(info);
		}
		for (const pid of providers) memoryBytes = Math.max(memoryBytes ?? 0, peakMemory(pid) ?? 0);
	};
	look();
	const timer = setInterval(look, lookMs);
	return {
		stop: () => {
			clearInterval(timer);
			return { cpuMs: tree.totalMs(), memoryBytes };
		},
	};
}

function search(tree: UsageTree, providers: Set<number>, provider: RegExp): void {
	const others = listPids().filter((pid) => !tree.has(pid));
	const found = others.flatMap((pid) => readProcess(pid) ?? []);
	// A grandchild may be listed before its parent.
	for (let grown = true; grown; ) {
		const fresh = found.filter(
			({ pid, parent }) => !tree.has(pid) && (pid === tree.root || tree.has(parent)),
		);
		for (const info of fresh) tree.see(info);
		grown = fresh.length > 0;
	}
	// A process has its parent's command line until it has started its own program, so this is asked every time.
	for (const pid of tree.pids) if (provider.test(commandLine(pid))) providers.add(pid);
}
