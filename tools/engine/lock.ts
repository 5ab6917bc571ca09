import { randomUUID } from "node:crypto";
import {
	linkSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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
 * Runs `work` while holding a lock file. It saves doing the work twice and is not what makes the result
 * whole: the result is moved into place in one step.
 */
export async function withLock<T>(file: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
	mkdirSync(dirname(file), { recursive: true });
	const content = `${process.pid} ${randomUUID()}`;
	await acquire(file, content, options);
	const release = () => {
		if (read(file) === content) rmSync(file, { force: true });
	};
	const withdraw = onExit(release);
	const heartbeat = setInterval(() => touch(file), heartbeatMs);
	try {
		return await work();
	} finally {
		clearInterval(heartbeat);
		withdraw();
		release();
	}
}

async function acquire(file: string, content: string, options: LockOptions): Promise<void> {
	const deadline = Date.now() + options.waitMs;
	let told = false;
	while (!create(file, content)) {
		const holder = read(file);
		if (holder !== undefined && ageOf(file) > staleMs) {
			takeAway(file, holder);
			continue;
		}
		if (!told) options.onWait(processId(holder));
		told = true;
		if (Date.now() > deadline) {
			throw new Error(
				`process ${processId(holder)} has held ${file} for too long; end it or delete the file`,
			);
		}
		await sleep(500);
	}
}

function create(file: string, content: string): boolean {
	try {
		writeFileSync(file, content, { flag: "wx" });
		return true;
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
		throw error;
	}
}

/** Moves a stale lock aside; one that another process took in the meantime is put back. */
function takeAway(file: string, stale: string): void {
	const aside = `${file}.${randomUUID()}`;
	try {
		renameSync(file, aside);
		if (read(aside) !== stale) linkSync(aside, file);
	} catch {
		// Someone else was faster; the next turn of the loop sees how things stand.
	}
	rmSync(aside, { force: true });
}

function read(file: string): string | undefined {
	try {
		return readFileSync(file, "utf8");
	} catch {
		return undefined;
	}
}

function ageOf(file: string): number {
	return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function touch(file: string): void {
	try {
		const now = new Date();
		utimesSync(file, now, now);
	} catch {
		// The cache folder was removed under us; the work itself will say so.
	}
}

function processId(content: string | undefined): string {
	return content?.split(" ")[0] || "unknown";
}
