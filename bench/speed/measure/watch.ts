import { listPids } from "../../../tools/process/proc";
import { commandLine, peakMemory, readProcess } from "./procfs";
import { UsageTree } from "./usage";

export interface Usage {
	readonly cpuMs: number | undefined;
	readonly memoryBytes: number | undefined;
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
