import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestDeployment } from "../../../../test/helpers/e2e-deployment";
import { descendants, killTree, signalQuietly } from "../../../../tools/process/kill-tree";
import type { Random } from "../../random";

/** The CLI alone (an operator, the kernel short of memory), all of it (a container's end), or our provider. */
export type Victim = "cli" | "tree" | "provider";

export interface Moment {
	/** The write with which it happens; 0 is before the first. */
	readonly write: number;
	/** Keeps that write open, before its work or after it, so that the kill falls between the two. */
	readonly slow: { readonly kind: "delay" | "slow-body"; readonly ms: number } | undefined;
	readonly pauseMs: number;
}

const LIMIT_MS = 90_000;
const KILLED = 128 + constants.signals.SIGKILL;

export function drawMoment(random: Random, writes: number): Moment {
	const write = random.integer(0, writes);
	if (write === 0) return { write, slow: undefined, pauseMs: random.integer(0, 1500) };
	// The last write would often be answered, and the deployment over, before the signal arrives.
	const open = write === writes || random.chance(0.6);
	if (!open) return { write, slow: undefined, pauseMs: random.integer(0, 30) };
	// A slow body comes in twenty pieces; either way the write stays open for 120 ms or more.
	const slow = random.chance(0.5)
		? { kind: "delay" as const, ms: random.integer(120, 250) }
		: { kind: "slow-body" as const, ms: random.integer(6, 12) };
	return { write, slow, pauseMs: random.integer(0, 100) };
}

/** Runs `pulumi up` and kills the victim at the moment. */
export async function strike(test: TestDeployment, victim: Victim, moment: Moment) {
	test.server.requests.clear();
	const running = test.stack.start("up", ["--skip-preview"]);
	const { pid } = running;
	if (pid === undefined) throw new Error("The Pulumi CLI could not be started.");
	const state = { over: false, hung: false };
	const finished = running.finished.then((result) => {
		state.over = true;
		return result;
	});
	const timer = setTimeout(() => {
		state.hung = true;
		running.kill();
	}, LIMIT_MS);
	const until = async (holds: () => boolean, everyMs = 1): Promise<void> => {
		while (!state.over && !holds()) await sleep(everyMs);
	};
	const reached = (writes: number) => until(() => test.server.requests.count({ method: "POST" }) >= writes);
	await reached(moment.write - 1);
	// Found before the moment comes, because looking takes longer than a request.
	let provider: number[] = [];
	const isFound = () => {
		provider = descendants(pid).filter(isProvider);
		return provider.length > 0;
	};
	if (victim === "provider") await until(isFound, 50);
	const clear = moment.slow && test.server.faults.add({ endpoint: "*", ...moment.slow });
	await reached(moment.write);
	await sleep(moment.pauseMs);
	const { over } = state;
	const left = !over && victim === "cli" ? killAlone(pid) : new Map<number, string>();
	if (!over && victim === "tree") running.kill();
	for (const one of over ? [] : provider) signalQuietly(one, "SIGKILL");
	const result = await finished;
	clearTimeout(timer);
	clear?.();
	// A CLI that had finished all the same in that instant was not killed.
	const hit = !over && (victim === "provider" ? provider.length > 0 : result.code === KILLED);
	return {
		/** False where the deployment was over before its moment came. */
		hit,
		/** True where the deployment had to be ended, because its killed provider did not end it. */
		hung: state.hung || result.timedOut,
		endLeftovers: () => end(left),
	};
}

const commandOf = (pid: number): string =>
	spawnSync("ps", ["-p", String(pid), "-o", "args="], { encoding: "utf8" }).stdout.trim();

/** The node process that runs our provider; the shell script around it is the engine's. */
const isProvider = (pid: number): boolean => /^\S*node\S* \S*dynamic-provider\b/.test(commandOf(pid));

/** Stopped first, so that it starts nothing more while we look at what it will leave behind, and by which command. */
function killAlone(pid: number): Map<number, string> {
	signalQuietly(pid, "SIGSTOP");
	try {
		return new Map(descendants(pid).map((below) => [below, commandOf(below)]));
	} finally {
		signalQuietly(pid, "SIGKILL");
	}
}

/** A killed CLI leaves its children behind, and nobody else ends them; a number may be another process's by now. */
function end(left: ReadonlyMap<number, string>): void {
	for (const [pid, command] of left) if (commandOf(pid) === command) killTree(pid);
}
