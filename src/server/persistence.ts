import { randomUUID } from "node:crypto";
import {
	existsSync,
	linkSync,
	readdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { open, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { clusterSchema } from "../schemas/cluster";
import { jobSchema, uploadedFileSchema } from "../schemas/job";
import { pipelineSchema } from "../schemas/pipeline";
import { scheduleItemSchema } from "../schemas/schedule";
import { emptyState, type State } from "./state";

/** Where the state lives between requests. */
export interface Store {
	/** What an earlier server left; empty in a new store. */
	readonly state: State;
	/** Says that the state has changed. It will be saved soon, at once where `saved()` waits for it. */
	touch(): void;
	/** Resolves when everything changed so far is safe; rejects when it could not be saved. */
	saved(): Promise<void>;
	close(): Promise<void>;
}

export function memoryStore(): Store {
	return { state: emptyState(), touch: () => {}, saved: async () => {}, close: async () => {} };
}

const FORMAT = 2;

/** Tells our file from any other; its records are checked as the replies that are made of them. */
const savedState = z.looseObject({
	format: z.literal(FORMAT),
	nextFileId: z.int(),
	nextScheduleId: z.int(),
	teams: z.array(
		z.looseObject({
			name: z.string(),
			clusters: z.array(clusterSchema),
			datasets: z.array(z.unknown()),
			files: z.array(uploadedFileSchema),
			jobs: z.array(jobSchema),
			pipelines: z.array(pipelineSchema),
			schedules: z.array(scheduleItemSchema),
		}),
	),
});

/** Changes that nobody waits for (a job's progress) are saved together after this long. */
const IDLE_SAVE_MILLIS = 100;

/** Keeps the state in one JSON file, replaced as a whole, so that a reader sees the old or the new one. */
export class FileStore implements Store {
	readonly state: State;
	readonly #file: string;
	readonly #release: () => void;
	#changed = 0;
	#safe = 0;
	#writing: Promise<void> | undefined;
	#idle: NodeJS.Timeout | undefined;

	constructor(file: string) {
		this.#file = realFile(file);
		this.#release = lockFile(this.#file);
		try {
			removeLeftovers(this.#file);
			this.state = load(this.#file);
		} catch (error) {
			this.#release();
			throw error;
		}
	}

	touch(): void {
		this.#changed++;
		this.#idle ??= setTimeout(() => {
			this.#idle = undefined;
			// A failed save is reported to the next write that waits; there is nobody to tell here.
			this.saved().catch(() => {});
		}, IDLE_SAVE_MILLIS).unref();
	}

	async saved(): Promise<void> {
		const wanted = this.#changed;
		// At most two rounds: one that began before the change, and one that holds it.
		while (this.#safe < wanted) {
			this.#writing ??= this.#write().finally(() => {
				this.#writing = undefined;
			});
			await this.#writing;
		}
	}

	async close(): Promise<void> {
		clearTimeout(this.#idle);
		try {
			await this.saved();
		} finally {
			this.#release();
		}
	}

	/** One save for all writes that came while the last one was under way. */
	async #write(): Promise<void> {
		const holds = this.#changed;
		const text = JSON.stringify(this.state);
		const temporary = `${this.#file}.tmp-${process.pid}`;
		await writeFile(temporary, text, { mode: 0o600, flush: true });
		await rename(temporary, this.#file);
		await syncDirectory(dirname(this.#file));
		this.#safe = holds;
	}
}

function realFile(file: string): string {
	const path = resolve(file);
	if (existsSync(path)) return realpathSync(path);
	if (!existsSync(dirname(path))) {
		throw new Error(
			`The folder of the data file "${file}" does not exist. Make it first, or use another file.`,
		);
	}
	return join(realpathSync(dirname(path)), basename(path));
}

function removeLeftovers(file: string): void {
	const prefix = `${basename(file)}.tmp-`;
	for (const name of readdirSync(dirname(file))) {
		if (name.startsWith(prefix)) rmSync(join(dirname(file), name), { force: true });
	}
}

function load(file: string): State {
	const text = existsSync(file) ? readFileSync(file, "utf8") : "";
	// An empty file is what `mktemp` makes: a new store, not a damaged one.
	if (text === "") return emptyState();
	try {
		const state: State = JSON.parse(text);
		// Only looked at: a parsed copy would lose a variable named __proto__.
		savedState.parse(state);
		return state;
	} catch {
		const why = hasOtherFormat(text)
			? "was written by another version of pulumi-datachain, whose data this one cannot read"
			: "was not written by this server, or is damaged";
		throw new Error(`The data file "${file}" ${why}. Move it away, or use another file.`);
	}
}

function hasOtherFormat(text: string): boolean {
	const format = /^\{\s*"format":\s*(\d+)\s*,/.exec(text)?.[1];
	return format !== undefined && Number(format) !== FORMAT;
}

/** Without this a rename may be undone by a power cut. Some systems cannot sync a directory; there it must do. */
async function syncDirectory(directory: string): Promise<void> {
	try {
		const handle = await open(directory, "r");
		await handle.sync().finally(() => handle.close());
	} catch (error) {
		if (!isCode(error, "EPERM", "EISDIR", "EINVAL", "EACCES")) throw error;
	}
}

// ── One server for each file ──

/** Locks held by this process: a restarted container often has the pid that the dead one had. */
const held = new Set<string>();

/**
 * Takes `<file>.lock`, so that two servers never write one data file; returns its release.
 * The lock of a process that is gone is taken over.
 */
function lockFile(file: string): () => void {
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

function isCode(error: unknown, ...codes: string[]): boolean {
	return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
