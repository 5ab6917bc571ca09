import { constants } from "node:os";

type Cleanup = () => void;

const pending = new Set<Cleanup>();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
let watching = false;

/**
 * Runs `cleanup` when this process ends, by itself or by a signal. It must be synchronous: nothing else
 * surely runs any more at that point. Returns a function that withdraws it.
 */
export function onExit(cleanup: Cleanup): () => void {
	watch();
	pending.add(cleanup);
	return () => {
		pending.delete(cleanup);
	};
}

function watch(): void {
	if (watching) return;
	watching = true;
	process.on("exit", runAll);
	for (const signal of signals) process.on(signal, () => leave(signal));
}

function leave(signal: (typeof signals)[number]): void {
	runAll();
	try {
		process.exit(128 + constants.signals[signal]);
	} catch {
		// A test runner may forbid process.exit; a signal must end the process all the same.
		process.kill(process.pid, "SIGKILL");
	}
}

/** Last in, first out: a child that writes into a folder is stopped before the folder is removed. */
function runAll(): void {
	for (const cleanup of [...pending].reverse()) {
		pending.delete(cleanup);
		try {
			cleanup();
		} catch {
			// One cleanup that fails must not keep the others from running.
		}
	}
}
