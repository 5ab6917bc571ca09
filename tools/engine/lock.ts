import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../../src/client/errors";
import { onExit } from "../process/cleanup";

export interface LockOptions {
	/** Called once if another process holds the lock, with its process id. */
	readonly onWait: (holder: string) => void;
	readonly waitMs: number;
}

const heartbeatMs = 5_000;
/** A holder touches its lock every five seconds; one this old is dead, or on a machine that is. */
const staleMs = 30_000;

/**
 * Runs `work` while holding a lock file. It saves doing the work twice, which can still happen after a holder was killed:
 * the lock is not what makes the result whole. The result is moved into place in one step.
 */
export async function withLock<T>(
	file: string,
	options: LockOptions,
	work: () => Promise<T>,
): Promise<T> {
	mkdirSync(dirname(file), { recursive: true });
	await acquire(file, options);
	const release = () => rmSync(file, { force: true });
	const withdraw = onExit(release);
	// If somebody has removed the cache folder, the work itself will say so.
	const heartbeat = setInterval(
		() => void utimes(file, Date.now() / 1_000, Date.now() / 1_000).catch(() => {}),
		heartbeatMs,
	);
	try {
		return await work();
	} finally {
		clearInterval(heartbeat);
		withdraw();
		release();
	}
}

async function acquire(file: string, { onWait, waitMs }: LockOptions): Promise<void> {
	const deadline = Date.now() + waitMs;
	let told = false;
	while (!create(file)) {
		const { mtimeMs = Date.now() } = statSync(file, { throwIfNoEntry: false }) ?? {};
		if (Date.now() - mtimeMs > staleMs) {
			rmSync(file, { force: true });
			continue;
		}
		if (!told) onWait(holderOf(file));
		told = true;
		if (Date.now() > deadline) {
			throw new Error(
				`process ${holderOf(file)} has held ${file} for too long; end it or delete the file`,
			);
		}
		await sleep(500);
	}
}

function create(file: string): boolean {
	try {
		writeFileSync(file, String(process.pid), { flag: "wx" });
		return true;
	} catch (error) {
		if (errorCode(error) === "EEXIST") return false;
		throw error;
	}
}

function holderOf(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch {
		// Released by now.
		return "unknown";
	}
}
