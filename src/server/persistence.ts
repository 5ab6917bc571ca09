import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { open, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { z } from "zod";
import { isCode, lockFile } from "./file-lock";
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

const list = z.array(z.unknown());
/** Enough to tell our file from any other; its contents are written by this server alone. */
const savedState = z.looseObject({
	format: z.literal(1),
	nextFileId: z.int(),
	nextScheduleId: z.int(),
	teams: z.array(
		z.looseObject({
			name: z.string(),
			clusters: list,
			datasets: list,
			files: list,
			jobs: list,
			pipelines: list,
			schedules: list,
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
		return savedState.parse(JSON.parse(text)) as unknown as State;
	} catch {
		throw new Error(
			`The data file "${file}" was not written by this server, or is damaged. Move it away, or use another file.`,
		);
	}
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
