import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { TestDeployment } from "../../../../test/helpers/e2e-deployment";
import { signalQuietly } from "../../../../tools/process/kill-tree";
import type { Result, Running } from "../../../../tools/stack";
import type { Random } from "../../random";
import { endAll, isProvider, type Process, processesBelow } from "./processes";

/** The CLI alone (an operator, the kernel short of memory), all of it (a container's end), or our provider. */
export type Victim = "cli" | "tree" | "provider";

export interface Moment {
	/** The write with which it happens; 0 is before the first. */
	readonly write: number;
	/** Keeps that write open, before its work or after it, so that the kill falls between the two. */
	readonly slow: { readonly kind: "delay" | "slow-body"; readonly ms: number } | undefined;
	readonly pauseMs: number;
}

export interface Strike {
	/** False where the deployment was over before its moment came. */
	readonly hit: boolean;
	readonly result: Result;
	/** Ends what the killed process left behind. */
	endLeftovers(): Promise<void>;
}

const LIMIT_MS = 90_000;
const KILLED = 128 + constants.signals.SIGKILL;

export function drawMoment(random: Random, writes: number): Moment {
	const write = random.integer(0, writes);
	if (write === 0) return { write, slow: undefined, pauseMs: random.integer(0, 1500) };
	// The last write would often be answered, and the deployment over, before the signal arrives.
	const open = write === writes || random.chance(0.6);
	if (!open) return { write, slow: undefined, pauseMs: random.integer(0, 30) };
	const pauseMs = random.integer(0, 100);
	// A slow body comes in twenty pieces; either way the write stays open for 120 ms or more.
	return random.chance(0.5)
		? { write, slow: { kind: "delay", ms: random.integer(120, 250) }, pauseMs }
		: { write, slow: { kind: "slow-body", ms: random.integer(6, 12) }, pauseMs };
}

/** Runs `pulumi up` and kills the victim at the moment. */
export async function strike(test: TestDeployment, victim: Victim, moment: Moment): Promise<Strike> {
	test.server.requests.clear();
	const running = test.stack.start("up", ["--skip-preview"]);
	const watch = watched(running);
	const reached = (writes: number) =>
		watch.until(() => test.server.requests.count({ method: "POST" }) >= writes);
	await reached(moment.write - 1);
	// Found before the moment comes, because looking takes longer than a request.
	const provider = victim === "provider" ? await findProvider(running, watch) : [];
	const clear = moment.slow && test.server.faults.add({ endpoint: "*", ...moment.slow });
	await reached(moment.write);
	await sleep(moment.pauseMs);
	const over = watch.over();
	const left = !over && victim === "cli" ? await killAlone(running) : [];
	if (!over && victim === "tree") running.kill();
	for (const { pid } of over ? [] : provider) signalQuietly(pid, "SIGKILL");
	const result = await withinLimit(running);
	clear?.();
	// A CLI that had finished all the same in that instant was not killed.
	const hit = !over && (victim === "provider" ? provider.length > 0 : result.code === KILLED);
	return { hit, result, endLeftovers: () => endAll(left) };
}

interface Watch {
	over(): boolean;
	/** Waits until it holds or the deployment is over. */
	until(holds: () => boolean): Promise<void>;
}

function watched(running: Running): Watch {
	let over = false;
	void running.finished.then(() => {
		over = true;
	});
	const deadline = Date.now() + LIMIT_MS;
	return {
		over: () => over,
		async until(holds) {
			while (!over && !holds() && Date.now() < deadline) await sleep(1);
		},
	};
}

async function findProvider(running: Running, watch: Watch): Promise<Process[]> {
	for (let look = 0; look < 300 && !watch.over(); look++) {
		const found = (await processesBelow(pidOf(running))).filter(isProvider);
		if (found.length > 0) return found;
		await sleep(50);
	}
	return [];
}

/** Stopped first, so that it starts nothing more while we look at what it will leave behind. */
async function killAlone(running: Running): Promise<Process[]> {
	signalQuietly(pidOf(running), "SIGSTOP");
	try {
		return await processesBelow(pidOf(running));
	} finally {
		signalQuietly(pidOf(running), "SIGKILL");
	}
}

function pidOf({ pid }: Running): number {
	if (pid === undefined) throw new Error("The Pulumi CLI could not be started.");
	return pid;
}

/** A deployment that hangs after its provider was killed is ended, and counts as failed. */
async function withinLimit(running: Running): Promise<Result> {
	let hung = false;
	const timer = setTimeout(() => {
		hung = true;
		running.kill();
	}, LIMIT_MS);
	const result = await running.finished;
	clearTimeout(timer);
	return { ...result, timedOut: result.timedOut || hung };
}
