import {
	existsSync,
	readFileSync,
	realpathSync,
	renameSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { COLLECTIONS, emptyState, emptyTeam, type State } from "./state";

/** Where the state lives between requests. */
export interface Store {
	/** What an earlier server left; empty in a new store. */
	readonly state: State;
	/** Says that the state has changed. It will be saved soon, or now with `save`. */
	touch(): void;
	/** Saves what has changed so far; throws if it cannot be saved. */
	save(): void;
	close(): void;
}

export const memoryStore = (): Store => ({
	state: emptyState(),
	touch: () => {},
	save: () => {},
	close: () => {},
});

const FORMAT = 2;

/** Left out where an earlier version did not write a collection that was added since: it is empty. */
const collections = Object.fromEntries(
	Object.entries(COLLECTIONS).map(([name, schema]) => {
		const records = z.array(z.custom((record) => schema.safeParse(record).success));
		return [name, records.optional()];
	}),
);

/** Tells our file from any other; its records are checked as the replies that are made of them. */
const savedState = z.looseObject({
	format: z.literal(FORMAT),
	nextFileId: z.int(),
	nextScheduleId: z.int(),
	teams: z.array(z.looseObject({ name: z.string(), ...collections })),
});

/** Changes that nobody waits for (a job's progress) are saved together after this long. */
const IDLE_SAVE_MILLIS = 100;

/** Keeps the state in one JSON file, replaced as a whole, so that a reader sees the old or the new one. */
export class FileStore implements Store {
	readonly state: State;
	readonly #file: string;
	/** When the file was written by us the last time, or read. */
	#ours: bigint | undefined;
	#isChanged = false;
	#idle: NodeJS.Timeout | undefined;

	constructor(file: string) {
		this.#file = realFile(file);
		this.#ours = modifiedAt(this.#file);
		this.state = load(this.#file);
	}

	touch(): void {
		this.#isChanged = true;
		this.#idle ??= setTimeout(() => {
			this.#idle = undefined;
			try {
				this.save();
			} catch {
				// There is nobody to tell here; the next write tries again, and reports it.
			}
		}, IDLE_SAVE_MILLIS).unref();
	}

	save(): void {
		if (!this.#isChanged) return;
		const modified = modifiedAt(this.#file);
		if (modified !== undefined && modified !== this.#ours) {
			throw new Error(
				`The data file "${this.#file}" was changed by another program, such as a second server. Stop that one, and start this one again.`,
			);
		}
		const temporary = `${this.#file}.${process.pid}.tmp`;
		try {
			writeFileSync(temporary, JSON.stringify(this.state), { mode: 0o600 });
			renameSync(temporary, this.#file);
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			throw new Error(
				`The data file "${this.#file}" cannot be written (${code}). Make room for it, or check the folder's permissions.`,
			);
		}
		this.#ours = modifiedAt(this.#file);
		this.#isChanged = false;
	}

	close(): void {
		clearTimeout(this.#idle);
		this.save();
	}
}

const modifiedAt = (file: string): bigint | undefined =>
	statSync(file, { bigint: true, throwIfNoEntry: false })?.mtimeNs;

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
		return {
			...state,
			teams: state.teams.map((team) => ({ ...emptyTeam(team.name), ...team })),
		};
	} catch {
		const format = /^\{\s*"format":\s*(\d+)\s*,/.exec(text)?.[1] ?? FORMAT;
		const why =
			Number(format) === FORMAT
				? "was not written by this server, or is damaged"
				: "was written by another version of pulumi-datachain, whose data this one cannot read";
		throw new Error(
			`The data file "${file}" ${why}. Move it away, or use another file.`,
		);
	}
}
