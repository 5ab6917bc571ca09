import { existsSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
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
		const temporary = `${this.#file}.tmp`;
		try {
			await writeFile(temporary, text, { mode: 0o600, flush: true });
			await rename(temporary, this.#file);
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			throw new Error(
				`The data file "${this.#file}" cannot be written (${code}). Make room for it, or check the folder's permissions.`,
			);
		}
		this.#safe = holds;
	}
}

/** A link stays one: what it leads to is replaced. */
function realFile(file: string): string {
	const path = resolve(file);
	if (!existsSync(dirname(path))) {
		throw new Error(
			`The folder of the data file "${file}" does not exist. Make it first, or use another file.`,
		);
	}
	return existsSync(path) ? realpathSync(path) : path;
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
		const format = /^\{\s*"format":\s*(\d+)\s*,/.exec(text)?.[1] ?? FORMAT;
		const why =
			Number(format) === FORMAT
				? "was not written by this server, or is damaged"
				: "was written by another version of pulumi-datachain, whose data this one cannot read";
		throw new Error(`The data file "${file}" ${why}. Move it away, or use another file.`);
	}
}

/** Locks held by this process: a restarted container often has the pid that the dead one had. */
const held = new Set<string>();

/**
 * Takes `<file>.lock`, so that two servers never write one data file; returns its release.
 * The lock of a process that is gone is taken over.
 */
function lockFile(file: string): () => void {
	const lock = `${file}.lock`;
	if (existsSync(lock)) {
		const owner = Number(readFileSync(lock, "utf8"));
		if (held.has(lock) || (owner !== process.pid && isAlive(owner))) {
			throw new Error(
				`The data file "${file}" is in use by another server (process ${owner}). Stop that server, or use another file. If that process is no server, delete "${lock}".`,
			);
		}
		rmSync(lock);
	}
	writeFileSync(lock, String(process.pid), { flag: "wx", mode: 0o600 });
	held.add(lock);
	return () => {
		held.delete(lock);
		rmSync(lock, { force: true });
	};
}

function isAlive(pid: number): boolean {
	try {
		return pid > 0 && process.kill(pid, 0);
	} catch (error) {
		// A process of another user exists, and may not be signalled.
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
